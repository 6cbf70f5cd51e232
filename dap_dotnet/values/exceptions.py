"""Exception objects: type, message and inner exceptions by field reads, without any call into the program."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ThreadId, TypeId, Value
from dap_dotnet.values.collections.known import known_collection
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, is_array, read_known
from dap_dotnet.values.members import find_field, hierarchy, read_fields
from dap_dotnet.values.typenames import full_name, type_name

_MAX_INNER = 16
_AGGREGATE = "System.AggregateException"


class ExceptionDescription(Struct, frozen=True):
    """An exception. `message` is what Exception.Message says, as far as it can be read; empty where it cannot."""

    value: Value
    type_name: str
    message: str
    inner: tuple[ExceptionDescription, ...]
    """The inner exception, or all that an AggregateException has, at most 16."""
    is_aggregate: bool
    hresult: int
    """Unsigned, 32 bits; 0 when it cannot be read."""
    source: str | None
    """Exception.Source where the program has set it or asked for it; None otherwise."""


def current(program: Program, thread: ThreadId) -> ExceptionDescription | None:
    """The exception being raised on a thread; None when there is none."""
    value = program.debuggee.current_exception(thread)
    return describe(program, value) if value is not None and not value.is_null else None


def describe(program: Program, value: Value, depth: int = 0, *, with_inner: bool = True) -> ExceptionDescription:
    """Read an exception object with its inner ones."""
    names = ("_message", "_innerException", "_HResult", "_source")
    found = [field for field in (find_field(program, value.type, name) for name in names) if field is not None]
    read = {field.field.name: fetched for field, fetched in read_fields(program, value, found)}
    message, single = read.get("_message"), read.get("_innerException")
    several = _aggregated(program, value)
    inner: list[Value] = []
    if with_inner and depth < _MAX_INNER:
        inner = [one for one in (several or ([single] if single else [])) if not one.is_null and one.error is None]
    hresult, source = read.get("_HResult"), read.get("_source")
    return ExceptionDescription(
        value=value,
        type_name=type_name(program, value.type),
        message=_message(program, value, message, several or [], depth),
        inner=tuple(describe(program, one, depth + 1) for one in inner),
        is_aggregate=several is not None,
        hresult=int.from_bytes(hresult.raw, "little") if hresult is not None else 0,
        source=source.text if source is not None else None,
    )


def _aggregated(program: Program, value: Value) -> list[Value] | None:
    """The exceptions of an AggregateException, at most 16; None for others."""
    declaring = _declaring(program, value.type, _AGGREGATE)
    if declaring is None:
        return None
    read = read_known(program, value, ("_innerExceptions|m_innerExceptions",))
    if read is None or read[0].is_null:
        return []
    if is_array(read[0]) and read[0].handle is not None:
        return program.debuggee.elements(read[0].handle, 0, min(read[0].length, _MAX_INNER))
    collection = known_collection(program, read[0])  # before .NET 8
    return [item.value for item in collection.page(0, _MAX_INNER)] if collection is not None else []


def data_of(program: Program, value: Value) -> list[tuple[Value, Value]]:
    """The pairs in Exception.Data, at most 16; none where the program has not used it."""
    read = read_known(program, value, ("_data",))
    collection = known_collection(program, read[0]) if read is not None and not read[0].is_null else None
    items = collection.page(0, _MAX_INNER) if collection is not None else []
    return [(item.key, item.value) for item in items if item.key is not None]


def is_exception(program: Program, type_id: TypeId | None) -> bool:
    """Whether a type is System.Exception or derives from it."""
    return _declaring(program, type_id, "System.Exception") is not None


def _message(program: Program, value: Value, message: Value | None, aggregated: list[Value], depth: int) -> str:
    """What Message says: by the field of Exception and what the framework's classes add to it.

    Where a class of the user's overrides it, it is interpreted, which only reads; what cannot be had so stays empty.
    """
    if message is None or message.error is not None:
        return ""
    if _overrides_message(program, value):
        try:
            found = program.expressions.value(program, value, "this.Message") if program.expressions else None
        except DapDotnetError:
            found = None
        return found.text or "" if found is not None else ""
    text = message.text or ""
    if message.is_null and value.type is not None:
        text = f"Exception of type '{full_name(program, program.debuggee.type_info(value.type))}' was thrown."
    for declaring, field_name, added in _ADDED:
        text += _addition(program, value, declaring, field_name, added)
    if aggregated and depth < _MAX_INNER:
        texts = [describe(program, one, depth + 1, with_inner=False).message for one in aggregated]
        text += "".join(f" ({one})" for one in texts)
    return text


def _overrides_message(program: Program, value: Value) -> bool:
    for declaring, declared in hierarchy(program, value.type):
        if any(one.name == "Message" for one in declared.properties):
            module = program.modules.get(program.debuggee.type_info(declaring).module)
            return module is not None and module.is_user_code
    return False


def _declaring(program: Program, type_id: TypeId | None, name: str) -> TypeId | None:
    """The type itself or the base that has the full name."""
    while type_id is not None:
        info = program.debuggee.type_info(type_id)
        if definition_name(program, info) == name:
            return type_id
        type_id = info.base
    return None


_ADDED = (
    ("System.ArgumentException", "_paramName", " (Parameter '{}')"),
    ("System.ObjectDisposedException", "_objectName", "\nObject name: '{}'."),
)
"""What Message of a class adds to the text that the constructor got, when a field of it has a text."""


def _addition(program: Program, value: Value, declaring: str, field_name: str, added: str) -> str:
    """Only fields of the class itself count: a derived one may have one of the same name for another purpose."""
    found = find_field(program, value.type, field_name)
    if found is None or definition_name(program, program.debuggee.type_info(found.type)) != declaring:
        return ""
    read = read_fields(program, value, [found])
    text = read[0][1].text if read else None
    return added.format(text) if text else ""
