"""One value as text: what the bulk calls brought, and for types that the debugger knows, what their fields hold."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, structs

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, TypeId, Value
from dap_dotnet.symbols.ambiguous_names import ambiguous_names
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.values import exceptions, known_numbers, known_objects, primitives, to_string, tuple_names
from dap_dotnet.values.collections.consecutive import Chars, Consecutive, Placed
from dap_dotnet.values.collections.data_tables import Cells, Rows
from dap_dotnet.values.collections.items import Collection
from dap_dotnet.values.collections.json_documents import ELEMENT, JsonMembers, Nodes
from dap_dotnet.values.collections.known import known_collection, known_name
from dap_dotnet.values.context import Program
from dap_dotnet.values.debugger_attributes import Display, Hole, display_of, parts_of
from dap_dotnet.values.enums import enum_name
from dap_dotnet.values.known_objects import Showing
from dap_dotnet.values.layouts import definition_name
from dap_dotnet.values.lineage import lineage
from dap_dotnet.values.members import has_instance_members, has_members, read_field
from dap_dotnet.values.text_parts import Parts
from dap_dotnet.values.tuple_names import Names
from dap_dotnet.values.type_proxies import proxy_of
from dap_dotnet.values.typenames import KEYWORDS, full_name, shown_array, shown_type_name


class Format(Struct, frozen=True):
    """How to show a value."""

    hexadecimal: bool = False
    whole_strings: bool = False
    """Up to `MOST_WHOLE` characters."""
    quotes: bool = True
    parts: Parts | None = None
    """Takes the values inside a text that need calls, and has what those gave."""


class Rendered(Struct, frozen=True):
    """Text and type of a value, and how many children it has: `indexed` elements, and whether there are named ones."""

    text: str
    type: str
    indexed: int = 0
    has_named: bool = False
    inner: Value | None = None
    """The value that has the children, where it is not the rendered one: what a nullable holds."""
    collection: Collection | None = None
    """The known collection whose items the children are, as it was read in this generation of handles."""
    needs_call: bool = False
    """Whether only running the program tells the text that the type has for it: see `implicit_calls`."""
    has_parts: bool = False
    """Whether that is so of values inside the text, as the elements of a tuple."""
    names: Names = ()
    """Of the tuple elements in its type, where they are known."""
    is_plain: bool = False
    """Whether it is an object of which only the type's name and the members are shown, by nothing but its type."""

    @property
    def is_collection(self) -> bool:
        """Whether the children are the items of a known collection."""
        return self.collection is not None


PLAIN = Format()
MOST_WHOLE = 10_000_000
"""UTF-16 units of a string that is wanted whole: a message with more would be the end of the client, or of us."""
_MAX_DEPTH = 4
"""Values inside one another that one text shows."""
_MAX_DISPLAYS = 2
"""DebuggerDisplays inside one another: each may have many holes."""
_VALUE_TYPES = (ElementType.VALUETYPE, ElementType.GENERICINST)
_WITHOUT_CHILDREN = frozenset({"System.Decimal", "System.Half", "System.Int128", "System.UInt128", ELEMENT})
_BIG_INTEGERS = frozenset({"System.Int128", "System.UInt128", "System.Numerics.BigInteger"})
"""Integers that are shown by their digits, without braces."""


def render(program: Program, value: Value, style: Format = PLAIN, depth: int = 0, names: Names = ()) -> Rendered:
    """Show a value, on one line unless `style` is without quotes. Never raises for a value that cannot be read: the
    text says why.

    `depth` counts the values around this one that are part of the same text. `names` are those of the tuple elements in
    the type that it is declared with.
    """
    shown = _render(program, value, style, depth)
    if style.quotes and not (shown.text.isprintable() and shown.type.isprintable()):
        shown = structs.replace(shown, text=primitives.one_line(shown.text), type=primitives.one_line(shown.type))
    names = tuple_names.fitting(program, value.type, names) if names else names
    if not names or shown.type != shown_type_name(program, value.type):
        return shown
    return structs.replace(shown, type=shown_type_name(program, value.type, names), names=names)


def _render(program: Program, value: Value, style: Format, depth: int) -> Rendered:
    if value.element_type is ElementType.CLASS and (known := _known_plain(program, value, depth)) is not None:
        return known
    if value.error is not None:
        return Rendered(f"<{value.error}>", shown_type_name(program, value.type) if value.type else "")
    element_type = value.element_type
    declared = shown_type_name(program, value.type) if value.type is not None else KEYWORDS.get(element_type, "object")
    if value.is_null:
        is_unknown = value.type is None and element_type is ElementType.CLASS  # of a constant: the PDB says a TypeSpec
        return Rendered("null", "" if is_unknown else declared)
    if element_type is ElementType.STRING:
        return Rendered(_string(program, value, style), "string")
    primitive = primitives.decode(element_type, value.raw)
    if primitive is not None:
        text = primitives.format_primitive(element_type, primitive, hexadecimal=style.hexadecimal)
        return Rendered(text, declared)
    if element_type in (ElementType.PTR, ElementType.FNPTR) and value.raw:
        return Rendered(
            f"0x{int.from_bytes(value.raw, 'little'):016x}", declared, has_named=_has_target(program, value)
        )
    if element_type in (ElementType.SZARRAY, ElementType.ARRAY):
        return Rendered(_array(program, value), declared, indexed=value.length)
    if value.type is not None and (has_members(value) or element_type in _VALUE_TYPES):
        return _members(program, value, declared, style, depth)
    return Rendered(f"{{{declared}}}", declared)


