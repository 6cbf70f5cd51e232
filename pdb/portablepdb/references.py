"""Named things of the metadata: what all of them share, and references to other modules (ECMA-335 II.22)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from . import signatures as sig
from .handles import TableNumber, Token, row_of, table_of
from .records import Record

if TYPE_CHECKING:
    from enum import IntFlag

    from typing_extensions import Self

    from .custom_attributes import CustomAttribute
    from .metadata_index import MetadataIndex

T = TableNumber
M = TypeVar("M", bound="Member")
_EMBEDDED_SIZE = 4
_PUBLIC_KEY = 0x1


class Constant(Record):
    """A Constant row: its element type code and the bytes of its value."""

    type_code: int
    raw: bytes

    @property
    def value(self) -> Any:
        """The value in Python's terms; None for a null reference."""
        from .constants import decode_field_constant

        return decode_field_constant(self.type_code, self.raw)


class Member(Token):
    """What all members have: a name, flags, attributes. A member is its token, too, and equal to it.

    So members of two assemblies are equal, too, when they have one token: keep the assembly beside them.
    """

    _metadata: MetadataIndex
    _row: Any
    _flags: str | None = None
    """The enum of flags.py, by name: making them all takes longer than reading a small file, and few ask for them."""

    def __new__(cls, metadata: MetadataIndex, token: int, row: Any) -> Self:
        """Made by Metadata."""
        self = int.__new__(cls, token)
        self._metadata = metadata
        self._row = row
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} 0x{int(self):08x} {self.name}>"

    def __str__(self) -> str:
        return f"0x{int(self):08x}"

    @property
    def token(self) -> Token:
        """The token alone."""
        return Token(self)

    @property
    def row(self) -> Any:
        """The typed row of the table."""
        return self._row

    @property
    def name(self) -> str:
        """The name as in the heap (with `` `1 `` for generics)."""
        return self._metadata.image.strings[self._row.name]

    @property
    def flags(self) -> IntFlag:
        """The Flags column (II.23.1), as one of the enums of flags.py; AttributeError where the table has none."""
        from . import flags

        if self._flags is None:
            raise AttributeError(f"a {type(self).__name__} has no flags")
        found: IntFlag = getattr(flags, self._flags)(self._row.flags)
        return found

    @property
    def attributes(self) -> list[CustomAttribute]:
        """The custom attributes on it."""
        return attributes_of(self._metadata, self)


class Rows(Sequence[M], Generic[M]):
    """The objects of all rows of a table, item 0 of row 1: made when asked for, and not kept."""

    __slots__ = ("_kind", "_metadata", "_table")

    def __init__(self, metadata: MetadataIndex, table: TableNumber, kind: type[M]) -> None:
        self._metadata = metadata
        self._table = table
        self._kind = kind

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {self._table.name}>"

    def __len__(self) -> int:
        return self._metadata.image.table(self._table).row_count

    def __iter__(self) -> Iterator[M]:
        metadata, first = self._metadata, self._table << 24
        for number, row in enumerate(metadata.image.table(self._table), 1):
            yield self._kind(metadata, first | number, row)

    @overload
    def __getitem__(self, item: int) -> M: ...
    @overload
    def __getitem__(self, item: slice) -> list[M]: ...
    def __getitem__(self, item: int | slice) -> M | list[M]:
        rows = range(1, len(self) + 1)[item]
        table = self._metadata.image.table(self._table)
        if isinstance(rows, range):
            return [self._kind(self._metadata, self._table << 24 | number, table.row(number)) for number in rows]
        return self._kind(self._metadata, self._table << 24 | rows, table.row(rows))


def attributes_of(metadata: MetadataIndex, token: int) -> list[CustomAttribute]:
    """The custom attributes of any token that can have some, in row order; values decode when asked for."""
    from .custom_attributes import CustomAttribute

    table = metadata.image.table(T.CUSTOM_ATTRIBUTE)
    return [CustomAttribute(metadata, row, table.row(row)) for row in table.rows_with("parent", token)]


