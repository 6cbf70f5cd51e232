"""The CustomDebugInformation table: entries of a parent, and their values decoded by kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import UUID

from . import custom_debug_info as cdi
from .blob_reader import BlobReader
from .handles import BlobOffset, GuidIndex, RowId, TableNumber, Token, row_of, table_of

if TYPE_CHECKING:
    from .documents import Document, Documents
    from .root import MetadataImage

_DECODERS: dict[str, Callable[[BlobReader], Any]] = {
    "async_stepping": cdi.decode_async_stepping,
    "hoisted_scopes": cdi.decode_hoisted_scopes,
    "dynamic": cdi.decode_dynamic,
    "tuple_names": cdi.decode_tuple_names,
    "default_namespace": cdi.decode_text,
    "enc_local_slots": cdi.decode_enc_local_slots,
    "enc_lambdas": cdi.decode_enc_lambdas,
    "enc_states": cdi.decode_enc_states,
    "source_link": cdi.decode_text,
    "metadata_refs": cdi.decode_metadata_references,
    "compilation_options": cdi.decode_compilation_options,
    "primary_constructor": BlobReader.rest,
}


class CustomDebugInformation:
    """One entry: the token of its ``parent``, the GUID of its kind, the value."""

    __slots__ = ("_documents", "_guid", "_image", "_value", "parent", "row_id")

    def __init__(self, documents: Documents, row_id: int, parent: Token, guid: GuidIndex, value: BlobOffset) -> None:
        self._documents = documents
        self._image = documents.image
        self._guid = guid
        self._value = value
        self.row_id = RowId(row_id)
        self.parent = parent

    def __repr__(self) -> str:
        return f"<CustomDebugInformation {self.row_id} of 0x{self.parent:08x} {self.kind or self.guid}>"

    @property
    def guid(self) -> UUID | None:
        """The GUID of the kind; None if nil."""
        return self._image.guids[self._guid]

    @property
    def kind(self) -> str | None:
        """The short name of the kind (a value of KINDS); None for kinds unknown to this reader."""
        return cdi.KIND_OF_GUID.get(self._image.guids.raw(self._guid)) if self._guid else None

    @property
    def document(self) -> Document | None:
        """The document that it is about; None where the parent is something else."""
        is_document = table_of(self.parent) == TableNumber.DOCUMENT
        return self._documents.of_row(row_of(self.parent)) if is_document else None

    @property
    def value(self) -> bytes:
        """The undecoded value."""
        return self._image.blobs[self._value]

    @property
    def decoded(self) -> Any:
        """The value as its kind decodes (see custom_debug_info.py); the bytes of an unknown kind.

        Of "type_documents" the Document objects. Raises MalformedError, TruncatedError, LimitError.
        """
        kind = self.kind
        if kind is None:
            return self.value
        reader = BlobReader(self.value, self._image.blobs.file_offset(self._value), self._image.file)
        if kind == "embedded_source":
            return cdi.decode_embedded_source(reader, self._image.budgets.of("inflated"))
        if kind == "type_documents":
            return [self._documents.of_row(row_id) for row_id in cdi.decode_type_documents(reader)]
        return _DECODERS[kind](reader)


def entries(documents: Documents, parent: int | None) -> list[CustomDebugInformation]:
    """The entries of a parent token, or all, in row order."""
    table = documents.image.table(TableNumber.CUSTOM_DEBUG_INFORMATION)
    row_ids = range(1, table.row_count + 1) if parent is None else table.rows_with("parent", parent)
    found = []
    for row_id in row_ids:
        row = table.row(row_id)
        found.append(CustomDebugInformation(documents, row_id, row.parent, row.kind, row.value))
    return found


def find_value(image: MetadataImage, parent: int, kind: str) -> tuple[bytes | None, int]:
    """Value and its file offset of a parent's first entry of a kind; (None, 0) if it has none."""
    wanted = cdi.GUID_OF_KIND.get(kind)
    if wanted is None:
        raise ValueError(f"{kind!r} is no kind of custom debug information; there are {', '.join(cdi.GUID_OF_KIND)}")
    table = image.table(TableNumber.CUSTOM_DEBUG_INFORMATION)
    for row_id in table.rows_with("parent", parent):
        row = table.row(row_id)
        if row.kind and image.guids.raw(row.kind) == wanted:
            return image.blobs[row.value], image.blobs.file_offset(row.value)
    return None, 0
