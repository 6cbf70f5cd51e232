"""System.Diagnostics' attributes for debuggers, on types and members: read from metadata once and kept."""

from __future__ import annotations

import enum
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from dap_dotnet.runtime.model import TypeDefToken, TypeId
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.lineage import lineage

if TYPE_CHECKING:
    from portablepdb.custom_attributes import CustomAttribute

_DISPLAY = "System.Diagnostics.DebuggerDisplayAttribute"
TYPE_PROXY = "System.Diagnostics.DebuggerTypeProxyAttribute"
_BROWSABLE = "System.Diagnostics.DebuggerBrowsableAttribute"
_ANONYMOUS = "<>f__"
_FRAMEWORKS = ("System.", _ANONYMOUS)
_TYPE_REF = 0x01
_ASSEMBLY = 0x20000001
_SPECIFIER = re.compile(r",\s*(\w+)\s*$")


class Display(Struct, frozen=True):
    """A DebuggerDisplay: the text of the value, and of its type and its name where the attribute gives some."""

    text: str
    type: str | None
    name: str | None = None
    is_frameworks: bool = False
    """Whether the framework or the compiler has given it: what the debugger shows of such types itself tells more."""
    scope: TypeId | None = None
    """The exact type in whose declaration its expressions are: that has it, or whose member has it."""


_BUILT_IN = {
    "System.Delegate": Display(r"\{Method = \{{Method.ToString(),nq}\}, Target = {Target}\}", None),
}
"""Of types that have none: as debuggers have always shown them."""


class Hole(Struct, frozen=True):
    """An expression in a display, with what follows its commas: `nq`, `h`, `d`."""

    expression: str
    specifiers: frozenset[str]


class Browsable(enum.Enum):
    """DebuggerBrowsableState, by its numbers."""

    NEVER = 0
    COLLAPSED = 2
    ROOT_HIDDEN = 3


_DISPLAYS: CacheSlot[dict[TypeDefToken, Display | None]] = CacheSlot("DebuggerDisplay of types", lambda _: {})
_DISPLAYS_OF_EXACT: CacheSlot[dict[TypeId, Display | None]] = CacheSlot("DebuggerDisplay of exact types", lambda _: {})
_BROWSABLES: CacheSlot[dict[int, Browsable | None]] = CacheSlot("DebuggerBrowsable of members", lambda _: {})


def display_of(program: Program, type_id: TypeId | None) -> Display | None:
    """The DebuggerDisplay of an exact type, or the nearest of its bases that has one."""
    module = program.modules.get(program.debuggee.type_info(type_id).module) if type_id is not None else None
    if module is None or type_id is None:
        return _find_display(program, type_id)
    known = module.cached(_DISPLAYS_OF_EXACT)
    if type_id not in known:
        known[type_id] = _find_display(program, type_id)
    return known[type_id]


def _find_display(program: Program, type_id: TypeId | None) -> Display | None:
    for declaring, info in lineage(program, type_id):
        module = program.modules.get(info.module)
        if module is not None and info.token is not None:
            found = _own_display(program, module, info.token)
            if found is not None:
                return structs.replace(found, scope=declaring)
    return None


def _own_display(program: Program, module: LoadedModule, token: TypeDefToken) -> Display | None:
    known = module.cached(_DISPLAYS)
    if token not in known:
        found = attribute_for(program, module, token, _DISPLAY)
        name = module.metadata.type_name(token) if module.metadata is not None else ""
        known[token] = _display(*found) if found is not None else _BUILT_IN.get(name)
    return known[token]


def _display(attribute: CustomAttribute, is_frameworks: bool = False) -> Display | None:
    text = attribute.fixed_arguments[0].value if attribute.fixed_arguments else None
    if not isinstance(text, str):
        return None
    named = {argument.name: argument.argument.value for argument in attribute.named_arguments}
    shown_type, name = named.get("Type"), named.get("Name")
    return Display(
        text,
        shown_type if isinstance(shown_type, str) else None,
        name if isinstance(name, str) and name else None,
        is_frameworks,
    )


_MEMBER_DISPLAYS: CacheSlot[dict[int, Display | None]] = CacheSlot("DebuggerDisplay of members", lambda _: {})


def member_display_of(module: LoadedModule, token: int) -> Display | None:
    """The DebuggerDisplay of a field or property token itself; None when it has none."""
    known = module.cached(_MEMBER_DISPLAYS)
    if token not in known:
        attribute = _attribute(module, token, _DISPLAY)
        known[token] = _display(attribute) if attribute is not None else None
    return known[token]


