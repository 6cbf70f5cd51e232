"""Signatures (ECMA-335 II.23.2): decoded to a tree of small tuples.

Types are one of the classes of ``TypeSignature``. Names are not looked up here: a tree holds tokens;
signature_text.py prints it.
"""

from __future__ import annotations

from .blob_reader import BlobReader
from .errors import LimitError
from .handles import Token
from .records import Record

_MAX_DEPTH = 256

PRIMITIVES = {
    0x01: "void",
    0x02: "bool",
    0x03: "char",
    0x04: "int8",
    0x05: "uint8",
    0x06: "int16",
    0x07: "uint16",
    0x08: "int32",
    0x09: "uint32",
    0x0A: "int64",
    0x0B: "uint64",
    0x0C: "float32",
    0x0D: "float64",
    0x0E: "string",
    0x16: "typedref",
    0x18: "nint",
    0x19: "nuint",
    0x1C: "object",
}
"""Names of the primitive element types (II.23.1.16)."""

_PTR, _BYREF, _VALUETYPE, _CLASS, _VAR, _ARRAY, _GENERICINST = 0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15
_FNPTR, _SZARRAY, _MVAR, _CMOD_REQD, _CMOD_OPT, _SENTINEL, _PINNED = 0x1B, 0x1D, 0x1E, 0x1F, 0x20, 0x41, 0x45

KIND_MASK, KIND_FIELD, KIND_LOCALS, KIND_PROPERTY, KIND_METHOD_SPEC = 0x0F, 0x06, 0x07, 0x08, 0x0A
_GENERIC, _HAS_THIS, _EXPLICIT_THIS = 0x10, 0x20, 0x40
CONVENTIONS = {0: "", 1: "cdecl", 2: "stdcall", 3: "thiscall", 4: "fastcall", 5: "vararg", 9: "unmanaged"}
"""Names of the calling conventions (II.23.2.1; 9: the platform's, with modifiers)."""


class PrimitiveType(Record):
    """A type that the element type alone says."""

    code: int

    @property
    def name(self) -> str:
        """The name in PRIMITIVES."""
        return PRIMITIVES[self.code]


class NamedType(Record):
    """A TypeDef or TypeRef (a TypeSpec only as modifier), and whether the signature calls it a value type."""

    token: Token
    is_value_type: bool


class GenericInstance(Record):
    """An instantiation of a generic type."""

    generic: TypeSignature
    arguments: tuple[TypeSignature, ...]


class SzArrayType(Record):
    """A vector: one dimension, lower bound 0."""

    element: TypeSignature


class ArrayType(Record):
    """A general array; ``sizes`` and ``lower_bounds`` as encoded, often fewer than ``rank``."""

    element: TypeSignature
    rank: int
    sizes: tuple[int, ...]
    lower_bounds: tuple[int, ...]


class ByRefType(Record):
    """A managed pointer."""

    element: TypeSignature


class PointerType(Record):
    """An unmanaged pointer."""

    element: TypeSignature


class PinnedType(Record):
    """A pinned local."""

    element: TypeSignature


class ModifiedType(Record):
    """A type with a custom modifier (modreq or modopt) before it."""

    element: TypeSignature
    modifier: Token
    is_required: bool


class TypeParameter(Record):
    """The generic parameter of a type, by its number from 0."""

    number: int


class MethodParameter(Record):
    """The generic parameter of a method, by its number from 0."""

    number: int


class FunctionPointerType(Record):
    """A function pointer."""

    signature: MethodSignature


class MethodSignature(Record):
    """A method or property signature. ``required_count`` is where a vararg call's sentinel stands, else all."""

    header: int
    generic_count: int
    return_type: TypeSignature
    parameters: tuple[TypeSignature, ...]
    required_count: int

    @property
    def has_this(self) -> bool:
        """Whether there is an instance."""
        return bool(self.header & _HAS_THIS)

    @property
    def has_explicit_this(self) -> bool:
        """Whether the instance is the first parameter written."""
        return bool(self.header & _EXPLICIT_THIS)

    @property
    def convention(self) -> str:
        """The calling convention; "" for the default one."""
        return CONVENTIONS.get(self.header & KIND_MASK, "")


TypeSignature = (
    PrimitiveType
    | NamedType
    | GenericInstance
    | SzArrayType
    | ArrayType
    | ByRefType
    | PointerType
    | PinnedType
    | ModifiedType
    | TypeParameter
    | MethodParameter
    | FunctionPointerType
)
"""Any type in a signature."""

_PRIMITIVE_TYPES = {code: PrimitiveType(code) for code in PRIMITIVES}


