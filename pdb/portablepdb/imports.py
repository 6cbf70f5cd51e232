"""Import scopes: using directives, aliases, XML namespaces (Portable PDB 1.0, "Imports Blob")."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from .blob_reader import BlobReader
from .errors import LimitError, MalformedError
from .handles import BlobOffset, RowId, TableNumber, Token, make_token
from .records import Record

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


class Import(Record):
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


class ImportScope:
    """A list of imports, as the using directives of a file or a namespace; ``parent`` is the one around it."""

    __slots__ = ("_image", "_imports", "_parent", "row_id")

    def __init__(self, image: MetadataImage, row_id: int) -> None:
        """NoSuchEntryError when there is no such row."""
        row = image.table(TableNumber.IMPORT_SCOPE).row(row_id)
        self._image = image
        self._parent: RowId = row.parent
        self._imports: BlobOffset = row.imports
        self.row_id = RowId(row_id)

    def __repr__(self) -> str:
        return f"<ImportScope {self.row_id}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ImportScope) and self.row_id == other.row_id and self._image is other._image

    def __hash__(self) -> int:
        return hash((id(self._image), self.row_id))

    @property
    def parent(self) -> ImportScope | None:
        """The scope around it; None for the outermost one. Raises NoSuchEntryError."""
        return ImportScope(self._image, self._parent) if self._parent else None

    @property
    def imports(self) -> list[Import]:
        """Its imports; [] for a nil blob, too. Raises MalformedError, TruncatedError."""
        blobs, offset = self._image.blobs, self._imports
        return decode_imports(self._image, blobs[offset], blobs.file_offset(offset)) if offset else []


def imports_chain(image: MetadataImage, scope: ImportScope | None) -> list[list[Import]]:
    """The imports of a scope and its parents, innermost first. LimitError if the parents form a cycle."""
    chain: list[list[Import]] = []
    seen: set[int] = set()
    budget = image.budgets.begin("imports")
    while scope is not None:
        if scope.row_id in seen:
            raise LimitError(f"the parents of import scope {scope.row_id} form a cycle", file=image.file)
        seen.add(scope.row_id)
        imports = scope.imports
        budget.spend(1 + len(imports))
        chain.append(imports)
        scope = scope.parent
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