def _uses_displays(module: LoadedModule) -> bool:
    if module.metadata is None or not module.is_user_code:
        return False
    image = module.metadata.image
    table, name = image.table(_TYPE_REF), _DISPLAY.rpartition(".")[2]
    return any(image.strings[table.row(row_id).name] == name for row_id in range(1, table.row_count + 1))


_USES_DISPLAYS: CacheSlot[bool] = CacheSlot("whether a module has a DebuggerDisplay", _uses_displays)


def has_displays(program: Program) -> bool:
    """Whether any module of the user's has a DebuggerDisplay at all."""
    return any(module.cached(_USES_DISPLAYS) for module in program.modules)


def browsable_of(module: LoadedModule, token: int) -> Browsable | None:
    """The DebuggerBrowsable of a field or property token; None when it has none."""
    known = module.cached(_BROWSABLES)
    if token not in known:
        attribute = _attribute(module, token, _BROWSABLE)
        state = attribute.fixed_arguments[0].value if attribute is not None and attribute.fixed_arguments else None
        raw = getattr(state, "raw", None)  # of an enum whose width the metadata alone does not give: it is an int
        number = int.from_bytes(raw[:4], "little") if raw is not None else state
        known[token] = Browsable(number) if number in (0, 2, 3) else None
    return known[token]


def attribute_for(
    program: Program, module: LoadedModule, token: TypeDefToken, name: str
) -> tuple[CustomAttribute, bool] | None:
    """(an attribute of a TypeDef, whether it is the framework's own or, of an anonymous type, the compiler's).

    That of the type itself; of a type that is not the user's, first one that an assembly of the user's has for it
    (`Target`).
    """
    own, metadata = _attribute(module, token, name), module.metadata
    if metadata is None:
        return None
    target, is_users = metadata.type_name(token), module.is_user_code
    if own is None or not is_users:
        for other in program.modules:
            if other is module or other.is_user_code:
                found = other.cached(_FOR_OTHERS).get((name, target))
                if found is not None:
                    return found, not other.is_user_code
    return (own, target.startswith(_ANONYMOUS if is_users else _FRAMEWORKS)) if own is not None else None


def _of_assembly(module: LoadedModule) -> dict[tuple[str, str], CustomAttribute]:
    """The attributes of an assembly that are meant for a type, by their name and that of the type."""
    from portablepdb import PortablePdbError

    found: dict[tuple[str, str], CustomAttribute] = {}
    if module.metadata is None:
        return found
    try:
        for attribute in module.metadata.attributes_of(_ASSEMBLY):
            if attribute.type_name not in (_DISPLAY, TYPE_PROXY):
                continue
            for argument in attribute.named_arguments:
                target = argument.argument.value
                if argument.name in ("Target", "TargetTypeName") and isinstance(target, str):
                    found[attribute.type_name, target.partition(",")[0].strip()] = attribute
    except PortablePdbError:
        pass
    return found


_FOR_OTHERS: CacheSlot[dict[tuple[str, str], CustomAttribute]] = CacheSlot("attributes for types", _of_assembly)


def _attribute(module: LoadedModule, token: int, name: str) -> CustomAttribute | None:
    from portablepdb import PortablePdbError

    if module.metadata is None:
        return None
    try:
        return next((one for one in module.metadata.attributes_of(token) if one.type_name == name), None)
    except PortablePdbError:
        return None


@lru_cache(maxsize=1024)
def parts_of(text: str) -> tuple[str | Hole, ...] | None:
    """The texts and the holes of a display, in order; None where its braces do not match. `\\\\{` stands for itself."""
    parts: list[str | Hole] = []
    plain = ""
    place = 0
    while place < len(text):
        character = text[place]
        if character == "\\" and text[place + 1 : place + 2] in ("{", "}", "\\"):
            plain += text[place + 1]
            place += 2
            continue
        if character == "{":
            end = _closing(text, place)
            if end is None:
                return None
            parts += [plain, _hole(text[place + 1 : end])]
            plain, place = "", end + 1
            continue
        plain += character
        place += 1
    return (*parts, plain)


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for place in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return None


def _hole(text: str) -> Hole:
    specifiers: set[str] = set()
    while (match := _SPECIFIER.search(text)) is not None:
        specifiers.add(match[1])
        text = text[: match.start()]
    return Hole(text.strip(), frozenset(specifiers))
