"""The calls of a statement that a step can be sent into. Session thread only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from dap_dotnet.runtime.model import Frame, MethodToken
from dap_dotnet.stepping.call_places import call_places, key_of
from dap_dotnet.stepping.ranges import step_ranges
from dap_dotnet.symbols.calls import CLONES, CallSite, call_under_way, called_text, calls_in
from dap_dotnet.symbols.checksums import SourceFile
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.spans import Span, span_of
from dap_dotnet.symbols.statements import first_visible

if TYPE_CHECKING:
    from portablepdb import Metadata

_METHOD_DEF = 0x06
_VIRTUAL, _SEALED = 0x40, 0x100
_OVERRIDE = _VIRTUAL | 0x20
"""With `final`: a method that is virtual only to implement an interface cannot be overridden."""


class StepInTarget(Struct, frozen=True):
    """A call that a step can be sent into, from the frame that makes it."""

    frame: Frame
    site: CallSite
    label: str
    """The method in C#; of several calls of it, which one, in the order of their evaluation."""
    place: Span | None = None
    """Where it is written, in the document of the frame's statement; None where that is not known."""


def step_in_targets(modules: ModuleCatalog, frame: Frame) -> list[StepInTarget]:
    """The calls that the statement of a frame, its thread's top one, has still to make, in the order of evaluation.

    Without those that lead to no code of the user's: of the framework's methods that nobody can override, and of what
    the compiler has made.
    """
    module = modules.get(frame.module)
    if module is None or frame.method is None or frame.il_offset is None:
        return []
    calls = calls_in(module, frame.method, step_ranges(module, frame))
    places = _places(modules, module, frame, calls)
    done = call_under_way(calls, frame)
    first = done.il_offset + 1 if done is not None else frame.il_offset
    listed = []
    for site, place in zip(calls, places, strict=True):
        written = _as_written(module, site)
        if site.il_offset >= first and written is not None and leads_to_source(modules, module, written):
            listed.append((site, called_text(module, written, frame.method), place))
    total = Counter(label for _, label, _ in listed)
    seen: Counter[str] = Counter()
    targets = []
    for site, label, place in listed:
        seen[label] += 1
        shown = f"{label} ({seen[label]} of {total[label]})" if total[label] > 1 else label
        targets.append(StepInTarget(frame, site, shown, place))
    return targets


def _places(
    modules: ModuleCatalog, module: LoadedModule, frame: Frame, calls: Sequence[CallSite]
) -> Sequence[Span | None]:
    """Where the calls of a frame's statement are written, if its source is there and is the one that was compiled."""
    from portablepdb import PortablePdbError

    unknown: list[Span | None] = [None] * len(calls)
    described = describe_frame(modules, frame)
    if not calls or described.path is None or described.span is None or module.pdb is None or module.metadata is None:
        return unknown
    if not described.path.endswith(".cs"):
        return unknown
    try:
        points = (one for one in module.pdb.sequence_points(frame.method or 0) if not one.is_hidden)
        document = next((one.document for one in points if span_of(one) == described.span), None)
        file = SourceFile(described.path)
        if document is None or not file.is_source_of(document):
            return unknown
        owners = [_owner(module.metadata, site.token) for site in calls]
    except PortablePdbError:
        return unknown
    return call_places(file.lines, described.span, [key_of(*owner) if owner else None for owner in owners])


@if_damaged(False)
def leads_to_source(modules: ModuleCatalog, module: LoadedModule, site: CallSite) -> bool:
    """Whether a call of a module's method may come to code of the user's."""

    metadata = module.metadata
    if metadata is None:
        return False
    if site.token >> 24 == _METHOD_DEF:
        is_made = site.is_constructor or _is_made(metadata.type_name(metadata.declaring_type(site.token)))
        return not (is_made and _is_without_source(module, site.token))
    owner = _owner(metadata, site.token)
    if owner is not None and _is_made(owner[0]):  # generic, of the module itself
        type_ = metadata.find_type(owner[0])
        methods = metadata.methods_of(type_) if type_ is not None else ()
        return any(one.name == owner[1] and not _is_without_source(module, one.token) for one in methods)
    return owner is not None and _may_be_users(modules, *owner, is_virtual=site.is_virtual)


@if_damaged(None)
def _as_written(module: LoadedModule, site: CallSite) -> CallSite | None:
    """A call as the programmer knows it: for what a `with` calls, its record's constructor that copies.

    None where that is not in the module.
    """
    from portablepdb.signatures import GenericInstance, NamedType

    metadata = module.metadata
    owner = _owner(metadata, site.token) if metadata is not None else None
    if metadata is None or owner is None or owner[1] != CLONES:
        return site
    type_ = metadata.find_type(owner[0])
    if type_ is None:
        return None
    for method in metadata.methods_of(type_.token):
        (parameter,) = method.signature.parameters if len(method.signature.parameters) == 1 else (None,)
        kind = parameter.generic if isinstance(parameter, GenericInstance) else parameter
        if method.name == ".ctor" and isinstance(kind, NamedType) and kind.token == type_.token:
            return structs.replace(site, token=method.token, is_constructor=True)
    return None


def _is_without_source(module: LoadedModule, method: int) -> bool:
    return first_visible(module, MethodToken(method)) is None


def _is_made(type_name: str) -> bool:
    """Whether the compiler has named a type, as `<>c__DisplayClass0_0` of a closure: local functions may be in it."""
    return "<" in type_name.rpartition("+")[2]


def _owner(metadata: Metadata, token: int) -> tuple[str, str] | None:
    """Full name of the type that declares a called method, and the method's name; None for other owners than types."""
    from portablepdb.references import MemberRef, MethodSpec, TypeRef, TypeSpec
    from portablepdb.signatures import GenericInstance, NamedType

    member = metadata.object_of(token)
    if isinstance(member, MethodSpec):
        member = member.method
    if not isinstance(member, MemberRef):
        name = getattr(member, "name", "")
        return metadata.type_name(metadata.declaring_type(member)), name
    parent = member.parent
    if isinstance(parent, TypeSpec):
        kind = parent.signature
        generic = kind.generic if isinstance(kind, GenericInstance) else kind
        if not isinstance(generic, NamedType):
            return None
        parent = metadata.object_of(generic.token)
    if isinstance(parent, TypeRef):
        return parent.full_name, member.name
    return metadata.type_name(parent), member.name


def _may_be_users(modules: ModuleCatalog, type_name: str, method: str, *, is_virtual: bool) -> bool:
    """Whether a call of a type's method may come to code of the user's, in whichever module the type is."""
    for module in modules:
        found = module.metadata.find_type(type_name) if module.metadata is not None else None
        if found is None or module.metadata is None:
            continue
        if module.is_user_code:
            return True
        base = found.base
        if base is not None and getattr(base, "full_name", "") == "System.MulticastDelegate":
            return method == "Invoke"
        if found.flags & _SEALED or not is_virtual:
            return False
        return any(
            one.name == method and one.flags & _OVERRIDE == _VIRTUAL for one in module.metadata.methods_of(found)
        )
    return False
