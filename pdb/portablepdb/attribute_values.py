"""The values of custom attributes (ECMA-335 II.23.3).

The blob of an attribute does not say how wide an enum is. Enums of the same module are looked up there, those of other
assemblies by the resolver that the metadata was given. For the rest each width is tried: where a single one makes sense
of the whole blob, it is that; otherwise the value is a NotDecoded.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from . import signatures as sig
from .blob_reader import BlobReader
from .errors import MalformedError, PortablePdbError
from .handles import TableNumber, Token, row_of, table_of
from .records import Record

if TYPE_CHECKING:
    from .metadata_index import EnumResolver, MetadataIndex

T = TableNumber

_FIELD, _PROPERTY = 0x53, 0x54
_STATIC = 0x10
_SZARRAY, _TYPE, _BOXED, _ENUM = 0x1D, 0x50, 0x51, 0x55
_BOOLEAN, _CHAR, _STRING, _OBJECT, _INT32 = 0x02, 0x03, 0x0E, 0x1C, 0x08
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


# Enums of the core library that tools ask about, all of them int32.
_KNOWN_INT32 = frozenset(
    [
        "System.AttributeTargets",
        "System.ComponentModel.EditorBrowsableState",
        "System.Diagnostics.DebuggableAttribute+DebuggingModes",
        "System.Diagnostics.DebuggerBrowsableState",
        "System.Runtime.CompilerServices.CompilationRelaxations",
        "System.Runtime.InteropServices.CharSet",
        "System.Runtime.InteropServices.ClassInterfaceType",
        "System.Runtime.InteropServices.LayoutKind",
        "System.Runtime.InteropServices.UnmanagedType",
    ]
)
_WIDTH_CODES = (0x08, 0x05, 0x06, 0x0A)  # int32, uint8, int16, int64
_MOST_TRIED_ENUMS = 2
_LONGEST_TRIED_BLOB = 1024


class ArgumentType(Record):
    """The type of an argument. ``code`` is an element type, 0x50 System.Type, 0x51 object, 0x55 an enum.

    ``name`` is printable. For an enum ``underlying`` is the primitive that stands in the blob, 0 where it is not known;
    for an array (code 0x1d) ``element`` is the element type.
    """

    code: int
    name: str
    underlying: int = 0
    element: ArgumentType | None = None


class Argument(Record):
    """An argument: its type and value.

    The value is None, bool, int (of an enum its number), float, str (of a char one character, of System.Type its
    serialized name), for arrays a list of Argument, or NotDecoded.
    """

    type: ArgumentType
    value: Any


class NotDecoded(Record):
    """Stands for a value that cannot be read because the width of an enum of another assembly is not known.

    ``enum`` is the enum's name; ``raw`` all bytes from this value on, as they are in the blob. The fixed arguments
    after it are NotDecoded with the same ``raw``, and the named ones after it are left out.
    """

    enum: str
    raw: bytes


class NamedArgument(Record):
    """A field or property that the attribute sets."""

    is_field: bool
    name: str
    argument: Argument

    @property
    def type(self) -> ArgumentType:
        """The type of the argument."""
        return self.argument.type

    @property
    def value(self) -> Any:
        """The value of the argument; see Argument."""
        return self.argument.value


Arguments = tuple[list[Argument], list[NamedArgument]]
"""The fixed and the named arguments of an attribute."""


class _UnknownWidth(Exception):
    """The width of an enum is needed and not known."""

    def __init__(self, enum: str) -> None:
        super().__init__(enum)
        self.enum = enum


def decode_arguments(metadata: MetadataIndex, row: Any, resolve: EnumResolver | None) -> Arguments:
    """The arguments of a CustomAttribute row. Raises MalformedError, TruncatedError."""
    first = _Decoder(metadata, row, resolve, {})
    try:
        return first.decode()
    except _UnknownWidth as unknown:
        if len(first.reader.data) <= _LONGEST_TRIED_BLOB:
            fitting = _fitting(metadata, row, resolve, {}, unknown.enum)
            if fitting is not None and len(fitting) == 1:
                return fitting[0]
        return first.not_decoded(unknown.enum)


def _fitting(
    metadata: MetadataIndex, row: Any, resolve: EnumResolver | None, widths: dict[str, int], enum: str
) -> list[Arguments] | None:
    """What the blob decodes to with each width of the enums not known, as far as it fits; None: too many of them."""
    if len(widths) == _MOST_TRIED_ENUMS:
        return None
    found = []
    for code in _WIDTH_CODES:
        tried = {**widths, enum: code}
        decoder = _Decoder(metadata, row, resolve, tried)
        try:
            decoded = decoder.decode()
        except PortablePdbError:
            continue
        except _UnknownWidth as unknown:
            more = _fitting(metadata, row, resolve, tried, unknown.enum)
            if more is None:
                return None
            found += more
            continue
        if not decoder.reader.remaining:
            found.append(decoded)
    return found


def underlying_type(metadata: MetadataIndex, token: int) -> int | None:
    """The element type of an enum's first instance field; None where that is no primitive."""
    fields = metadata.image.table(T.FIELD)
    for row_id in metadata.field_rows(token):
        field = fields.row(row_id)
        if not field.flags & _STATIC:
            type_ = sig.decode_field(metadata.signature_blob(field.signature))
            return type_.code if isinstance(type_, sig.PrimitiveType) and type_.code in _FORMATS else None
    return None


