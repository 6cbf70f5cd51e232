"""Texts of framework types that are read from their fields: tuples, tasks, big numbers, exceptions, versions."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values import dates, exceptions, primitives, type_objects, uris
from dap_dotnet.values.collections import json_documents
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, find_known_field, integer, is_array, read_known
from dap_dotnet.values.members import find_field, instance_fields, read_fields

_MOST_DIGITS = 256
"""Elements of 32 bits of a BigInteger that are read."""
_MOST_CHUNKS = 64
_MOST_PARTS = 16


class Showing(Struct, frozen=True):
    """One rendering: the program, how to show the values inside, and the UTF-16 units that a text may have."""

    program: Program
    show: Callable[[Value], str]
    message: exceptions.Ask
    most_text: int


def known_text(showing: Showing, value: Value, name: str) -> str | None:
    """The text of an object or value type by its full name; None when it has none, or when it is not as expected."""
    found = _KNOWN.get(name)
    if found is None and name.startswith(("System.ValueTuple`", "System.Tuple`")):
        found = tuple_text
    elif found is None and name.startswith("<>f__AnonymousType"):
        found = _anonymous
    return found(showing, value) if found is not None else None


def tuple_items(program: Program, value: Value) -> list[Value] | None:
    """The elements of a tuple of either kind; those beyond seven are in the tuple in its last field."""
    items: list[Value] = []
    for _ in range(_MOST_PARTS):
        fields = instance_fields(program, value.type)
        rest = next((one for one in fields if one.field.name in ("Rest", "m_Rest")), None)
        read = read_fields(program, value, fields)
        items += [
            item for one, item in read if one is not rest and one.field.name.removeprefix("m_").startswith("Item")
        ]
        if rest is None:
            return items if len(items) and all(item.error is None for item in items) else None
        value = read[-1][1]
    return None


def tuple_text(showing: Showing, value: Value) -> str | None:
    """`(1, "one")`."""
    items = tuple_items(showing.program, value)
    return f"({', '.join(map(showing.show, items))})" if items is not None else None


def _anonymous(showing: Showing, value: Value) -> str | None:
    fields = instance_fields(showing.program, value.type)
    shown = [
        f"{one.field.shown_name} = {showing.show(item)}" for one, item in read_fields(showing.program, value, fields)
    ]
    return f"{{ {', '.join(shown)} }}" if shown else "{ }"


def _type(showing: Showing, value: Value) -> str | None:
    """As Type.ToString gives it."""
    meant = type_objects.type_meant(showing.program, value)
    text = type_objects.reflection_text(showing.program, meant) if meant is not None else None
    return f"{{{text}}}" if text is not None else None


def _pair(showing: Showing, value: Value) -> str | None:
    read = read_known(showing.program, value, ("key|_key", "value|_value"))
    return f"{{[{showing.show(read[0])}, {showing.show(read[1])}]}}" if read is not None else None


def _date_time_offset(showing: Showing, value: Value) -> str | None:
    read = read_known(showing.program, value, ("_dateTime", "_offsetMinutes"))
    if read is None:
        return None
    ticks, offset = dates.ticks_of_date(read[0].raw), integer(read[1])
    text = dates.date_time_offset(ticks, offset) if ticks is not None and offset is not None else None
    return f"{{{text}}}" if text is not None else None


def _big_integer(showing: Showing, value: Value) -> str | None:
    read = read_known(showing.program, value, ("_sign", "_bits"))
    sign = integer(read[0]) if read is not None else None
    if read is None or sign is None:
        return None
    bits = read[1]
    if bits.is_null:
        return str(sign)
    if not is_array(bits) or bits.length > _MOST_DIGITS or bits.handle is None:
        return None
    magnitude = 0
    for place, element in enumerate(showing.program.debuggee.elements(bits.handle, 0, bits.length)):
        if element.element_type is not ElementType.U4:
            return None
        magnitude |= int.from_bytes(element.raw, "little") << (32 * place)
    return str(-magnitude if sign < 0 else magnitude)


def _version(showing: Showing, value: Value) -> str | None:
    read = read_known(showing.program, value, ("_Major", "_Minor", "_Build", "_Revision"))
    parts = [integer(part) for part in read] if read is not None else [None]
    if any(part is None for part in parts):
        return None
    return f"{{{'.'.join(str(part) for part in parts if part is not None and part >= 0)}}}"


def _uri(showing: Showing, value: Value) -> str | None:
    """What its ToString writes, where that follows from what it was made of: always of a relative one."""
    read = read_known(showing.program, value, ("_string|m_String", "_syntax|m_Syntax"))
    text = read[0].text if read is not None else None
    if read is None or text is None or len(text) != read[0].length:
        return None
    address = uris.plain(text) if not read[1].is_null else None
    shown = address.whole if address is not None else text if read[1].is_null else None
    return f"{{{shown}}}" if shown is not None else None


def _culture(showing: Showing, value: Value) -> str | None:
    read = read_known(showing.program, value, ("_name|m_name",))
    return f"{{{read[0].text}}}" if read is not None and read[0].text is not None else None


def _string_builder(showing: Showing, value: Value) -> str | None:
    """The chunks are linked from the last to the first."""
    program, chunk, text = showing.program, value, ""
    for _ in range(_MOST_CHUNKS):
        read = read_known(program, chunk, ("m_ChunkChars", "m_ChunkLength", "m_ChunkOffset", "m_ChunkPrevious"))
        if read is None or not is_array(read[0]) or read[0].handle is None:
            return None
        length, offset = integer(read[1]), integer(read[2])
        if length is None or offset is None or not 0 <= length <= read[0].length:
            return None
        if offset < showing.most_text:
            units = program.debuggee.elements(read[0].handle, 0, min(length, showing.most_text - offset))
            if any(unit.element_type is not ElementType.CHAR for unit in units):
                return None
            text = b"".join(unit.raw[:2] for unit in units).decode("utf-16-le", "surrogatepass") + text
        if read[3].is_null:
            return f"{{{text}{'…' if _length(program, value) > showing.most_text else ''}}}"
        chunk = read[3]
    return None


def _length(program: Program, builder: Value) -> int:
    read = read_known(program, builder, ("m_ChunkLength", "m_ChunkOffset"))
    return sum(integer(one) or 0 for one in read) if read is not None else 0


_STATES = (
    (0x0020_0000, "Faulted"),
    (0x0040_0000, "Canceled"),
    (0x0100_0000, "RanToCompletion"),
    (0x0080_0000, "WaitingForChildrenToComplete"),
    (0x0002_0000, "Running"),
    (0x0001_0000, "WaitingToRun"),
    (0x0200_0000, "WaitingForActivation"),
)
"""Bits of Task.m_stateFlags, in the order in which Task.Status asks for them."""


def task_text(showing: Showing, value: Value) -> str | None:
    """`Status = RanToCompletion, Result = 42`; `Status = Faulted, Exception = {…}`."""
    read = read_known(showing.program, value, ("m_stateFlags",))
    flags = integer(read[0]) if read is not None else None
    if flags is None:
        return None
    status = next((name for bit, name in _STATES if flags & bit), "Created")
    text = f"Status = {status}"
    if status == "RanToCompletion":
        result = read_known(showing.program, value, ("m_result",))
        if result is not None and _is_shown(showing.program, result[0]):
            text += f", Result = {showing.show(result[0])}"
    elif status == "Faulted":
        thrown = _task_exception(showing.program, value)
        text += f", Exception = {showing.show(thrown)}" if thrown is not None else ""
    return text


def _is_shown(program: Program, result: Value) -> bool:
    """A task without a result has one all the same, of a type of the framework's own."""
    name = definition_name(program, program.debuggee.type_info(result.type)) if result.type is not None else ""
    return not name.endswith("VoidTaskResult")


