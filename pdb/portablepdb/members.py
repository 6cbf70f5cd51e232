"""Types and their members, as lazy views of rows (ECMA-335 II.22)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from . import signatures as sig
from .handles import TableNumber, row_of, table_of
from .parameters import Parameter, constant_of, parameters_of
from .references import Constant, Member, PInvokeImport, TypeRef, TypeSpec, reference

if TYPE_CHECKING:
    from .flags import FieldAttributes, MethodAttributes, MethodImplAttributes, TypeAttributes
    from .il import MethodBody
    from .metadata_index import MetadataIndex

T = TableNumber

_STATIC, _LITERAL, _INTERFACE = 0x10, 0x40, 0x20
_GETTER, _SETTER, _OTHER, _ADD, _REMOVE, _RAISE = 0x2, 0x1, 0x4, 0x8, 0x10, 0x20


class _OfType(Member):
    """What a type has: fields, methods, properties, events."""

    @property
    def declaring_type(self) -> TypeDef:
        """The type that has it. NoSuchEntryError when no type has it."""
        return type_def(self._metadata, self._metadata.declaring_type_token(self))

    @property
    def full_name(self) -> str:
        """``Ns.Outer+Inner.Member``, as find_method takes it of a method. NoSuchEntryError when no type has it."""
        return f"{self._metadata.type_name(self._metadata.declaring_type_token(self))}.{self.name}"


class Field(_OfType):
    """A field (II.22.15)."""

    _flags = "FieldAttributes"

    @property
    def access(self) -> FieldAttributes:
        """Who may use it, as ``FieldAttributes.PUBLIC``."""
        from .flags import FieldAttributes

        return FieldAttributes(self._row.flags & FieldAttributes.ACCESS_MASK)

    @property
    def is_static(self) -> bool:
        """Whether it is static."""
        return bool(self._row.flags & _STATIC)

    @property
    def is_literal(self) -> bool:
        """Whether it is a compile-time constant, without storage."""
        return bool(self._row.flags & _LITERAL)

    @property
    def signature(self) -> sig.TypeSignature:
        """The type of the field."""
        return sig.decode_field(self._metadata.signature_blob(self._row.signature))

    @property
    def constant(self) -> Constant | None:
        """The constant value; None if there is none."""
        return constant_of(self._metadata, self)

    @property
    def marshalling(self) -> bytes | None:
        """The marshalling descriptor's blob (II.23.4), not decoded; None if it has none."""
        return self._metadata.marshalling_of(self)

    @property
    def offset(self) -> int | None:
        """The offset in bytes in a type with explicit layout; None elsewhere."""
        row = self._metadata.image.table(T.FIELD_LAYOUT).row_with("field", row_of(self))
        return None if row is None else row.offset

    @property
    def rva(self) -> int | None:
        """Where the image has the initial data of the field; None if it has none."""
        row = self._metadata.image.table(T.FIELD_RVA).row_with("field", row_of(self))
        return None if row is None else row.rva