class AssemblyIdentity(Member):
    """What AssemblyDef and AssemblyRef have: a version, a culture, a public key or its token."""

    _flags = "AssemblyFlags"

    @property
    def version(self) -> tuple[int, int, int, int]:
        """Major, minor, build, revision."""
        row = self._row
        return row.major_version, row.minor_version, row.build_number, row.revision_number

    @property
    def culture(self) -> str:
        """The culture; "" for the neutral one."""
        return self._metadata.image.strings[self._row.culture]

    @property
    def public_key_token(self) -> bytes:
        """The token of the public key: eight bytes (II.6.3), b"" where the assembly has no strong name."""
        key, is_whole = self._key
        if not key or not is_whole:
            return key
        return hashlib.sha1(key, usedforsecurity=False).digest()[:-9:-1]

    @property
    def _key(self) -> tuple[bytes, bool]:
        """The key or its token, and whether it is the key."""
        raise NotImplementedError


class AssemblyRef(AssemblyIdentity):
    """An assembly that the module refers to (II.22.5)."""

    @property
    def public_key_or_token(self) -> bytes:
        """The public key (where the flags say so) or its token of eight bytes; b"" for neither."""
        return self._metadata.image.blobs[self._row.public_key_or_token]

    @property
    def _key(self) -> tuple[bytes, bool]:
        return self.public_key_or_token, bool(self._row.flags & _PUBLIC_KEY)


class ModuleRef(Member):
    """A module that the module refers to, as the library of a P/Invoke (II.22.31). It has no flags."""


class TypeRef(Member):
    """A type of another module (II.22.38). It has no flags."""

    @property
    def namespace(self) -> str:
        """The namespace; "" if it has none."""
        return self._metadata.image.strings[self._row.namespace]

    @property
    def full_name(self) -> str:
        """``Ns.Outer+Inner`1``."""
        return self._metadata.type_name(self)

    @property
    def scope(self) -> Token:
        """Where it is: an AssemblyRef, a ModuleRef, the TypeRef around it; the Module, or nil, for an exported type."""
        return reference(self._metadata, self._row.resolution_scope)

    @property
    def assembly(self) -> str | None:
        """The simple name of the assembly that it is in; None where it names none."""
        return self._metadata.assembly_of(self)


class TypeSpec(Member):
    """A type that a signature says, as ``List<int>`` (II.22.39). It has no flags; its name is its text."""

    @property
    def name(self) -> str:
        """The signature as text."""
        return self._metadata.type_name(self)

    @property
    def full_name(self) -> str:
        """The signature as text."""
        return self.name

    @property
    def definition(self) -> Token | None:
        """The generic type that it is an instance of, a TypeDef or TypeRef; None for arrays, pointers and the like."""
        type_ = self.signature
        if not isinstance(type_, sig.GenericInstance) or not isinstance(type_.generic, sig.NamedType):
            return None
        return self._metadata.object_of(type_.generic.token)

    @property
    def signature(self) -> sig.TypeSignature:
        """The type."""
        return sig.decode_type(self._metadata.signature_blob(self._row.signature))


class MemberRef(Member):
    """A field or method of another module, or of an instantiation (II.22.25). It has no flags."""

    @property
    def parent(self) -> Token:
        """The TypeRef, TypeSpec, ModuleRef, TypeDef or Method that it is of."""
        return self._metadata.object_of(self._row.class_)

    @property
    def full_name(self) -> str:
        """``Ns.Outer+Inner`1.Member`` without type arguments, as find_method takes it; a bare name in a module."""
        parent = self.parent
        if table_of(parent) == T.METHOD_DEF:  # a call with more arguments than the method declares
            return str(getattr(parent, "full_name", self.name))
        spec = parent.signature if isinstance(parent, TypeSpec) else None
        if isinstance(spec, sig.GenericInstance) and isinstance(spec.generic, sig.NamedType):
            of = self._metadata.type_name(spec.generic.token)
        else:
            of = str(getattr(parent, "full_name", ""))
        return f"{of}.{self.name}" if of else self.name

    @property
    def is_field(self) -> bool:
        """Whether it is a field; else it is a method."""
        blob = self._metadata.image.blobs.head(self._row.signature, 1)
        return bool(blob) and blob[0] & sig.KIND_MASK == sig.KIND_FIELD

    @property
    def signature(self) -> sig.TypeSignature | sig.MethodSignature:
        """The type of a field, the signature of a method."""
        reader = self._metadata.signature_blob(self._row.signature)
        return sig.decode_field(reader) if self.is_field else sig.decode_method(reader)