def _task_exception(program: Program, task: Value) -> Value | None:
    """The first exception of a faulted task."""
    value = task
    for names in ("m_contingentProperties", "m_exceptionsHolder", "m_faultExceptions", "_items"):
        read = read_known(program, value, (names,))
        if read is None or read[0].is_null:
            return None
        value = read[0]
    if not is_array(value) or value.handle is None or not value.length:
        return None
    read = read_known(program, program.debuggee.elements(value.handle, 0, 1)[0], ("_exception",))
    return read[0] if read is not None and not read[0].is_null else None


def _value_task(showing: Showing, value: Value) -> str | None:
    read = read_known(showing.program, value, ("_obj",))
    if read is None:
        return None
    if not read[0].is_null:
        is_task = find_field(showing.program, read[0].type, "m_stateFlags") is not None
        return task_text(showing, read[0]) if is_task else None
    result = read_known(showing.program, value, ("_result",))
    return "Status = RanToCompletion" + (f", Result = {showing.show(result[0])}" if result is not None else "")


def _lazy(showing: Showing, value: Value) -> str | None:
    read = read_known(showing.program, value, ("_state", "_value"))
    if read is None or not read[0].is_null:
        return None
    return f"Value = {showing.show(read[1])}"


def exception_text(showing: Showing, value: Value) -> str | None:
    """`{System.InvalidOperationException: message}`, the head of what ToString writes."""
    if find_known_field(showing.program, value.type, "_message") is None:
        return None
    try:
        found = exceptions.describe(showing.program, value, with_inner=False, ask=showing.message)
    except DapDotnetError:
        return None
    return f"{{{found.type_name}: {found.message}}}" if found.message else f"{{{found.type_name}}}"


def _json(showing: Showing, value: Value) -> str | None:
    return json_documents.json_text(showing.program, value)


def _json_property(showing: Showing, value: Value) -> str | None:
    """`"name": "value"`."""
    read = read_known(showing.program, value, ("<Value>k__BackingField",))
    name = json_documents.name_of(showing.program, read[0]) if read is not None else None
    return f"{primitives.quote(name)}: {showing.show(read[0])}" if read is not None and name is not None else None


def json_value(showing: Showing, value: Value) -> str | None:
    """A JsonValue: what it holds."""
    read = read_known(showing.program, value, ("Value|_value",))
    return showing.show(read[0]) if read is not None else None


_KNOWN: dict[str, Callable[[Showing, Value], str | None]] = {
    "System.Collections.Generic.KeyValuePair`2": _pair,
    "System.Collections.DictionaryEntry": _pair,
    "System.DateTimeOffset": _date_time_offset,
    "System.Numerics.BigInteger": _big_integer,
    "System.Version": _version,
    "System.Uri": _uri,
    "System.Globalization.CultureInfo": _culture,
    "System.Text.StringBuilder": _string_builder,
    "System.Threading.Tasks.ValueTask": _value_task,
    "System.Threading.Tasks.ValueTask`1": _value_task,
    "System.Lazy`1": _lazy,
    type_objects.CLASS: _type,
    json_documents.DOCUMENT: _json,
    json_documents.ELEMENT: _json,
    "System.Text.Json.JsonProperty": _json_property,
}