class Method(_OfType):
    """A method (II.22.26)."""

    _flags = "MethodAttributes"

    @property
    def access(self) -> MethodAttributes:
        """Who may call it, as ``MethodAttributes.PUBLIC``."""
        from .flags import MethodAttributes

        return MethodAttributes(self._row.flags & MethodAttributes.ACCESS_MASK)

    @property
    def is_static(self) -> bool:
        """Whether it is static."""
        return bool(self._row.flags & _STATIC)

    @property
    def is_abstract(self) -> bool:
        """Whether it is abstract."""
        return bool(self._row.flags & 0x400)

    @property
    def impl_flags(self) -> MethodImplAttributes:
        """The ImplFlags column (II.23.1.11)."""
        from .flags import MethodImplAttributes

        return MethodImplAttributes(self._row.impl_flags)

    @property
    def rva(self) -> int:
        """Where the body is in the image; 0: none."""
        return int(self._row.rva)

    @cached_property
    def signature(self) -> sig.MethodSignature:
        """The signature. Decoded once for each object: who follows calls asks one method many times."""
        return sig.decode_method(self._metadata.signature_blob(self._row.signature))

    @property
    def local_types(self) -> tuple[sig.TypeSignature, ...]:
        """The types of the locals by slot; () without locals or body."""
        body = self.body
        if body is None or body.local_signature is None:
            return ()
        row = self._metadata.row(body.local_signature, T.STAND_ALONE_SIG)
        return sig.decode_locals(self._metadata.signature_blob(row.signature))

    @property
    def parameter_rows(self) -> list[Parameter]:
        """The Param rows in order: the return value (sequence 0) if it has a row, unnamed ones may be missing."""
        return parameters_of(self._metadata, self)

    @property
    def parameters(self) -> dict[int, str]:
        """Names of the parameters by sequence, from 1."""
        return {row.sequence: row.name for row in self.parameter_rows if row.sequence}

    @property
    def generic_parameters(self) -> list[GenericParameter]:
        """The generic parameters by number."""
        return generic_parameters_of(self._metadata, self)

    @property
    def pinvoke_import(self) -> PInvokeImport | None:
        """The native function that it calls; None if it is no P/Invoke method."""
        table = self._metadata.image.table(T.IMPL_MAP)
        rows = table.rows_with("member_forwarded", self)
        return PInvokeImport(self._metadata, T.IMPL_MAP << 24 | rows[0], table.row(rows[0])) if rows else None

    @property
    def body(self) -> MethodBody | None:
        """The IL body; None if it has none (abstract, extern, runtime)."""
        return self._metadata.method_body(self)


class Property(_OfType):
    """A property (II.22.34)."""

    _flags = "PropertyAttributes"

    @property
    def signature(self) -> sig.MethodSignature:
        """The signature: its return type is the property's, its parameters an indexer's."""
        return sig.decode_method(self._metadata.signature_blob(self._row.type))

    @property
    def type(self) -> sig.TypeSignature:
        """The type of the property, the signature's return type."""
        return self.signature.return_type

    @property
    def getter(self) -> Method | None:
        """The get method."""
        return _accessor(self._metadata, self, _GETTER)

    @property
    def setter(self) -> Method | None:
        """The set method."""
        return _accessor(self._metadata, self, _SETTER)

    @property
    def others(self) -> list[Method]:
        """Methods of other semantics."""
        return [method(self._metadata, token) for token in self._metadata.accessor_tokens(self, _OTHER)]

    @property
    def constant(self) -> Constant | None:
        """The default value; None if there is none."""
        return constant_of(self._metadata, self)


class Event(_OfType):
    """An event (II.22.13)."""

    _flags = "EventAttributes"

    @property
    def type(self) -> Type | None:
        """The delegate type; None if nil."""
        return type_of(self._metadata, self._row.type)

    @property
    def adder(self) -> Method | None:
        """The add method."""
        return _accessor(self._metadata, self, _ADD)

    @property
    def remover(self) -> Method | None:
        """The remove method."""
        return _accessor(self._metadata, self, _REMOVE)

    @property
    def raiser(self) -> Method | None:
        """The raise method."""
        return _accessor(self._metadata, self, _RAISE)

    @property
    def others(self) -> list[Method]:
        """Methods of other semantics."""
        return [method(self._metadata, token) for token in self._metadata.accessor_tokens(self, _OTHER)]


class GenericParameter(Member):
    """A generic parameter (II.22.20); ``number`` counts from 0."""

    _flags = "GenericParamAttributes"

    @property
    def number(self) -> int:
        """Which one, from 0."""
        return int(self._row.number)

    @property
    def owner(self) -> TypeDef | Method:
        """The type or method that has it."""
        token = self._row.owner
        is_method = table_of(token) == T.METHOD_DEF
        return method(self._metadata, token) if is_method else type_def(self._metadata, token)

    @property
    def constraints(self) -> list[Type]:
        """The types that it is constrained to."""
        table = self._metadata.image.table(T.GENERIC_PARAM_CONSTRAINT)
        found = [type_of(self._metadata, table.row(row).constraint) for row in table.rows_with("owner", row_of(self))]
        return [constraint for constraint in found if constraint is not None]


