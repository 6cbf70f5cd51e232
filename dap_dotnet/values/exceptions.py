"""Exception objects: type, message and inner exceptions by field reads, without any call into the program."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import MethodToken, ThreadId, TypeId, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.tight_loops import has_tight_loop
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, integer, is_array, read_known
from dap_dotnet.values.lineage import lineage, overrides
from dap_dotnet.values.members import find_field, read_fields
from dap_dotnet.values.typenames import full_name, type_name

MAX_INNER = 16
Ask = Callable[[Value], "str | None"]
"""Gives what the Message of an exception says that cannot be read, where that is known."""
_AGGREGATE = "System.AggregateException"


class ExceptionDescription(Struct, frozen=True):
    """An exception. `message` is what Exception.Message says, as far as it can be read; empty where it cannot."""

    value: Value
    type_name: str
    message: str
    is_message_known: bool
    """Whether it could be read; of an AggregateException, whether those inside could."""
    inner: tuple[ExceptionDescription, ...]
    """The inner exception, or those that an AggregateException has, at most 16; each object only once on the way."""
    inner_count: int
    """How many there are, those included that are not in `inner`."""
    is_aggregate: bool
    hresult: int
    """Unsigned, 32 bits; 0 when it cannot be read."""


def unknown_message(_: Value) -> None:
    """An `Ask` that knows none."""


def current(
    program: Program, thread: ThreadId, *, with_inner: bool = True, ask: Ask = unknown_message
) -> ExceptionDescription | None:
    """The exception being raised on a thread, as `describe` has it; None when there is none."""
    value = program.debuggee.current_exception(thread)
    if value is None or value.is_null:
        return None
    return describe(program, value, with_inner=with_inner, ask=ask)


def describe(
    program: Program,
    value: Value,
    *,
    with_inner: bool = True,
    around: tuple[int, ...] = (),
    ask: Ask = unknown_message,
) -> ExceptionDescription:
    """Read an exception object with its inner ones. `around`: the addresses of those that it is inside of.

    `ask` is asked for the messages that only running the program tells.
    """
    around = (*around, value.address)
    names = ("_message", "_innerException", "_HResult")
    found = [field for field in (find_field(program, value.type, name) for name in names) if field is not None]
    read = {field.field.name: fetched for field, fetched in read_fields(program, value, found)}
    message, single = read.get("_message"), read.get("_innerException")
    several, count = _aggregated(program, value)
    inner = [one for one in (several or ([single] if single else [])) if not one.is_null and one.error is None]
    count = count or len(inner)
    inner = [one for one in inner if one.address not in around] if with_inner and len(around) <= MAX_INNER else []
    text = _message(program, value, message, (several or [], count), around=around, ask=ask)
    hresult = read.get("_HResult")
    return ExceptionDescription(
        value=value,
        type_name=type_name(program, value.type),
        message=text or "",
        is_message_known=text is not None,
        inner=tuple(describe(program, one, around=around, ask=ask) for one in inner),
        inner_count=count,
        is_aggregate=several is not None,
        hresult=int.from_bytes(hresult.raw, "little") if hresult is not None else 0,
    )


def _aggregated(program: Program, value: Value) -> tuple[list[Value] | None, int]:
    """(the exceptions of an AggregateException, at most 16; None for others, how many it has)."""
    declaring = _declaring(program, value.type, _AGGREGATE)
    if declaring is None:
        return None, 0
    read = read_known(program, value, ("_innerExceptions|m_innerExceptions",))
    if read is None or read[0].is_null:
        return [], 0
    if is_array(read[0]) and read[0].handle is not None:
        length = read[0].length
        return program.debuggee.elements(read[0].handle, 0, min(length, MAX_INNER)), length
    from dap_dotnet.values.collections.known import known_collection  # much that no stop waits for

    collection = known_collection(program, read[0])  # before .NET 8
    if collection is None:
        return [], 0
    return [item.value for item in collection.page(0, MAX_INNER)], collection.count


def data_of(program: Program, value: Value) -> tuple[list[tuple[Value, Value]], int]:
    """(the pairs in Exception.Data, at most 16, how many it has); none where the program has not used it."""
    from dap_dotnet.values.collections.known import known_collection

    read = read_known(program, value, ("_data",))
    collection = known_collection(program, read[0]) if read is not None and not read[0].is_null else None
    items = collection.page(0, MAX_INNER) if collection is not None else []
    count = collection.count if collection is not None else 0
    return [(item.key, item.value) for item in items if item.key is not None], count


def is_exception(program: Program, type_id: TypeId | None) -> bool:
    """Whether a type is System.Exception or derives from it."""
    return _declaring(program, type_id, "System.Exception") is not None


def _message(
    program: Program,
    value: Value,
    message: Value | None,
    aggregated: tuple[list[Value], int],
    *,
    around: tuple[int, ...],
    ask: Ask,
) -> str | None:
    """What Message says: by the field of Exception and what the framework's classes add to it.

    Where another class overrides it, it is interpreted, which only reads, or asked for; None: it cannot be had so.
    """
    if message is None or message.error is not None:
        return None
    is_generic = value.type is not None and bool(program.debuggee.type_info(value.type).arguments)
    override = _override_of_message(program, value)
    if override is not None or (message.is_null and is_generic):
        try:
            found = program.expressions.value(program, value, "this.Message") if program.expressions else None
        except DapDotnetError:
            found = None
        if found is None and override is not None and has_tight_loop(*override):
            return None  # nobody has asked for it to run: a stop must not be lost to it
        return found.text or "" if found is not None else ask(value)
    text = shown_text(message)
    if message.is_null and value.type is not None:
        text = f"Exception of type '{full_name(program, program.debuggee.type_info(value.type))}' was thrown."
    for declaring, field_name, added in _ADDED:
        text += _addition(program, value, declaring, field_name, added)
    actual = _actual_value(program, value)
    if actual is not None:
        text += f"\nActual value was {actual}."
    inside, count = aggregated
    if inside and len(around) <= MAX_INNER:
        found_inside = [describe(program, one, with_inner=False, around=around, ask=ask) for one in inside]
        text += "".join(f" ({one.message if one.is_message_known else f'<{one.type_name}>'})" for one in found_inside)
        text += f" (… {count - len(inside)} more)" if count > len(inside) else ""
    return text


def shown_text(value: Value) -> str:
    """A string as a message shows it: what is cut says so."""
    text = value.text or ""
    return text + "…" if len(text.encode("utf-16-le", "surrogatepass")) // 2 < value.length else text


def _override_of_message(program: Program, value: Value) -> tuple[LoadedModule, MethodToken] | None:
    """The getter of Message that a class has for itself; None where what it says is put together here."""
    for _, info in lineage(program, value.type):
        if definition_name(program, info) in _UNDERSTOOD:
            return None
        module = program.modules.get(info.module)
        if module is not None and info.token is not None and module.metadata is not None:
            for method in module.metadata.methods_of(info.token):
                if method.name == "get_Message" and overrides(program, info, method.name):  # F# writes no property
                    return module, MethodToken(method.token)
    return None


def _declaring(program: Program, type_id: TypeId | None, name: str) -> TypeId | None:
    """The type itself or the base that has the full name."""
    while type_id is not None:
        info = program.debuggee.type_info(type_id)
        if definition_name(program, info) == name:
            return type_id
        type_id = info.base
    return None


_UNDERSTOOD = frozenset({
    "System.Exception", "System.ArgumentException", "System.ArgumentOutOfRangeException",
    "System.ObjectDisposedException", _AGGREGATE,
})  # fmt: skip
"""Classes whose Message is put together here."""
_ADDED = (
    ("System.ArgumentException", "_paramName", " (Parameter '{}')"),
    ("System.ObjectDisposedException", "_objectName", "\nObject name: '{}'."),
)
"""What Message of a class adds to the text that the constructor got, when a field of it has a text."""


def _actual_value(program: Program, value: Value) -> str | None:
    """What an ArgumentOutOfRangeException adds: the text of an integer or a string; None for others."""
    if _declaring(program, value.type, "System.ArgumentOutOfRangeException") is None:
        return None
    read = read_known(program, value, ("_actualValue",))
    if read is None or read[0].is_null:
        return None
    number = integer(read[0])
    return str(number) if number is not None else read[0].text


def _addition(program: Program, value: Value, declaring: str, field_name: str, added: str) -> str:
    """Only fields of the class itself count: a derived one may have one of the same name for another purpose."""
    found = find_field(program, value.type, field_name)
    if found is None or definition_name(program, program.debuggee.type_info(found.type)) != declaring:
        return ""
    read = read_fields(program, value, [found])
    text = read[0][1].text if read else None
    return added.format(text) if text else ""
