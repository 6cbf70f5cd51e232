"""Exception objects: type, message and inner exceptions by field reads, without any call into the program."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.runtime.model import ThreadId, TypeId, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name
from dap_dotnet.values.members import find_field, read_fields
from dap_dotnet.values.typenames import full_name, type_name

_MAX_INNER = 16


class ExceptionDescription(Struct, frozen=True):
    """An exception. `message` is the text given to the constructor; where it got none, what Exception.Message says."""

    value: Value
    type_name: str
    message: str
    inner: ExceptionDescription | None
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
    message, inner = read.get("_message"), read.get("_innerException")
    has_inner = with_inner and inner is not None and not inner.is_null and inner.error is None and depth < _MAX_INNER
    hresult, source = read.get("_HResult"), read.get("_source")
    return ExceptionDescription(
        value=value,
        type_name=type_name(program, value.type),
        message=_message(program, value, message),
        inner=describe(program, inner, depth + 1) if inner is not None and has_inner else None,
        hresult=int.from_bytes(hresult.raw, "little") if hresult is not None else 0,
        source=source.text if source is not None else None,
    )


def is_exception(program: Program, type_id: TypeId | None) -> bool:
    """Whether a type is System.Exception or derives from it."""
    while type_id is not None:
        info = program.debuggee.type_info(type_id)
        if definition_name(program, info) == "System.Exception":
            return True
        type_id = info.base
    return False


def _message(program: Program, value: Value, message: Value | None) -> str:
    if message is None or message.error is not None:
        return ""
    if message.is_null and value.type is not None:
        name = full_name(program, program.debuggee.type_info(value.type))
        return f"Exception of type '{name}' was thrown."
    text = message.text or ""
    for declaring, field_name, added in _ADDED:
        text += _addition(program, value, declaring, field_name, added)
    return text


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
