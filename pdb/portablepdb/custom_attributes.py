"""Custom attributes and their values (ECMA-335 II.22.10, II.23.3)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from . import signatures as sig
from .blob_reader import BlobReader
from .errors import MalformedError
from .handles import RowId, TableNumber, Token, row_of, table_of

if TYPE_CHECKING:
    from .metadata_index import MetadataIndex

T = TableNumber

_FIELD, _PROPERTY = 0x53, 0x54
_STATIC = 0x10
_SZARRAY, _TYPE, _BOXED, _ENUM = 0x1D, 0x50, 0x51, 0x55
_STRING, _OBJECT, _INT32 = 0x0E, 0x1C, 0x08
_FORMATS = {
    0x02: "<B",
    0x03: "<H",
    0x04: "<b",
    0x05: "<B",
    0x06: "<h",
    0x07: "<H",
    0x08: "<i",
    0x09: "<I",
    0x0A: "<q",
    0x0B: "<Q",
    0x0C: "<f",
    0x0D: "<d",
}
_NULL_LENGTH = 0xFFFFFFFF
_MAX_DEPTH = 32


class ArgumentType(NamedTuple):
    """The type of an argument. ``code`` is an element type, 0x50 System.Type, 0x51 object, 0x55 an enum.

    ``name`` is printable. For an enum ``underlying`` is the primitive that stands in the blob; for an array
    (code 0x1d) ``element`` is the element type.
    """

    code: int
    name: str
    underlying: int = 0
    element: ArgumentType | None = None


class Argument(NamedTuple):
    """An argument: its type and value.

    The value is None, bool, int (char as int), float, str (System.Type as its serialized name), or for arrays a list of
    Argument.
    """

    type: ArgumentType
    value: Any


class NamedArgument(NamedTuple):
    """A field or property that the attribute sets."""

    is_field: bool
    name: str
    argument: Argument


class CustomAttribute:
    """One custom attribute; the value is decoded when asked for."""

    __slots__ = ("_decoded", "_metadata", "_row", "row_id")

    def __init__(self, metadata: MetadataIndex, row_id: int, row: Any) -> None:
        self._metadata = metadata
        self._row = row
        self.row_id = RowId(row_id)
        self._decoded: tuple[list[Argument], list[NamedArgument]] | None = None

    def __repr__(self) -> str:
        return f"<CustomAttribute {self.row_id} {self.type_name}>"

    @property
    def parent(self) -> Token:
        """What the attribute is on."""
        return Token(self._row.parent)

    @property
    def constructor(self) -> Token:
        """The MethodDef or MemberRef of the constructor."""
        return Token(self._row.type)

    @property
    def type(self) -> Token:
        """The attribute's type: a TypeDef, TypeRef or TypeSpec."""
        token = self._row.type
        if table_of(token) == T.METHOD_DEF:
            return self._metadata.declaring_type(token)
        return Token(self._metadata.image.table(T.MEMBER_REF).row(row_of(token)).class_)

    @property
    def type_name(self) -> str:
        """The full name of the attribute's type."""
        return self._metadata.type_name(self.type)

    @property
    def value(self) -> bytes:
        """The undecoded value."""
        return self._metadata.image.blobs[self._row.value]

    @property
    def fixed_arguments(self) -> list[Argument]:
        """The constructor's arguments. Raises MalformedError, TruncatedError."""
        return self._decode()[0]

    @property
    def named_arguments(self) -> list[NamedArgument]:
        """The fields and properties set. Raises MalformedError, TruncatedError."""
        return self._decode()[1]

    def _decode(self) -> tuple[list[Argument], list[NamedArgument]]:
        if self._decoded is None:
            self._decoded = _Decoder(self._metadata, self._row).decode()
        return self._decoded


