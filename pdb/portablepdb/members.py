"""Types and their members, as lazy views of rows (ECMA-335 II.22)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import signatures as sig
from .handles import TableNumber, Token, make_token, row_of

if TYPE_CHECKING:
    from .custom_attributes import CustomAttribute
    from .il import MethodBody
    from .metadata_index import MetadataIndex

T = TableNumber

_STATIC, _LITERAL = 0x10, 0x40
_GETTER, _SETTER, _OTHER, _ADD, _REMOVE, _RAISE = 0x2, 0x1, 0x4, 0x8, 0x10, 0x20
_INTERFACE, _ABSTRACT = 0x20, 0x80


class ConstantField(NamedTuple):
    """A Constant row: its element type code and the bytes of its value."""

    type_code: int
    raw: bytes

    @property
    def value(self) -> Any:
        """The value in Python's terms; None for a null reference."""
        from .constants import decode_field_constant

        return decode_field_constant(self.type_code, self.raw)


class Member:
    """What all members have: token, name, flags. Equal when of one Metadata and of one token."""

    __slots__ = ("_metadata", "_row", "token")

    def __init__(self, metadata: MetadataIndex, token: int, row: Any) -> None:
        self._metadata = metadata
        self._row = row
        self.token = Token(token)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} 0x{self.token:08x} {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Member) and self.token == other.token and self._metadata is other._metadata

    def __hash__(self) -> int:
        return hash((id(self._metadata), self.token))

    @property
    def row(self) -> Any:
        """The typed row of the table."""
        return self._row

    @property
    def name(self) -> str:
        """The name as in the heap (with `` `1 `` for generics)."""
        return self._metadata.image.strings[self._row.name]

    @property
    def flags(self) -> int:
        """The Flags column (II.23.1)."""
        flags: int = self._row.flags
        return flags

    @property
    def attributes(self) -> list[CustomAttribute]:
        """The custom attributes on it."""
        return attributes_of(self._metadata, self.token)


class Field(Member):
    """A field (II.22.15)."""

    __slots__ = ()

    @property
    def is_static(self) -> bool:
        """Whether it is static."""
        return bool(self.flags & _STATIC)

    @property
    def is_literal(self) -> bool:
        """Whether it is a compile-time constant, without storage."""
        return bool(self.flags & _LITERAL)

    @property
    def signature(self) -> sig.TypeSignature:
        """The type of the field."""
        return sig.decode_field(self._metadata.signature_blob(self._row.signature))

    @property
    def constant(self) -> ConstantField | None:
        """The constant value; None if there is none."""
        return constant_of(self._metadata, self.token)

    @property
    def marshalling(self) -> bytes | None:
        """The marshalling descriptor's blob (II.23.4), not decoded; None if it has none."""
        return self._metadata.marshalling_of(self.token)

    @property
    def offset(self) -> int | None:
        """The offset in bytes in a type with explicit layout; None elsewhere."""
        table = self._metadata.image.table(T.FIELD_LAYOUT)
        return next((table.row(row).offset for row in table.rows_with("field", row_of(self.token))), None)

    @property
    def rva(self) -> int | None:
        """Where the image has the initial data of the field; None if it has none."""
        table = self._metadata.image.table(T.FIELD_RVA)
        return next((table.row(row).rva for row in table.rows_with("field", row_of(self.token))), None)

    @property
    def declaring_type(self) -> Token:
        """The TypeDef that has the field."""
        return self._metadata.declaring_type(self.token)


class Parameter(Member):
    """A Param row (II.22.33): ``sequence`` is 0 for the return value, 1 for the first parameter."""

    __slots__ = ()

    @property
    def sequence(self) -> int:
        """Which parameter, from 1; 0 is the return value."""
        return int(self._row.sequence)

    @property
    def constant(self) -> ConstantField | None:
        """The default value; None if there is none."""
        return constant_of(self._metadata, self.token)

    @property
    def marshalling(self) -> bytes | None:
        """The marshalling descriptor's blob (II.23.4), not decoded; None if it has none."""
        return self._metadata.marshalling_of(self.token)


