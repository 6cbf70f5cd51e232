"""The sequence points of a PDB's methods, decoded when asked for, and which methods have points in a document.

Method rows are rows of MethodDebugInformation, which are those of MethodDef.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .errors import MalformedError, PortablePdbError
from .handles import TableNumber, Token, make_token
from .sequence_points import BlobError, SequencePoint, decode_points, initial_document, local_signature_row

if TYPE_CHECKING:
    from .root import MetadataImage

_EMPTY: tuple[SequencePoint, ...] = ()


class MethodPoints:
    """The points of the methods of one PDB. Not thread-safe: caches are filled without locks."""

    def __init__(self, image: MetadataImage) -> None:
        self._image = image
        self._points: dict[int, Sequence[SequencePoint]] = {}
        self._undocumented: dict[int, list[int]] | None = None

    def of_row(self, row_id: int) -> Sequence[SequencePoint]:
        """The points of a method row; () if it has none. Raises NoSuchEntryError, MalformedError, TruncatedError."""
        points = self._points.get(row_id)
        if points is None:
            points = self._points[row_id] = self.decode(row_id)
        return points

    def of_blob(self, row_id: int, document: int, offset: int) -> Sequence[SequencePoint]:
        """As :meth:`of_row`, for a caller that has the values of the row at hand."""
        points = self._points.get(row_id)
        if points is None:
            points = self._points[row_id] = self._decode_blob(document, offset)
        return points

    def decode(self, row_id: int) -> Sequence[SequencePoint]:
        """As :meth:`of_row`, but decoded anew and not kept."""
        return self._decode_blob(*self._image.table(TableNumber.METHOD_DEBUG_INFORMATION).row(row_id))

    def every(self) -> Iterator[tuple[Token, Sequence[SequencePoint]]]:
        """See PortablePdb.all_sequence_points."""
        image = self._image
        blobs = image.blobs
        table = image.table(TableNumber.METHOD_DEBUG_INFORMATION)
        data, start, end = blobs.region.data, blobs.region.start, blobs.region.end
        pairs = zip(table.raw_column("document"), table.raw_column("sequence_points"), strict=False)
        row_id = 0
        base = TableNumber.METHOD_DEF << 24
        try:
            for document, offset in pairs:
                row_id += 1
                if offset == 0:
                    continue
                begin = start + offset + 1
                size = data[begin - 1] if begin <= end else 0xFF
                if size < 0x80 and begin + size <= end:
                    blob = data[begin : begin + size]
                else:
                    blob = blobs[offset]
                if blob:
                    yield Token(base | row_id), decode_points(blob, document)
        except BlobError as error:
            raise error.located(image.file, blobs.file_offset(offset)) from None

    def local_signature(self, row_id: int) -> Token | None:
        """The StandAloneSig token of a method's locals; None without locals or blob. Raises MalformedError."""
        image = self._image
        row = image.table(TableNumber.METHOD_DEBUG_INFORMATION).row(row_id)
        blob = image.blobs[row.sequence_points]
        if not blob:
            return None
        try:
            signature = local_signature_row(blob)
        except (BlobError, IndexError):
            raise MalformedError(
                "the local signature in a sequence points blob is malformed",
                file=image.file,
                offset=image.blobs.file_offset(row.sequence_points),
            ) from None
        return make_token(TableNumber.STAND_ALONE_SIG, signature) if signature else None

    def rows_of_document(self, document_row: int) -> list[int]:
        """The method rows with points in a document, ascending, also those whose document column is nil or another."""
        table = self._image.table(TableNumber.METHOD_DEBUG_INFORMATION)
        rows = table.rows_equal("document", document_row)
        if self._undocumented is None:
            self._undocumented = self._index_undocumented()
        more = self._undocumented.get(document_row)
        return sorted(rows + more) if more else rows

    def _decode_blob(self, document: int, offset: int) -> Sequence[SequencePoint]:
        blobs = self._image.blobs
        blob = blobs[offset]
        if not blob:
            return _EMPTY
        try:
            return decode_points(blob, document)
        except BlobError as error:
            raise error.located(self._image.file, blobs.file_offset(offset)) from None

    def _index_undocumented(self) -> dict[int, list[int]]:
        """Methods by document, of those whose points name it: the column is nil (several documents, or F#)."""
        table = self._image.table(TableNumber.METHOD_DEBUG_INFORMATION)
        blobs = self._image.blobs
        index: dict[int, list[int]] = {}
        for row_id in table.rows_zero_and_not("document", "sequence_points"):
            try:
                blob = blobs[table.value(row_id, "sequence_points")]
                if blob:
                    # Only records may name further documents; most blobs have none.
                    documents = {initial_document(blob, 0)}
                    documents.update([point.document_row for point in decode_points(blob, 0)])
                    for number in documents:
                        index.setdefault(number, []).append(row_id)
            except (PortablePdbError, BlobError, IndexError):
                continue  # a method with a damaged blob has no points
        return index