class MethodSpec(Member):
    """A generic method with type arguments, as IL calls it (II.22.29). It has no flags."""

    @property
    def method(self) -> Token:
        """The generic method: a Method, or a MemberRef."""
        return self._metadata.object_of(self._row.method)

    @property
    def name(self) -> str:
        """The name of the generic method."""
        method = self.method
        return method.name if isinstance(method, Member) else ""

    @property
    def full_name(self) -> str:
        """The full name of the generic method, without the arguments."""
        return str(getattr(self.method, "full_name", ""))

    @property
    def arguments(self) -> tuple[sig.TypeSignature, ...]:
        """The type arguments."""
        return tuple(sig.decode_method_spec(self._metadata.signature_blob(self._row.instantiation)))


class PInvokeImport(Member):
    """What a P/Invoke method calls: a function of a native library (ImplMap, II.22.22)."""

    _flags = "PInvokeAttributes"

    @property
    def name(self) -> str:
        """The name of the function in the library."""
        return self._metadata.image.strings[self._row.import_name]

    @property
    def library(self) -> ModuleRef:
        """The library, by the name that the source gives it. NoSuchEntryError when there is none."""
        token = T.MODULE_REF << 24 | self._row.import_scope
        return ModuleRef(self._metadata, token, self._metadata.row(token, T.MODULE_REF))

    @property
    def member(self) -> Token:
        """The Method, or Field, that stands for it."""
        return self._metadata.object_of(self._row.member_forwarded)


class File(Member):
    """A file that belongs to the assembly: another module, or what holds a resource (II.22.19)."""

    _flags = "FileAttributes"

    @property
    def hash(self) -> bytes:
        """The hash of its bytes, by the hash algorithm of the assembly."""
        return self._metadata.image.blobs[self._row.hash_value]


class Resource(Member):
    """A resource of the assembly (ManifestResource, II.22.24)."""

    _flags = "ManifestResourceAttributes"

    @property
    def implementation(self) -> Token | None:
        """The File or AssemblyRef that has it; None for one in this image."""
        token = self._row.implementation
        return reference(self._metadata, token) if row_of(token) else None

    @property
    def data(self) -> bytes | None:
        """Its bytes; None where they are not in this image. Raises MalformedError, TruncatedError."""
        pe = self._metadata.pe
        if row_of(self._row.implementation) or pe is None or pe.cli is None or not pe.cli.resources_rva:
            return None
        rva = pe.cli.resources_rva + self._row.offset
        size = int.from_bytes(pe.at_rva(rva, _EMBEDDED_SIZE, "the size of a resource").whole(), "little")
        return pe.at_rva(rva + _EMBEDDED_SIZE, size, "a resource").whole()


_REFERENCES: dict[int, type[Member]] = {
    T.TYPE_REF: TypeRef,
    T.TYPE_SPEC: TypeSpec,
    T.MEMBER_REF: MemberRef,
    T.METHOD_SPEC: MethodSpec,
    T.MODULE_REF: ModuleRef,
    T.ASSEMBLY_REF: AssemblyRef,
    T.FILE: File,
    T.MANIFEST_RESOURCE: Resource,
}


def reference(metadata: MetadataIndex, token: int) -> Token:
    """The object of a reference's token; of any other one, and of a nil one, the token alone."""
    kind = _REFERENCES.get(table_of(token))
    if kind is None or not row_of(token):
        return Token(token)
    return kind(metadata, token, metadata.row(token, T(table_of(token))))


def references(metadata: MetadataIndex, table: TableNumber) -> list[Any]:
    """The objects of all rows of a table of references, in row order."""
    kind = _REFERENCES[table]
    return [kind(metadata, table << 24 | number, row) for number, row in enumerate(metadata.image.table(table), 1)]