def _has_target(program: Program, pointer: Value) -> bool:
    """Whether a pointer can be opened: not to what has no type, and not where it is null."""
    if pointer.element_type is not ElementType.PTR or pointer.handle is None or pointer.type is None:
        return False
    target = program.debuggee.type_info(pointer.type).arguments[:1]
    is_void = not target or program.debuggee.type_info(target[0]).element_type is ElementType.VOID
    return any(pointer.raw) and not is_void


def _members(program: Program, value: Value, declared: str, style: Format, depth: int) -> Rendered:
    """Objects and value types: by what they mean where that is known, else by their type."""
    assert value.type is not None
    info = program.debuggee.type_info(value.type)
    name = definition_name(program, info)
    if name == "System.Nullable`1":
        nullable = _nullable(program, value, declared, style, depth)
        if nullable is not None:
            return nullable
    display = _display_for(program, value, depth)
    if display is not None and not display.is_frameworks:
        apart = style if style.parts is None else structs.replace(style, parts=Parts())
        around = _counted(program, value, declared, apart, depth) or _unknown(program, value, declared)
        displayed = _displayed(program, value, display, around, style=style, depth=depth)
        known = _known(program, value, declared, apart, depth) if displayed.text is around.text else None
        return structs.replace(displayed, text=known.text) if known is not None else displayed
    shown = _known(program, value, declared, style, depth)
    if shown is not None:
        return shown
    shown = _unknown(program, value, declared)
    if display is not None:
        return _displayed(program, value, display, shown, style=style, depth=depth)
    enum_text = enum_name(program, info, value.raw) if value.raw else None
    if enum_text is not None:
        return Rendered(enum_text, declared)
    has_text = not program.display.raw and depth <= _MAX_DISPLAYS and has_members(value)
    if has_text and to_string.call_of(program, value.type) is not None:
        text = to_string.followed(program, value)
        return structs.replace(shown, text=text or shown.text, needs_call=text is None)
    return _new_plain(program, value, name, shown) if _may_be_plain(program, value, depth) else shown


def _unknown(program: Program, value: Value, declared: str) -> Rendered:
    """A value of which nothing is known but its members."""
    assert value.type is not None
    has_named = has_members(value) and has_instance_members(program, value.type)
    return Rendered(f"{{{declared}}}", declared, has_named=has_named)


def _counted(program: Program, value: Value, declared: str, style: Format, depth: int) -> Rendered | None:
    """A collection that the debugger knows; None for other values."""
    collection = known_collection(program, value) if depth <= _MAX_DEPTH and not program.display.raw else None
    if collection is None:
        return None
    counted = f"Count = {collection.count}"
    if isinstance(collection, Consecutive) and collection.is_fixed:
        element = KEYWORDS[collection.element_type]
        counted, declared = _consecutive(collection, element, style), f"{element}*"  # as in expressions
    elif isinstance(collection, (Consecutive, Chars, Placed)):
        counted = _consecutive(collection, declared, style)
    elif isinstance(collection, Rows) and collection.table_name:
        counted = f"{{{collection.table_name}}} {counted}"
    elif isinstance(collection, (JsonMembers, Nodes)):
        counted = collection.text
    elif isinstance(collection, Cells):
        counted = collection.text(lambda cell: render(program, cell, style, depth + 1).text)
    return Rendered(counted, declared, collection.count, has_named=True, collection=collection)


def _known(program: Program, value: Value, declared: str, style: Format, depth: int) -> Rendered | None:
    """A value of a type that the debugger knows; None for others."""
    assert value.type is not None
    counted = _counted(program, value, declared, style, depth)
    if counted is not None:
        return counted
    name = definition_name(program, program.debuggee.type_info(value.type))
    parts = style.parts or Parts()
    before = len(parts.wanted)
    text = _text(program, value, name, style if style.parts is parts else structs.replace(style, parts=parts), depth)
    if text is None:
        return None
    if name in _WITHOUT_CHILDREN:
        return Rendered(text, declared)
    has_parts = len(parts.wanted) > before
    return structs.replace(_unknown(program, value, declared), text=text, needs_call=has_parts, has_parts=has_parts)


