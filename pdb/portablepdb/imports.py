"""Import scopes: using directives, aliases, XML namespaces (Portable PDB 1.0, "Imports Blob")."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from .blob_reader import BlobReader
from .errors import LimitError, MalformedError
from .handles import TableNumber, Token, make_token

if TYPE_CHECKING:
    from .root import MetadataImage


class ImportKind(IntEnum):
    """What an import does."""

    NAMESPACE = 1
    ASSEMBLY_NAMESPACE = 2
    TYPE = 3
    XML_NAMESPACE = 4
    ASSEMBLY_REFERENCE_ALIAS = 5
    DEFINE_ASSEMBLY_ALIAS = 6
    DEFINE_NAMESPACE_ALIAS = 7
    DEFINE_ASSEMBLY_NAMESPACE_ALIAS = 8
    DEFINE_TYPE_ALIAS = 9


_WITH_ALIAS = frozenset(range(4, 10))
_WITH_ASSEMBLY = frozenset((2, 6, 8))
_WITH_NAMESPACE = frozenset((1, 2, 4, 7, 8))
_WITH_TYPE = frozenset((3, 9))


class Import(NamedTuple):
    """One import; what its kind does not have is None. An alias or assembly of index 0 is None, too."""

    kind: ImportKind
    alias: str | None
    assembly: Token | None
    namespace: str | None
    type: Token | None


def decode_imports(image: MetadataImage, blob: bytes, origin: int) -> list[Import]:
    """The imports of a blob. Raises MalformedError, TruncatedError."""
    reader = BlobReader(blob, origin, image.file)
    imports = []
    while reader.remaining:
        number = reader.compressed("an import kind")
        if not 1 <= number <= 9:
            raise reader.malformed(f"{number} is not a kind of import")
        alias = namespace = None
        assembly = type_token = None
        if number in _WITH_ALIAS:
            alias = _text(image, reader.compressed("an alias"))
        if number in _WITH_ASSEMBLY:
            row_id = reader.compressed("an assembly")
            assembly = make_token(TableNumber.ASSEMBLY_REF, row_id) if row_id else None
        if number in _WITH_NAMESPACE:
            namespace = _text(image, reader.compressed("a namespace")) or ""
        if number in _WITH_TYPE:
            type_token = Token(reader.type_def_or_ref())
        imports.append(Import(ImportKind(number), alias, assembly, namespace, type_token))
    return imports


def imports_of_scope(image: MetadataImage, row_id: int) -> tuple[int, list[Import] | None]:
    """(parent row, imports) of one ImportScope row; None for a nil blob."""
    row = image.table(TableNumber.IMPORT_SCOPE).row(row_id)
    if not row.imports:
        return row.parent, None
    return row.parent, decode_imports(image, image.blobs[row.imports], image.blobs.file_offset(row.imports))


def imports_chain(image: MetadataImage, row_id: int) -> list[list[Import]]:
    """The imports of a scope and its parents, innermost first. LimitError if the parents form a cycle."""
    chain: list[list[Import]] = []
    seen: set[int] = set()
    budget = image.budgets.begin("imports")
    while row_id:
        if row_id in seen:
            raise LimitError(f"the parents of import scope {row_id} form a cycle", file=image.file)
        seen.add(row_id)
        row_id, imports = imports_of_scope(image, row_id)
        budget.spend(1 + len(imports or ()))
        chain.append(imports or [])
    return chain


def _text(image: MetadataImage, offset: int) -> str | None:
    if not offset:
        return None
    try:
        return image.blobs[offset].decode("utf-8", image.text_errors)
    except UnicodeDecodeError as error:
        raise MalformedError(
            f"an import's text is not UTF-8: {error.reason}", file=image.file, offset=image.blobs.file_offset(offset)
        ) from None
