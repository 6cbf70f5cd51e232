"""Where a value's data are in the program's memory, as clients name it: a memory reference."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name
from dap_dotnet.values.members import read_field

_VECTOR_DATA = 16
"""From an array's address to its first element: the method table, and the length in a word of its own."""
_DIMENSION = 8
"""More for each dimension of other arrays: a length and a lower bound."""
_STRING_DATA = 12
"""From a string's address to its first character."""
_SPANS = frozenset({"System.Span`1", "System.ReadOnlySpan`1"})


def data_address(program: Program, value: Value) -> int | None:
    """The address of what a value consists of; None where it is in no memory: null, in a register, computed.

    That is the first element of an array or span, the first character of a string, what a pointer points to, an object
    with its method table, and of other values the value itself. Objects move when the program runs.
    """
    if value.error is not None or value.is_null:
        return None
    kind = value.element_type
    if kind in (ElementType.PTR, ElementType.FNPTR):
        return int.from_bytes(value.raw, "little") or None
    if not value.address:
        return None
    if kind is ElementType.STRING:
        return value.address + _STRING_DATA
    if kind is ElementType.SZARRAY:
        return value.address + _VECTOR_DATA
    if kind is ElementType.ARRAY and value.type is not None:
        return value.address + _VECTOR_DATA + _DIMENSION * program.debuggee.type_info(value.type).rank
    return _span_data(program, value) if _is_span(program, value) else value.address


def _is_span(program: Program, value: Value) -> bool:
    if value.element_type not in (ElementType.VALUETYPE, ElementType.GENERICINST) or value.type is None:
        return False
    return definition_name(program, program.debuggee.type_info(value.type)) in _SPANS


def _span_data(program: Program, value: Value) -> int | None:
    """By the field that is a byref since .NET 7; before, a structure of the runtime's own hid it."""
    try:
        first = read_field(program, value, "_reference")
    except DapDotnetError:
        return None
    return (first.address or None) if first is not None and first.error is None else None


def memory_reference(program: Program, value: Value) -> str | None:
    """The address as clients take it; None where there is none."""
    address = data_address(program, value)
    return as_reference(address) if address else None


def as_reference(address: int) -> str:
    """An address as clients take it."""
    return f"0x{address:016x}"
