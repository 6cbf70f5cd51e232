"""Values by their addresses, for places that the runtime's debugging interface has no values for.

Those are elements of spans, and fields of enums that the runtime has not loaded: it lays out a class with the integer
that an enum nested in a generic type is, and loads the enum when code uses it.

An address is true only in the generation in which it was read: when the process runs, the garbage collector moves
objects. Whoever keeps such values reads them again from the span.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from msgspec import structs

from dap_dotnet.errors import DapDotnetError, RuntimeCallError
from dap_dotnet.runtime.model import (
    NOT_LOADED,
    TEXT_LIMIT,
    ElementType,
    FieldLayout,
    FieldRef,
    FieldToken,
    TypeId,
    TypeLayout,
    Value,
)
from dap_dotnet.symbols.metadata_names import find_definition
from dap_dotnet.values.context import Program
from dap_dotnet.values.enums import underlying_type
from dap_dotnet.values.made_values import MadeValue
from dap_dotnet.values.primitives import SIZES
from dap_dotnet.values.type_sizes import value_size

_POINTER = 8
_LARGEST_RAW = 16
_POINTERS = (ElementType.PTR, ElementType.FNPTR)
_DEEPEST = 16
_REFERENCES = (ElementType.CLASS, ElementType.OBJECT, ElementType.STRING, ElementType.SZARRAY, ElementType.ARRAY)


def read_refs(
    program: Program, owner: Value, wanted: Sequence[FieldRef], *, text_limit: int = TEXT_LIMIT
) -> list[Value]:
    """Instance fields of a value that has a handle, in the order wanted; one bulk call."""
    assert owner.handle is not None
    values = program.debuggee.fields(owner.handle, wanted, text_limit=text_limit)
    for position, value in enumerate(values):
        if value.error == NOT_LOADED:
            values[position] = _not_loaded(program, owner, wanted[position]) or value
    return values


def _not_loaded(program: Program, owner: Value, ref: FieldRef) -> Value | None:
    """The value of a field of an enum that the runtime has not loaded; None where it cannot be read."""
    debuggee = program.debuggee
    kind = program.field_type(program, ref.type, ref.field) if program.field_type is not None else None
    if kind is None or not owner.address:
        return None
    start = owner.address + (_POINTER if owner.is_boxed else 0)
    try:
        place = next(one for one in _layout(program, ref.type).fields if one.field == ref.field)
        address = start + place.offset
        enum = _enum_at(program, kind, debuggee.read_memory(address, _POINTER), address)
    except (RuntimeCallError, StopIteration):
        return None
    return enum


def _layout(program: Program, kind: TypeId) -> TypeLayout:
    """The layout of a type of which there is a value; perhaps only the one that it shares code with is loaded.

    Raises `RuntimeCallError`.
    """
    try:
        return program.debuggee.type_layout(kind)
    except RuntimeCallError:
        shared = _shared(program, kind, is_argument=False)
        if shared == kind:
            raise
        return program.debuggee.type_layout(shared)


def _shared(program: Program, kind: TypeId, *, is_argument: bool = True) -> TypeId:
    """A type with the runtime's stand-in for all reference types in the place of those among its arguments."""
    info = program.debuggee.type_info(kind)
    if is_argument and info.element_type in _REFERENCES:
        stand_in = find_definition(program.modules, "System.__Canon")
        return program.debuggee.make_type(*stand_in) if stand_in is not None else kind
    if info.module is None or info.token is None or not info.arguments:
        return kind
    return program.debuggee.make_type(info.module, info.token, [_shared(program, one) for one in info.arguments])


def _enum_at(program: Program, kind: TypeId, raw: bytes, address: int) -> Value | None:
    """The value of an enum, which is loaded or not, that `raw` begins with; None for other types."""
    underlying = underlying_type(program, program.debuggee.type_info(kind))
    if underlying is None:
        return None
    return Value(None, kind, ElementType.VALUETYPE, raw=raw[: SIZES[underlying]], address=address)


def size_at(program: Program, kind: TypeId) -> int | None:
    """How many bytes an element of a type takes; None where the runtime does not tell."""
    code = program.debuggee.type_info(kind).element_type
    if code is not ElementType.VALUETYPE:
        return SIZES.get(code, _POINTER)
    try:
        return value_size(program, kind, program.debuggee.type_layout(kind))
    except DapDotnetError:
        return None


def value_in(program: Program, raw: bytes, address: int, kind: TypeId, depth: int = 0) -> Value:
    """The value of a type whose bytes are `raw`, read at `address` (0: not known). Raises as the debuggee."""
    code = program.debuggee.type_info(kind).element_type
    if code in SIZES or code in _POINTERS:
        return Value(None, kind, code, raw=raw, address=address)
    if code is not ElementType.VALUETYPE:
        return object_at(program, raw, kind, code)
    parts: dict[FieldToken, Value] = {}
    for place in program.debuggee.type_layout(kind).fields if depth < _DEEPEST else ():
        parts[place.field] = _field(program, kind, place, raw[place.offset :], depth)
    # Whoever has bytes may store them: references would then be stored behind the garbage collector's back.
    shown = raw if len(raw) <= _LARGEST_RAW and not any(map(has_references, parts.values())) else b""
    return MadeValue(None, kind, ElementType.VALUETYPE, raw=shown, address=address, parts=parts)


def object_at(program: Program, raw: bytes, kind: TypeId | None, code: ElementType) -> Value:
    """The object that a reference of a declared type refers to, whose eight bytes are `raw`. Raises as the debuggee."""
    (address,) = struct.unpack("<Q", raw[:_POINTER])
    if not address:
        return Value(None, kind, code, is_null=True, is_reference=True)
    return structs.replace(program.debuggee.heap_object(address), is_reference=True)


def _field(program: Program, owner: TypeId, place: FieldLayout, raw: bytes, depth: int) -> Value:
    """A field whose bytes `raw` begins with, by its declared type: the layout says neither enums nor modules."""
    code = place.element_type
    kind = program.field_type(program, owner, place.field) if program.field_type is not None else None
    if code in SIZES:
        enum = _enum_at(program, kind, raw, 0) if kind is not None else None
        return enum or Value(None, None, code, raw=raw[: SIZES[code]])
    size = size_at(program, kind) if kind is not None else None
    if kind is None or size is None:
        return Value(None, None, code, error="the type of this field is not known here")
    return value_in(program, raw[:size], 0, kind, depth + 1)


def has_references(part: Value) -> bool:
    """Whether a value is a reference or has one, or is not known well enough to say that it has none."""
    inner = part.parts.values() if part.parts is not None else ()
    return part.is_reference or part.error is not None or any(map(has_references, inner))
