"""Values by their addresses, for places that the runtime's debugging interface has no values for: elements of spans.

An address is true only in the generation in which it was read: when the process runs, the garbage collector moves
objects. Whoever keeps such values reads them again from the span.
"""

from __future__ import annotations

import struct

from msgspec import structs

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, FieldLayout, FieldToken, TypeId, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.made_values import MadeValue
from dap_dotnet.values.primitives import SIZES
from dap_dotnet.values.type_sizes import value_size
from dap_dotnet.values.typenames import full_name

_POINTER = 8
_LARGEST_RAW = 16
_POINTERS = (ElementType.PTR, ElementType.FNPTR)
_DEEPEST = 16


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
    expressions = program.expressions
    kind = expressions.field_type(program, owner, place.field) if expressions is not None else None
    if code in SIZES and not (kind is not None and _is_enum(program, kind)):
        return Value(None, None, code, raw=raw[: SIZES[code]])
    size = size_at(program, kind) if kind is not None else None
    if kind is None or size is None:
        return Value(None, None, code, error="the type of this field is not known here")
    return value_in(program, raw[:size], 0, kind, depth + 1)


def _is_enum(program: Program, kind: TypeId) -> bool:
    base = program.debuggee.type_info(kind).base
    return base is not None and full_name(program, program.debuggee.type_info(base)) == "System.Enum"


def has_references(part: Value) -> bool:
    """Whether a value is a reference or has one, or is not known well enough to say that it has none."""
    inner = part.parts.values() if isinstance(part, MadeValue) else ()
    return part.is_reference or part.error is not None or any(map(has_references, inner))
