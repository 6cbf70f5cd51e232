"""What the compiler passes to parameters with a Caller… attribute: the text of another argument, and where the call is.

C# specification 23.5.6. A call in an expression stands where the frame stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.symbols.frames import compiled_place
from dap_dotnet.symbols.language_version import language_version
from dap_dotnet.values.context import FrameContext

if TYPE_CHECKING:
    from portablepdb.custom_attributes import CustomAttribute

_NAMESPACE = "System.Runtime.CompilerServices.Caller"
_GENERATED = re.compile(r"<([^<>]+)>[bg]__")
_ACCESSOR = re.compile(r"(?:get|set|add|remove|init)_")


class CallSite(Struct, frozen=True):
    """Where a call is written. `texts` are its arguments as written, in their order, None where that is not known."""

    context: FrameContext
    texts: Sequence[str | None] = ()
    receiver: str | None = None
    """What a method is called on, as written."""

    @property
    def language_version(self) -> int:
        """The major version of C# that its code is written in."""
        return language_version(self.context.program.modules.get(self.context.frame.module))

    def of_extension(self) -> CallSite:
        """The same call as that of an extension method, whose first argument is what it is called on."""
        return CallSite(self.context, (self.receiver, *self.texts))


def passed_by_compiler(
    candidate: Candidate, position: int, site: CallSite | None, placed: Sequence[int | None]
) -> str | int | None:
    """What an omitted argument is instead of its default; None: the default.

    `placed`: for each parameter the index of its argument, None for an omitted one.
    """
    attribute = _attribute(candidate, position)
    return _value(attribute, candidate, site, placed) if attribute is not None and site is not None else None


def is_passed_by_compiler(candidate: Candidate, position: int) -> bool:
    """Whether what an omitted argument is depends on where the call is written."""
    return _attribute(candidate, position) is not None


def _attribute(candidate: Candidate, position: int) -> CustomAttribute | None:
    metadata = candidate.module.metadata if candidate.module is not None else None
    if metadata is None:
        return None
    for row in candidate.method.parameter_rows:
        if row.sequence == position + 1:
            found = metadata.attributes_of(row.token)
            return next((one for one in found if one.type_name.startswith(_NAMESPACE)), None)
    return None


def _value(
    attribute: CustomAttribute, candidate: Candidate, site: CallSite, placed: Sequence[int | None]
) -> str | int | None:
    kind = attribute.type_name.removeprefix(_NAMESPACE)
    if kind == "ArgumentExpressionAttribute":
        wanted = attribute.fixed_arguments[0].value
        names = candidate.method.parameters
        index = next((given for number, given in enumerate(placed) if names.get(number + 1) == wanted), None)
        return site.texts[index] if index is not None and index < len(site.texts) else None
    if kind == "MemberNameAttribute":
        return _member(site.context)
    path, span = compiled_place(site.context.program.modules, site.context.frame)
    if kind == "LineNumberAttribute":
        return span.line if span is not None else None
    return path if kind == "FilePathAttribute" else None


def _member(context: FrameContext) -> str | None:
    """The member that the frame's code is written in."""
    frame = context.frame
    module = context.program.modules.get(frame.module)
    if module is None or module.metadata is None or frame.method is None:
        return None
    token = frame.method
    kickoff = module.pdb.kickoff_method(token) if module.pdb is not None else None
    name = module.metadata.method(kickoff or token).name
    generated = _GENERATED.match(name)
    if generated is not None:
        name = generated.group(1)
    return _ACCESSOR.sub("", name.rpartition(".")[2] if not name.startswith(".") else name, count=1)
