"""Layouts of types, a request of our own."""

from __future__ import annotations

from dap_dotnet.protocol.messages.base import WireModel


class TypeLayoutArguments(WireModel):
    """Of `dap-dotnet/typeLayout`: a type's name or an expression, in the scope of a frame (None: where it stopped)."""

    expression: str
    frame_id: int | None = None


class FieldPlace(WireModel):
    """A field. `offset` and `size` are in bytes, as `TypeLayoutResponseBody` counts; `size` None: not known."""

    name: str
    type: str
    offset: int
    size: int | None = None
    declared_by: str


class TypeLayoutResponseBody(WireModel):
    """Where the fields of a type are, its bases' included, by their offsets.

    Offsets count from an object's address, where its method table is, or from the first byte of a value type.
    """

    type: str
    is_value_type: bool
    object_size: int | None = None
    """Bytes of an object on the heap, with header and method table, boxed for a value type; None for arrays."""
    value_size: int | None = None
    """Bytes of a value where it stands: of a value type, or of a reference; None: not known."""
    fields: list[FieldPlace]
    first_element_offset: int | None = None
    """Of an array."""
    element_size: int | None = None