def decode_method(reader: BlobReader, depth: int = 0) -> MethodSignature:
    """A MethodDefSig, MethodRefSig, StandAloneMethodSig or PropertySig (II.23.2.1 to II.23.2.3, II.23.2.5)."""
    header = reader.byte("a signature's header")
    kind = header & KIND_MASK
    if kind not in CONVENTIONS and kind != KIND_PROPERTY:
        raise reader.malformed(f"header 0x{header:02x} is not that of a method or property signature (II.23.2)")
    generic_count = reader.compressed("a generic arity") if header & _GENERIC else 0
    count = reader.compressed("a parameter count")
    if count > reader.remaining:
        raise reader.malformed(f"{count} parameters do not fit into {reader.remaining} bytes")
    return_type = decode_type(reader, depth + 1)
    parameters: list[TypeSignature] = []
    required = count
    while len(parameters) < count:
        if required == count and reader.peek() == _SENTINEL:
            reader.byte()
            required = len(parameters)
            continue
        parameters.append(decode_type(reader, depth + 1))
    return MethodSignature(header, generic_count, return_type, tuple(parameters), required)


def decode_field(reader: BlobReader) -> TypeSignature:
    """A FieldSig (II.23.2.4)."""
    header = reader.byte("a signature's header")
    if header & KIND_MASK != KIND_FIELD:
        raise reader.malformed(f"header 0x{header:02x} is not that of a field signature (II.23.2.4)")
    return decode_type(reader)


def decode_locals(reader: BlobReader) -> tuple[TypeSignature, ...]:
    """A LocalVarSig (II.23.2.6)."""
    header = reader.byte("a signature's header")
    if header & KIND_MASK != KIND_LOCALS:
        raise reader.malformed(f"header 0x{header:02x} is not that of a local signature (II.23.2.6)")
    return _sequence(reader, 0)


def decode_method_spec(reader: BlobReader) -> tuple[TypeSignature, ...]:
    """A MethodSpec: the generic arguments (II.23.2.15)."""
    header = reader.byte("a signature's header")
    if header & KIND_MASK != KIND_METHOD_SPEC:
        raise reader.malformed(f"header 0x{header:02x} is not that of a method spec (II.23.2.15)")
    return _sequence(reader, 0)


def decode_type(reader: BlobReader, depth: int = 0) -> TypeSignature:
    """A Type with its modifiers (II.23.2.7, II.23.2.12); also the whole of a TypeSpec blob (II.23.2.14)."""
    if depth > _MAX_DEPTH:
        raise reader.error(LimitError, f"a signature nests types more than {_MAX_DEPTH} deep")
    code = reader.compressed("an element type")
    primitive = _PRIMITIVE_TYPES.get(code)
    if primitive is not None:
        return primitive
    depth += 1
    if code in (_CLASS, _VALUETYPE):
        token = _named(reader)
        return NamedType(token, code == _VALUETYPE)
    if code == _SZARRAY:
        return SzArrayType(decode_type(reader, depth))
    if code == _GENERICINST:
        generic = decode_type(reader, depth)
        return GenericInstance(generic, _sequence(reader, depth))
    if code == _BYREF:
        return ByRefType(decode_type(reader, depth))
    if code == _VAR:
        return TypeParameter(reader.compressed("a generic parameter"))
    if code == _MVAR:
        return MethodParameter(reader.compressed("a generic parameter"))
    if code == _PTR:
        return PointerType(decode_type(reader, depth))
    if code in (_CMOD_REQD, _CMOD_OPT):
        modifier = Token(reader.type_def_or_ref())
        if not modifier & 0xFFFFFF:
            raise reader.malformed("a custom modifier is nil (II.23.2.7)")
        return ModifiedType(decode_type(reader, depth), modifier, code == _CMOD_REQD)
    if code == _PINNED:
        return PinnedType(decode_type(reader, depth))
    if code == _ARRAY:
        return _array(reader, depth)
    if code == _FNPTR:
        return FunctionPointerType(decode_method(reader, depth))
    raise reader.malformed(f"0x{code:02x} is not an element type that a signature may have (II.23.1.16)")


def _named(reader: BlobReader) -> Token:
    token = reader.type_def_or_ref()
    if not token & 0xFFFFFF or token >> 24 == 0x1B:
        raise reader.malformed(f"0x{token:08x} after CLASS or VALUETYPE is not a TypeDef or TypeRef (II.23.2.8)")
    return Token(token)


def _array(reader: BlobReader, depth: int) -> ArrayType:
    element = decode_type(reader, depth)
    rank = reader.compressed("an array's rank")
    sizes = tuple(reader.compressed("an array's size") for _ in range(_count(reader, "sizes")))
    bounds = tuple(reader.compressed_signed("a lower bound") for _ in range(_count(reader, "lower bounds")))
    return ArrayType(element, rank, sizes, bounds)


def _count(reader: BlobReader, what: str) -> int:
    count = reader.compressed(f"a count of {what}")
    if count > reader.remaining:
        raise reader.malformed(f"{count} {what} do not fit into {reader.remaining} bytes")
    return count


def _sequence(reader: BlobReader, depth: int) -> tuple[TypeSignature, ...]:
    count = _count(reader, "types")
    if not count:
        raise reader.malformed("a sequence of types in a signature is empty")
    return tuple([decode_type(reader, depth + 1) for _ in range(count)])