class _Decoder:
    def __init__(self, metadata: MetadataIndex, row: Any) -> None:
        self.metadata = metadata
        self.row = row
        self.reader = metadata.blob(row.value)

    def decode(self) -> tuple[list[Argument], list[NamedArgument]]:
        reader = self.reader
        if reader.integer(2) != 1:
            raise reader.malformed("a custom attribute does not begin with 0001 (II.23.3)")
        fixed = [self._value(type_, 0) for type_ in self._parameter_types()]
        named = []
        for _ in range(reader.integer(2)):
            kind = reader.byte("the kind of a named argument")
            if kind not in (_FIELD, _PROPERTY):
                raise reader.malformed(f"0x{kind:02x} is neither a field nor a property (II.23.3)")
            type_ = self._named_type(0)
            name = self._string() or ""
            named.append(NamedArgument(kind == _FIELD, name, self._value(type_, 0)))
        return fixed, named

    def _parameter_types(self) -> list[ArgumentType]:
        metadata = self.metadata
        token = self.row.type
        generic_arguments: tuple[sig.TypeSignature, ...] = ()
        if table_of(token) == T.METHOD_DEF:
            signature = sig.decode_method(metadata.blob(metadata.row(token, T.METHOD_DEF).signature))
        else:
            member = metadata.image.table(T.MEMBER_REF).row(row_of(token))
            signature = sig.decode_method(metadata.blob(member.signature))
            if table_of(member.class_) == T.TYPE_SPEC:
                spec = metadata.image.table(T.TYPE_SPEC).row(row_of(member.class_))
                type_ = sig.decode_type(metadata.blob(spec.signature))
                if isinstance(type_, sig.GenericInstance):
                    generic_arguments = type_.arguments
        return [self._fixed_type(parameter, generic_arguments, 0) for parameter in signature.parameters]

    def _fixed_type(
        self, type_: sig.TypeSignature, generic_arguments: tuple[sig.TypeSignature, ...], depth: int
    ) -> ArgumentType:
        if isinstance(type_, sig.TypeParameter) and type_.number < len(generic_arguments) and depth < _MAX_DEPTH:
            return self._fixed_type(generic_arguments[type_.number], (), depth + 1)
        if isinstance(type_, sig.PrimitiveType):
            if type_.code in _FORMATS or type_.code == _STRING:
                return ArgumentType(type_.code, type_.name)
            if type_.code == _OBJECT:
                return ArgumentType(_BOXED, "object")
        if isinstance(type_, sig.SzArrayType) and not isinstance(type_.element, sig.SzArrayType):
            element = self._fixed_type(type_.element, generic_arguments, depth + 1)
            return ArgumentType(_SZARRAY, element.name + "[]", 0, element)
        if isinstance(type_, sig.NamedType):
            name = self.metadata.type_name(type_.token)
            if name == "System.Type":
                return ArgumentType(_TYPE, name)
            return ArgumentType(_ENUM, name, self._underlying(type_.token, name))
        raise self.reader.malformed("a parameter of an attribute's constructor has a type that attributes cannot have")

    def _named_type(self, depth: int) -> ArgumentType:
        code = self.reader.byte("the type of a named argument")
        if code in _FORMATS or code == _STRING:
            return ArgumentType(code, sig.PRIMITIVES[code])
        if code == _TYPE:
            return ArgumentType(code, "System.Type")
        if code == _BOXED:
            return ArgumentType(code, "object")
        if code == _SZARRAY and depth == 0:
            element = self._named_type(1)
            return ArgumentType(code, element.name + "[]", 0, element)
        if code == _ENUM:
            name = self._string() or ""
            return ArgumentType(code, name, self._underlying(self.metadata.find_type(name), name))
        raise self.reader.malformed(f"0x{code:02x} is not a type of an attribute's argument (II.23.3)")

    def _underlying(self, token: Token | None, name: str) -> int:
        """The element type behind an enum: of its first instance field if it is in this module, else int32."""
        if token is not None and table_of(token) == T.TYPE_REF:
            token = self.metadata.find_type(name)
        if token is not None and table_of(token) == T.TYPE_DEF:
            fields = self.metadata.image.table(T.FIELD)
            for row_id in self.metadata.field_rows(token):
                field = fields.row(row_id)
                if not field.flags & _STATIC:
                    type_ = sig.decode_field(self.metadata.blob(field.signature))
                    if isinstance(type_, sig.PrimitiveType) and type_.code in _FORMATS:
                        return type_.code
                    break
        return _INT32

    def _value(self, type_: ArgumentType, depth: int) -> Argument:
        reader = self.reader
        if depth > _MAX_DEPTH:
            raise reader.malformed("the values of an attribute nest too deep")
        code = type_.code
        if code == _BOXED:
            return self._value(self._named_type(0), depth + 1)
        if code == _SZARRAY:
            count = reader.integer(4)
            if count == _NULL_LENGTH:
                return Argument(type_, None)
            if count > reader.remaining:
                raise reader.malformed(f"an array of {count} does not fit into {reader.remaining} bytes")
            assert type_.element is not None
            return Argument(type_, [self._value(type_.element, depth + 1) for _ in range(count)])
        if code in (_STRING, _TYPE):
            return Argument(type_, self._string())
        primitive = type_.underlying if code == _ENUM else code
        layout = _FORMATS[primitive]
        value = struct.unpack(layout, reader.take(struct.calcsize(layout)))[0]
        return Argument(type_, bool(value) if primitive == 0x02 else value)

    def _string(self) -> str | None:
        reader: BlobReader = self.reader
        if reader.peek() == 0xFF:
            reader.byte()
            return None
        raw = reader.take(reader.compressed("the length of a string"), "a string")
        try:
            return raw.decode("utf-8", self.metadata.image.text_errors)
        except UnicodeDecodeError as error:
            raise reader.error(MalformedError, f"a string of a custom attribute is not UTF-8: {error.reason}") from None
