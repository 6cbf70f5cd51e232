"""Custom attributes (ECMA-335 II.22.10): what they are on, their type, their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .attribute_values import Argument, Arguments, NamedArgument, NotDecoded, decode_arguments, underlying_type
from .handles import RowId, TableNumber, Token, row_of, table_of

if TYPE_CHECKING:
    from .metadata_index import EnumResolver, MetadataIndex

T = TableNumber


class CustomAttribute:
    """One custom attribute; the value is decoded when asked for."""

    __slots__ = ("_decoded", "_metadata", "_row", "row_id")

    def __init__(self, metadata: MetadataIndex, row_id: int, row: Any) -> None:
        self._metadata = metadata
        self._row = row
        self.row_id = RowId(row_id)
        self._decoded: Arguments | None = None

    def __repr__(self) -> str:
        return f"<CustomAttribute {self.row_id} {self.type_name}>"

    @property
    def row(self) -> Any:
        """The typed row of the table."""
        return self._row

    @property
    def parent(self) -> Token:
        """What the attribute is on: an object, or the token alone of what has none, as the assembly or the module."""
        return self._metadata.object_of(self._row.parent)

    @property
    def constructor(self) -> Token:
        """The constructor, a Method or MemberRef."""
        return self._metadata.object_of(self._row.type)

    @property
    def type(self) -> Token:
        """The attribute's type: a TypeDef, TypeRef or TypeSpec."""
        return self._metadata.object_of(self._type_token())

    @property
    def type_name(self) -> str:
        """The full name of the attribute's type."""
        return self._metadata.type_name(self._type_token())

    def _type_token(self) -> Token:
        token: Token = self._row.type
        if table_of(token) == T.METHOD_DEF:
            return self._metadata.declaring_type_token(token)
        return Token(self._metadata.image.table(T.MEMBER_REF).row(row_of(token)).class_)

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

    @property
    def unknown_enum(self) -> str | None:
        """The name of the enum whose width is not known, so that values are NotDecoded; None: all is decoded."""
        values = [argument.value for argument in self.fixed_arguments]
        values += [named.argument.value for named in self.named_arguments]
        return next((value.enum for value in values if isinstance(value, NotDecoded)), None)

    def _decode(self) -> Arguments:
        if self._decoded is None:
            self._decoded = self.decode(self._metadata.resolve_enum)
        return self._decoded

    def decode(self, resolve_enum: EnumResolver | None) -> Arguments:
        """The fixed and the named arguments, with a resolver for enums of other assemblies instead of the metadata's.

        Raises MalformedError, TruncatedError. Nothing is kept.
        """
        return decode_arguments(self._metadata, self._row, resolve_enum)


def enums_of(*others: MetadataIndex) -> EnumResolver:
    """A resolver that looks enums up in the metadata of other assemblies."""
    by_assembly = {other.assembly_name: other for other in others}

    def resolve(name: str) -> int | None:
        type_name, _, assembly = name.partition(", ")
        wanted = by_assembly.get(assembly.partition(",")[0])
        # Facades forward their types: the enum may be in any of the assemblies.
        for other in [wanted, *others] if wanted is not None else others:
            token = other.find_type_token(type_name)
            if token is not None:
                return underlying_type(other, token)
        return None

    return resolve