class Method(Member):
    """A method (II.22.26)."""

    __slots__ = ()

    @property
    def is_static(self) -> bool:
        """Whether it is static."""
        return bool(self.flags & _STATIC)

    @property
    def is_abstract(self) -> bool:
        """Whether it is abstract."""
        return bool(self.flags & 0x400)

    @property
    def impl_flags(self) -> int:
        """The ImplFlags column (II.23.1.11)."""
        return int(self._row.impl_flags)

    @property
    def rva(self) -> int:
        """Where the body is in the image; 0: none."""
        return int(self._row.rva)

    @property
    def signature(self) -> sig.MethodSignature:
        """The signature."""
        return sig.decode_method(self._metadata.signature_blob(self._row.signature))

    @property
    def declaring_type(self) -> Token:
        """The TypeDef that has the method."""
        return self._metadata.declaring_type(self.token)

    @property
    def parameter_rows(self) -> list[Parameter]:
        """The Param rows in order: the return value (sequence 0) if it has a row, unnamed ones may be missing."""
        return parameters_of(self._metadata, self.token)

    @property
    def parameters(self) -> dict[int, str]:
        """Names of the parameters by sequence, from 1."""
        return {row.sequence: row.name for row in self.parameter_rows if row.sequence}

    @property
    def generic_parameters(self) -> list[GenericParameter]:
        """The generic parameters by number."""
        return generic_parameters_of(self._metadata, self.token)

    @property
    def body(self) -> MethodBody | None:
        """The IL body; None if it has none (abstract, extern, runtime)."""
        return self._metadata.method_body(self.token)


class Property(Member):
    """A property (II.22.34)."""

    __slots__ = ()

    @property
    def signature(self) -> sig.MethodSignature:
        """The signature: its return type is the property's, its parameters an indexer's."""
        return sig.decode_method(self._metadata.signature_blob(self._row.type))

    @property
    def getter(self) -> Token | None:
        """The get method."""
        return self._metadata.accessor(self.token, _GETTER)

    @property
    def setter(self) -> Token | None:
        """The set method."""
        return self._metadata.accessor(self.token, _SETTER)

    @property
    def others(self) -> list[Token]:
        """Methods of other semantics."""
        return self._metadata.accessors(self.token, _OTHER)

    @property
    def constant(self) -> ConstantField | None:
        """The default value; None if there is none."""
        return constant_of(self._metadata, self.token)


class Event(Member):
    """An event (II.22.13)."""

    __slots__ = ()

    @property
    def type(self) -> Token | None:
        """The delegate type's token; None if nil."""
        return Token(self._row.type) if row_of(self._row.type) else None

    @property
    def adder(self) -> Token | None:
        """The add method."""
        return self._metadata.accessor(self.token, _ADD)

    @property
    def remover(self) -> Token | None:
        """The remove method."""
        return self._metadata.accessor(self.token, _REMOVE)

    @property
    def raiser(self) -> Token | None:
        """The raise method."""
        return self._metadata.accessor(self.token, _RAISE)

    @property
    def others(self) -> list[Token]:
        """Methods of other semantics."""
        return self._metadata.accessors(self.token, _OTHER)


class GenericParameter(Member):
    """A generic parameter (II.22.20); ``number`` counts from 0."""

    __slots__ = ()

    @property
    def number(self) -> int:
        """Which one, from 0."""
        return int(self._row.number)

    @property
    def owner(self) -> Token:
        """The TypeDef or MethodDef."""
        return Token(self._row.owner)

    @property
    def constraints(self) -> list[Token]:
        """The constraint types' tokens."""
        table = self._metadata.image.table(T.GENERIC_PARAM_CONSTRAINT)
        return [Token(table.row(row).constraint) for row in table.rows_with("owner", row_of(self.token))]