def _display_for(program: Program, value: Value, depth: int) -> Display | None:
    """The DebuggerDisplay that a value is to be shown by at a depth."""
    if depth > _MAX_DISPLAYS or program.display.raw or program.expressions is None or not has_members(value):
        return None
    return display_of(program, value.type)


def _displayed(
    program: Program, value: Value, display: Display, shown: Rendered, *, style: Format, depth: int
) -> Rendered:
    """A value as a DebuggerDisplay shows it; as it is `shown` without one, as far as only the program knows that."""
    text, needs_call = _display(program, value, display, display.text, style=style, depth=depth)
    kind = (
        _display(program, value, display, display.type, style=style, depth=depth)[0]
        if display.type is not None
        else None
    )
    text = text if text is not None else shown.text
    return structs.replace(shown, text=text, type=kind or shown.type, needs_call=needs_call, has_parts=False)


_PLAIN: CacheSlot[dict[tuple[TypeId, int], Rendered]] = CacheSlot(
    "what is shown of plain objects by their type, and by how many names are ambiguous", lambda _: {}
)


def _may_be_plain(program: Program, value: Value, depth: int) -> bool:
    is_object = value.element_type is ElementType.CLASS and not value.is_null and value.handle is not None
    return is_object and value.error is None and depth <= _MAX_DISPLAYS and not program.display.raw


def _known_plain(program: Program, value: Value, depth: int) -> Rendered | None:
    """What is shown of an object of a type that is known to be plain."""
    if value.type is None or not _may_be_plain(program, value, depth):
        return None
    module = program.modules.get(program.debuggee.type_info(value.type).module)
    return module.cached(_PLAIN).get(_plain_key(program, value.type)) if module is not None else None


def _plain_key(program: Program, type_id: TypeId) -> tuple[TypeId, int]:
    return type_id, ambiguous_names(program.modules).count


def _new_plain(program: Program, value: Value, name: str, shown: Rendered) -> Rendered:
    """What is shown of an object that has no text: remembered by its type where that alone says so."""
    assert value.type is not None
    module = program.modules.get(program.debuggee.type_info(value.type).module)
    is_framework = name.startswith(("System.", "<>f__"))  # of which some have texts that could not be read just now
    if module is None or is_framework or known_name(program, value.type) is not None:
        return shown
    if _special_base(program, value.type) is not None or proxy_of(program, value.type) is not None:
        return shown
    found = module.cached(_PLAIN)[_plain_key(program, value.type)] = structs.replace(shown, is_plain=True)
    return found


def _consecutive(elements: Consecutive | Chars | Placed, declared: str, style: Format) -> str:
    """A span of chars by its text; others, and inline arrays, as an array is shown."""
    if not elements.is_text:
        return f"{{{declared}[{elements.count}]}}"
    most = MOST_WHOLE if style.whole_strings else TEXT_LIMIT
    try:
        text = elements.text(most)
    except DapDotnetError:
        return f"{{{declared}[{elements.count}]}}"
    shown = primitives.quote(text) if style.quotes else text
    return shown if elements.count <= most else shown + "…"


def _display(
    program: Program, value: Value, display: Display, text: str, *, style: Format, depth: int = 0
) -> tuple[str | None, bool]:
    """A text of a DebuggerDisplay with its holes filled, and whether running the program tells more.

    None unless all holes can be read without running the program; that of a value may need a call for its own text.
    """
    parts = parts_of(text)
    if parts is None or program.expressions is None:
        return None, True
    shown, needs_call = "", False
    try:
        for part in parts:
            if isinstance(part, str):
                shown += part
                continue
            found = program.expressions.value(program, value, part.expression, scope=display.scope)
            if found.error is not None:
                return None, True
            filled = render(program, found, hole_format(style, part), depth + 1)
            shown += filled.text
            needs_call |= filled.needs_call
    except DapDotnetError:
        return None, True
    return primitives.one_line(shown) if style.quotes else shown, needs_call


def display_name(
    program: Program, value: Value, shown: Rendered, style: Format = PLAIN, own: Display | None = None
) -> str | None:
    """The name that a value's DebuggerDisplay (`Name`) gives it among others; None where it gives none by reading.

    `own` is the DebuggerDisplay of the member that holds it, where that has one.
    """
    if shown.is_plain and own is None:
        return None
    inner = value if shown.inner is None else shown.inner
    if inner.type is None or program.display.raw or not has_members(inner):
        return None
    display = own or display_of(program, inner.type)
    if display is None or not display.name or (shown.is_collection and display.is_frameworks):
        return None
    return _display(program, inner, display, display.name, style=style)[0]