class _Decoder:
    """Decodes one blob. ``widths`` are the element types to take for enums that are not known."""

    def __init__(self, metadata: MetadataIndex, row: Any, resolve: EnumResolver | None, widths: dict[str, int]) -> None:
        self.metadata = metadata
        self._resolve = resolve
        self.row = row
        self.reader = metadata.blob(row.value)
        self._widths = widths
        self._types: list[ArgumentType] = []
        self._fixed: list[Argument] = []
        self._named: list[NamedArgument] = []
        self._value_begins = 0
        self._reading: tuple[bool, str, ArgumentType] | None = None

    def decode(self) -> Arguments:
        reader = self.reader
        if reader.integer(2) != 1:
            raise reader.malformed("a custom attribute does not begin with 0001 (II.23.3)")
        self._types = self._parameter_types()
        for type_ in self._types:
            self._value_begins = reader.position
            self._fixed.append(self._value(type_, 0))
        for _ in range(reader.integer(2)):
            self._value_begins = reader.position
            kind = reader.byte("the kind of a named argument")
            if kind not in (_FIELD, _PROPERTY):
                raise reader.malformed(f"0x{kind:02x} is neither a field nor a property (II.23.3)")
            type_ = self._named_type(0)
            name = self._string() or ""
            self._value_begins = reader.position
            self._reading = kind == _FIELD, name, type_
            self._named.append(NamedArgument(kind == _FIELD, name, self._value(type_, 0)))
        return self._fixed, self._named

    def not_decoded(self, enum: str) -> Arguments:
        """What was decoded before an enum that is not known, and NotDecoded for the rest."""
        value = NotDecoded(enum, self.reader.data[self._value_begins :])
        rest = [Argument(type_, value) for type_ in self._types[len(self._fixed) :]]
        named = list(self._named)
        if self._reading is not None:
            is_field, name, type_ = self._reading
            named.append(NamedArgument(is_field, name, Argument(type_, value)))
        return [*self._fixed, *rest], named

    def _parameter_types(self) -> list[ArgumentType]:
        metadata = self.metadata
        token = self.row.type
        generic_arguments: tuple[sig.TypeSignature, ...] = ()
        if table_of(token) == T.METHOD_DEF:
            signature = sig.decode_method(metadata.signature_blob(metadata.row(token, T.METHOD_DEF).signature))
        else:
            member = metadata.image.table(T.MEMBER_REF).row(row_of(token))
            signature = sig.decode_method(metadata.signature_blob(member.signature))
            if table_of(member.class_) == T.TYPE_SPEC:
                spec = metadata.image.table(T.TYPE_SPEC).row(row_of(member.class_))
                type_ = sig.decode_type(metadata.signature_blob(spec.signature))
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
            return ArgumentType(code, name, self._underlying(None, name))
        raise self.reader.malformed(f"0x{code:02x} is not a type of an attribute's argument (II.23.3)")

    def _underlying(self, token: Token | None, name: str) -> int:
        """The element type behind an enum; 0 where it is not known, which matters only when a value is read."""
        plain, _, assembly = name.partition(", ")
        if token is not None and table_of(token) == T.TYPE_REF:
            assembly = self.metadata.assembly_of(token) or ""
        own = not assembly or assembly.partition(",")[0] == self.metadata.assembly_name
        if own and (token is None or table_of(token) != T.TYPE_DEF):
            token = self.metadata.find_type_token(plain)
        if own and token is not None and table_of(token) == T.TYPE_DEF:
            return underlying_type(self.metadata, token) or _INT32
        found = self._resolve(f"{plain}, {assembly}" if assembly else plain) if self._resolve is not None else None
        if found is not None:
            return found
        return _INT32 if plain in _KNOWN_INT32 else self._widths.get(plain, 0)

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
        if not primitive:
            raise _UnknownWidth(type_.name.partition(", ")[0])
        layout = _FORMATS[primitive]
        value = struct.unpack(layout, reader.take(struct.calcsize(layout)))[0]
        if primitive == _BOOLEAN:
            value = bool(value)
        elif code == _CHAR:
            value = chr(value)
        return Argument(type_, value)

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