class TypeDef(Member):
    """A type (II.22.37)."""

    __slots__ = ()

    @property
    def namespace(self) -> str:
        """The namespace; "" if it has none, as nested types usually have."""
        return self._metadata.image.strings[self._row.namespace]

    @property
    def full_name(self) -> str:
        """``Ns.Outer+Inner`1``."""
        return self._metadata.type_name(self.token)

    @property
    def base(self) -> Token | None:
        """The base type; None for Object, interfaces and <Module>."""
        return Token(self._row.extends) if row_of(self._row.extends) else None

    @property
    def enclosing(self) -> Token | None:
        """The type that this one is nested in; None at top level."""
        return self._metadata.enclosing_type(self.token)

    @property
    def is_interface(self) -> bool:
        """Whether it is an interface."""
        return bool(self.flags & _INTERFACE)

    @property
    def nested(self) -> list[Token]:
        """The types nested directly in it, in row order."""
        return self._metadata.nested_types(self.token)

    @property
    def interfaces(self) -> list[tuple[Token, Token]]:
        """(InterfaceImpl token, interface type token) of each interface declared."""
        table = self._metadata.image.table(T.INTERFACE_IMPL)
        return [
            (make_token(T.INTERFACE_IMPL, row), Token(table.row(row).interface))
            for row in table.rows_with("class_", row_of(self.token))
        ]

    @property
    def layout(self) -> tuple[int, int] | None:
        """(packing size, class size); None if not laid out by the metadata."""
        table = self._metadata.image.table(T.CLASS_LAYOUT)
        for number in table.rows_with("parent", row_of(self.token)):
            row = table.row(number)
            return row.packing_size, row.class_size
        return None

    @property
    def fields(self) -> Sequence[Field]:
        """The fields in order."""
        return fields_of(self._metadata, self.token)

    @property
    def methods(self) -> Sequence[Method]:
        """The methods in order."""
        return methods_of(self._metadata, self.token)

    @property
    def properties(self) -> Sequence[Property]:
        """The properties in order."""
        return properties_of(self._metadata, self.token)

    @property
    def events(self) -> Sequence[Event]:
        """The events in order."""
        return events_of(self._metadata, self.token)

    @property
    def generic_parameters(self) -> list[GenericParameter]:
        """The generic parameters by number, those of enclosing types included, as the metadata repeats them."""
        return generic_parameters_of(self._metadata, self.token)


def type_def(metadata: MetadataIndex, token: int) -> TypeDef:
    """The type of a TypeDef token."""
    return TypeDef(metadata, token, metadata.row(token, T.TYPE_DEF))


def method(metadata: MetadataIndex, token: int) -> Method:
    """The method of a MethodDef token."""
    return Method(metadata, token, metadata.row(token, T.METHOD_DEF))


def fields_of(metadata: MetadataIndex, token: int) -> list[Field]:
    """The fields of a TypeDef in order."""
    table = metadata.image.table(T.FIELD)
    return [Field(metadata, T.FIELD << 24 | row, table.row(row)) for row in metadata.field_rows(token)]


def methods_of(metadata: MetadataIndex, token: int) -> list[Method]:
    """The methods of a TypeDef in order."""
    table = metadata.image.table(T.METHOD_DEF)
    return [Method(metadata, T.METHOD_DEF << 24 | row, table.row(row)) for row in metadata.method_rows(token)]


def properties_of(metadata: MetadataIndex, token: int) -> list[Property]:
    """The properties of a TypeDef in order."""
    table = metadata.image.table(T.PROPERTY)
    return [Property(metadata, T.PROPERTY << 24 | row, table.row(row)) for row in metadata.property_rows(token)]


def events_of(metadata: MetadataIndex, token: int) -> list[Event]:
    """The events of a TypeDef in order."""
    table = metadata.image.table(T.EVENT)
    return [Event(metadata, T.EVENT << 24 | row, table.row(row)) for row in metadata.event_rows(token)]


def parameters_of(metadata: MetadataIndex, token: int) -> list[Parameter]:
    """The Param rows of a MethodDef in order."""
    table = metadata.image.table(T.PARAM)
    return [Parameter(metadata, T.PARAM << 24 | row, table.row(row)) for row in metadata.parameter_rows(token)]


def generic_parameters_of(metadata: MetadataIndex, token: int) -> list[GenericParameter]:
    """The generic parameters of a TypeDef or MethodDef."""
    table = metadata.image.table(T.GENERIC_PARAM)
    rows = table.rows_with("owner", token)
    return [GenericParameter(metadata, T.GENERIC_PARAM << 24 | row, table.row(row)) for row in rows]


def constant_of(metadata: MetadataIndex, token: int) -> ConstantField | None:
    """The Constant row of a Field, Param or Property; None if it has none."""
    table = metadata.image.table(T.CONSTANT)
    for row_id in table.rows_with("parent", token):
        row = table.row(row_id)
        return ConstantField(row.type & 0xFF, metadata.image.blobs[row.value])
    return None


def attributes_of(metadata: MetadataIndex, token: int) -> list[CustomAttribute]:
    """The custom attributes of any token that can have some, in row order; values decode when asked for."""
    from .custom_attributes import CustomAttribute

    table = metadata.image.table(T.CUSTOM_ATTRIBUTE)
    return [CustomAttribute(metadata, row, table.row(row)) for row in table.rows_with("parent", token)]