def shown_by(program: Program, value: Value, display: Display, shown: Rendered, style: Format = PLAIN) -> Rendered:
    """A member with a DebuggerDisplay of its own, which is about its value; as it is `shown` where that has to run."""
    inner = value if shown.inner is None else shown.inner
    if program.display.raw or value.is_null or value.error is not None:
        return shown
    text, _ = _display(program, inner, display, display.text, style=style)
    kind = _display(program, inner, display, display.type, style=style)[0] if display.type is not None else None
    return structs.replace(shown, text=text, type=kind or shown.type, needs_call=False) if text is not None else shown


def hole_format(style: Format, hole: Hole) -> Format:
    """How the hole of a display shows its value, in what is shown by `style`."""
    asked = hole.specifiers
    return Format("h" in asked or "x" in asked or (style.hexadecimal and "d" not in asked), quotes="nq" not in asked)


def _text(program: Program, value: Value, name: str, style: Format, depth: int) -> str | None:
    """The text of a type that the debugger knows; None for others, and when it is not as it should be."""
    text = _known_text(program, value, name, style, depth)
    if text is None or not style.hexadecimal or name not in _BIG_INTEGERS:
        return text
    number = int(text)
    if name == "System.Numerics.BigInteger":  # as wide as it is: no bit says the sign
        return f"{'-' if number < 0 else ''}0x{abs(number):x}"
    return f"0x{number & ((1 << 8 * known_numbers.WIDE_SIZE) - 1):0{2 * known_numbers.WIDE_SIZE}x}"


def _part(program: Program, value: Value, style: Format, depth: int) -> str:
    """The text of a value inside another's."""
    shown = render(program, value, style, depth)
    if style.parts is None or not shown.needs_call or shown.has_parts:
        return shown.text
    return style.parts.text(shown.inner or value, shown.text)


def _known_text(program: Program, value: Value, name: str, style: Format, depth: int) -> str | None:
    assert value.type is not None
    info = program.debuggee.type_info(value.type)
    if name == "System.Decimal":
        return primitives.format_decimal(value.raw)
    text = known_numbers.known_text(program, name, info, value.raw) if value.raw else None
    if text is not None or depth > _MAX_DEPTH:
        return text
    message = style.parts.message if style.parts is not None else exceptions.unknown_message
    showing = Showing(program, lambda inner: _part(program, inner, style, depth + 1), message, TEXT_LIMIT)
    try:
        text = known_objects.known_text(showing, value, name)
        if text is None and value.is_reference and not value.is_boxed:
            special = _special_base(program, value.type)
            text = special(showing, value) if special is not None else None
    except DapDotnetError:
        return None
    return text


_Special = Callable[[Showing, Value], "str | None"]
_SPECIAL_BASES: dict[str, _Special] = {
    "System.Exception": known_objects.exception_text,
    "System.Text.Json.Nodes.JsonValue": known_objects.json_value,
    "System.Threading.Tasks.Task": known_objects.task_text,
}
"""Classes whose derived classes are shown in the same way."""


def _special_base(program: Program, type_id: TypeId | None) -> _Special | None:
    for _, info in lineage(program, type_id):
        found = _SPECIAL_BASES.get(definition_name(program, info))
        if found is not None:
            return found
    return None


def _string(program: Program, value: Value, style: Format) -> str:
    text = value.text or ""
    cut = len(text.encode("utf-16-le", "surrogatepass")) // 2 < value.length
    if cut and style.whole_strings and value.handle is not None:
        text = program.debuggee.string(value.handle, 0, min(value.length, MOST_WHOLE))
        cut = value.length > MOST_WHOLE
    shown = primitives.quote(text) if style.quotes else text
    return shown + "…" if cut else shown


def _array(program: Program, value: Value) -> str:
    """`{int[2, 3]}`."""
    if value.element_type is ElementType.SZARRAY or value.handle is None:
        lengths: tuple[int, ...] = (value.length,)
    else:
        lengths = program.debuggee.array_shape(value.handle).lengths
    if value.type is None:
        return f"{{object[{', '.join(map(str, lengths))}]}}"
    return f"{{{shown_array(program, value.type, lengths)}}}"


def _nullable(program: Program, value: Value, declared: str, style: Format, depth: int) -> Rendered | None:
    has_value = read_field(program, value, "hasValue")
    if has_value is None or not has_value.raw:
        return None
    if not has_value.raw[0]:
        return Rendered("null", declared)
    inner = read_field(program, value, "value")
    if inner is None:
        return None
    shown = render(program, inner, style, depth)
    return Rendered(
        shown.text,
        declared,
        shown.indexed,
        shown.has_named,
        shown.inner or inner,
        collection=shown.collection,
        needs_call=shown.needs_call,
        has_parts=shown.has_parts,
    )


def is_type(program: Program, type_id: TypeId | None, name: str) -> bool:
    """Whether the type itself (not a base) has the full metadata name."""
    return type_id is not None and full_name(program, program.debuggee.type_info(type_id)) == name