class TypeDef(Member):
    """A type (II.22.37)."""

    _flags = "TypeAttributes"

    @property
    def access(self) -> TypeAttributes:
        """Who may use it, as ``TypeAttributes.PUBLIC`` or ``NESTED_PUBLIC``."""
        from .flags import TypeAttributes

        return TypeAttributes(self._row.flags & TypeAttributes.VISIBILITY_MASK)

    @property
    def namespace(self) -> str:
        """The namespace; "" if it has none, as nested types usually have."""
        return self._metadata.image.strings[self._row.namespace]

    @property
    def full_name(self) -> str:
        """``Ns.Outer+Inner`1``."""
        return self._metadata.type_name(self)

    @property
    def base(self) -> Type | None:
        """The base type; None for Object, interfaces and <Module>."""
        return type_of(self._metadata, self._row.extends)

    @property
    def enclosing(self) -> TypeDef | None:
        """The type that this one is nested in; None at top level."""
        token = self._metadata.enclosing_type_token(self)
        return None if token is None else type_def(self._metadata, token)

    @property
    def is_interface(self) -> bool:
        """Whether it is an interface."""
        return bool(self._row.flags & _INTERFACE)

    @property
    def nested(self) -> list[TypeDef]:
        """The types nested directly in it, in row order."""
        return [type_def(self._metadata, token) for token in self._metadata.nested_type_tokens(self)]

    @property
    def interfaces(self) -> list[Type]:
        """The interfaces that it declares, in row order."""
        table = self._metadata.image.table(T.INTERFACE_IMPL)
        found = [type_of(self._metadata, table.row(row).interface) for row in table.rows_with("class_", row_of(self))]
        return [interface for interface in found if interface is not None]

    @property
    def layout(self) -> tuple[int, int] | None:
        """(packing size, class size); None if not laid out by the metadata."""
        row = self._metadata.image.table(T.CLASS_LAYOUT).row_with("parent", row_of(self))
        return None if row is None else (row.packing_size, row.class_size)

    @property
    def fields(self) -> Sequence[Field]:
        """The fields in order."""
        return fields_of(self._metadata, self)

    @property
    def methods(self) -> Sequence[Method]:
        """The methods in order."""
        return methods_of(self._metadata, self)

    @property
    def properties(self) -> Sequence[Property]:
        """The properties in order."""
        return properties_of(self._metadata, self)

    @property
    def events(self) -> Sequence[Event]:
        """The events in order."""
        return events_of(self._metadata, self)

    @property
    def generic_parameters(self) -> list[GenericParameter]:
        """The generic parameters by number, those of enclosing types included, as the metadata repeats them."""
        return generic_parameters_of(self._metadata, self)


Type = TypeDef | TypeRef | TypeSpec
"""A type by name: of this module, of another one, or made of others."""


def type_of(metadata: MetadataIndex, token: int) -> Type | None:
    """The object of a TypeDefOrRef token; None for a nil one."""
    if not row_of(token):
        return None
    if table_of(token) == T.TYPE_DEF:
        return type_def(metadata, token)
    found = reference(metadata, token)
    assert isinstance(found, (TypeRef, TypeSpec))
    return found


def _accessor(metadata: MetadataIndex, association: int, semantics: int) -> Method | None:
    token = metadata.accessor_token(association, semantics)
    return None if token is None else method(metadata, token)


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


def generic_parameters_of(metadata: MetadataIndex, token: int) -> list[GenericParameter]:
    """The generic parameters of a TypeDef or MethodDef."""
    table = metadata.image.table(T.GENERIC_PARAM)
    rows = table.rows_with("owner", token)
    return [GenericParameter(metadata, T.GENERIC_PARAM << 24 | row, table.row(row)) for row in rows]
