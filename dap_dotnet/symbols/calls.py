"""The calls that a statement makes, from its IL, in the order in which they are evaluated. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, MethodToken
from dap_dotnet.symbols.instructions import instructions_in
from dap_dotnet.symbols.modules import LoadedModule

if TYPE_CHECKING:
    from portablepdb import Metadata

CLONES = "<Clone>$"
"""The method that the compiler gives a record for `with`."""
_CALLS = ("call", "callvirt", "newobj")
_CALL_SIZE = 5
_NAMESPACES = re.compile(r"(?:[\w`]+\.)+(?=[\w`])")
_PARAMETER = re.compile(r"!(?P<own>!)?(?P<number>\d+)")
_ACCESSORS = ("get", "set", "add", "remove")


class CallSite(Struct, frozen=True):
    """One call instruction."""

    il_offset: int
    token: int
    """Of the method that it names: a MethodDef, MemberRef or MethodSpec of the module."""
    is_constructor: bool
    """Whether it makes an object (`newobj`)."""
    is_virtual: bool
    """Whether the object decides on the method that runs (`callvirt`)."""
    declaring_type: str
    """Of that method, as text with its namespace."""


def calls_in(module: LoadedModule, method: MethodToken, ranges: Sequence[tuple[int, int]]) -> list[CallSite]:
    """The calls in half-open IL ranges of a method; none where its IL cannot be read."""
    return [
        _site(module, one.offset, one.operand, one.opcode.name)
        for one in instructions_in(module, method, ranges)
        if one.opcode.name in _CALLS and isinstance(one.operand, int)
    ]


def _site(module: LoadedModule, il_offset: int, token: int, opcode: str) -> CallSite:
    owner = ".".join(_names(_full_name(module.metadata, token).partition("(")[0])[:-1])
    return CallSite(il_offset, token, opcode == "newobj", opcode == "callvirt", owner)


def called_name(module: LoadedModule, token: int, caller: MethodToken | None = None) -> str:
    """`Type.Method` of a call's token, without namespaces and parameters; a getter by the name of its property.

    `caller`: the method that calls, whose generic parameters are written by their names; None: by their numbers.
    """
    names = _names(_named_by(module, caller, _full_name(module.metadata, token)).partition("(")[0])
    last = names[-1]
    if last in _ACCESSORS and len(names) > 1:
        names.pop()
    elif last.startswith(("get_", "set_")):
        last, names[-1] = last[:3], last[4:]
    shown = ".".join(_NAMESPACES.sub("", name) for name in names[-2:])
    return f"{shown}.{last}" if last in _ACCESSORS and last != "get" else shown


def call_under_way(calls: Sequence[CallSite], frame: Frame) -> CallSite | None:
    """The call that the caller's frame waits for, or has just come back from; None where it stands at no call.

    It is known by where its caller goes on afterwards. The runtime divides the code of a method at each call, and gives
    for an address within a part the beginning of that part, inexactly; behind a call that leaves nothing to do, since
    it returns no value, it gives the next part exactly.
    """
    if frame.il_offset is None:
        return None
    if frame.mapping & MAPPING_EXACT:
        return next((site for site in calls if site.il_offset + _CALL_SIZE == frame.il_offset), None)
    return next((site for site in calls if site.il_offset >= frame.il_offset), None)


def may_drop_exceptions(module: LoadedModule, token: int) -> bool:
    """Whether a call's token is of a `ConfigureAwait` whose `await` may not throw: that with ConfigureAwaitOptions."""
    name, _, parameters = _full_name(module.metadata, token).partition("(")
    return name.endswith(".ConfigureAwait") and "ConfigureAwaitOptions" in parameters


def called_text(module: LoadedModule, site: CallSite, caller: MethodToken) -> str:
    """`Type.Method(parameters)` in C#, without namespaces; `new Type(parameters)` of a constructor.

    `caller`: the method that calls.
    """
    name = called_name(module, site.token, caller)
    text = _named_by(module, caller, _full_name(module.metadata, site.token))
    last = _names(text.partition("(")[0])[-1]
    if last in _ACCESSORS or last.startswith(("get_", "set_")):
        return name
    shown = f"new {name.rpartition('.')[2]}" if site.is_constructor else name
    _, bracket, parameters = text.partition("(")
    return shown + bracket + _NAMESPACES.sub("", parameters)


def _full_name(metadata: Metadata | None, token: int) -> str:
    from portablepdb import PortablePdbError

    try:
        return metadata.display(token) if metadata is not None else f"0x{token:08x}"
    except PortablePdbError:
        return f"0x{token:08x}"


def _named_by(module: LoadedModule, caller: MethodToken | None, text: str) -> str:
    """A call's text with the names of the calling method's generic parameters: its type's `!0`, its own `!!0`."""
    from portablepdb import PortablePdbError

    metadata = module.metadata
    if caller is None or metadata is None or "!" not in text:
        return text
    try:
        method = metadata.method(caller)
        of_type = [one.name for one in method.declaring_type.generic_parameters]
        of_method = [one.name for one in method.generic_parameters]
    except PortablePdbError:
        return text

    def name(found: re.Match[str]) -> str:
        names, number = (of_method if found["own"] else of_type), int(found["number"])
        return names[number] if number < len(names) else found.group()

    return _PARAMETER.sub(name, text)


def _names(text: str) -> list[str]:
    """The parts of a dotted name; dots within type arguments and brackets do not count."""
    names, depth = [""], 0
    for letter in text:
        depth += (letter in "<[") - (letter in ">]")
        if letter == "." and not depth:
            names.append("")
        else:
            names[-1] += letter
    return names
