"""How many bytes the values of a type take where they stand.

The runtime tells the size of an object, which is rounded up to eight bytes, and where each field is. The size of a
value type follows from those as the runtime computes it, and is left unknown wherever it need not be so.
"""

from __future__ import annotations

from msgspec import Struct, structs

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.model import ElementType, FieldLayout, TypeId, TypeLayout
from dap_dotnet.values.context import Program
from dap_dotnet.values.inline_arrays import inline_length
from dap_dotnet.values.primitives import SIZES
from portablepdb.flags import TypeAttributes

_POINTERS = {ElementType.PTR, ElementType.FNPTR, ElementType.BYREF}
_POINTER = 8
_AROUND = 2 * _POINTER
"""Header and method table of an object."""
_DEEPEST = 32


class _Shape(Struct, frozen=True):
    """Of a value where it stands. None: not known."""

    size: int | None
    alignment: int
    has_references: bool


_UNKNOWN = _Shape(None, 1, has_references=False)


def field_size(program: Program, place: FieldLayout) -> int | None:
    """The bytes that a field takes; None when that is not known."""
    return _of_field(program, place, 0).size


def value_size(program: Program, type_id: TypeId, layout: TypeLayout) -> int | None:
    """The bytes of a value of a type where it stands: a reference, a number, a structure. None when not known."""
    code = program.debuggee.type_info(type_id).element_type
    if code is ElementType.VALUETYPE:
        return _of_value_type(program, type_id, layout, 0).size
    return SIZES.get(code, _POINTER)


def _of_field(program: Program, place: FieldLayout, depth: int) -> _Shape:
    code = place.element_type
    if code is not ElementType.VALUETYPE:
        size = SIZES.get(code, _POINTER)
        return _Shape(size, size, has_references=code not in SIZES.keys() | _POINTERS)
    if place.type is None or depth > _DEEPEST:
        return _UNKNOWN
    try:
        layout = program.debuggee.type_layout(place.type)
    except RuntimeCallError:
        return _UNKNOWN
    return _of_value_type(program, place.type, layout, depth + 1)


def _as_declared(program: Program, owner: TypeId, place: FieldLayout) -> FieldLayout:
    """With the type of the metadata, where the runtime says of which generic structure a field is without its module.

    Its layout cannot be asked for: see `CordebugValues.type_layout`.
    """
    info = program.debuggee.type_info(place.type) if place.type is not None else None
    if info is None or info.module is not None or not info.arguments or program.field_type is None:
        return place
    return structs.replace(place, type=program.field_type(program, owner, place.field))


def _of_value_type(program: Program, type_id: TypeId, layout: TypeLayout, depth: int) -> _Shape:
    if layout.object_size is None:
        return _UNKNOWN
    room = layout.object_size - _AROUND
    shapes = [_of_field(program, _as_declared(program, type_id, place), depth) for place in layout.fields]
    if any(shape.has_references for shape in shapes):
        return _Shape(room, _POINTER, has_references=True)
    ends = [
        place.offset + shape.size for place, shape in zip(layout.fields, shapes, strict=True) if shape.size is not None
    ]
    if len(ends) < len(shapes):
        return _UNKNOWN
    end = max(ends, default=1)
    alignment = max((shape.alignment for shape in shapes), default=1)
    info = program.debuggee.type_info(type_id)
    module = program.modules.get(info.module)
    # Up to .NET 9 the runtime does not say of which module the type of a field is. What fills its room has its size.
    if end == room or module is None or module.metadata is None or info.token is None:
        return _Shape(room if end == room else None, alignment, has_references=False)
    definition = module.metadata.type_def(info.token)
    packing, declared = definition.layout or (0, 0)
    alignment = min(alignment, packing or _POINTER)
    is_explicit = bool(definition.flags & TypeAttributes.EXPLICIT_LAYOUT)
    if is_explicit and not declared:
        return _UNKNOWN
    size = max(declared, end if is_explicit else -(-end // alignment) * alignment)
    size = end * inline_length(module, info.token) or size
    is_likely = room - _POINTER < size <= room
    return _Shape(size if is_likely else None, alignment, has_references=False)
