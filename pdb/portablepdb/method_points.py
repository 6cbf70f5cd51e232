"""The sequence points of a PDB's methods, decoded when asked for, and which methods have points in a document.

Method rows are rows of MethodDebugInformation, which are those of MethodDef.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .compressed import BlobError
from .errors import LimitError, MalformedError, PortablePdbError
from .handles import TableNumber, Token, make_token
from .sequence_points import (
    SequencePoint,
    decode_points,
    initial_document,
    local_signature_row,
    points_on_line,
)

if TYPE_CHECKING:
    from .documents import Documents
    from .limits import Budget

_EMPTY: tuple[SequencePoint, ...] = ()


class MethodPoints:
    """The points of the methods of one PDB. Not thread-safe: caches are filled without locks.

    Points are not kept. Their blob is the compact form of them, and is decoded about as quickly as any other.
    """

    __slots__ = ("_document_of", "_image", "_undocumented")

    def __init__(self, documents: Documents) -> None:
        self._image = documents.image
        self._document_of = documents.of_row
        self._undocumented: dict[int, list[int]] | None = None

    def of_row(self, row_id: int) -> Sequence[SequencePoint]:
        """The points of a method row; () if it has none. Raises NoSuchEntryError, MalformedError, TruncatedError."""
        return self.of_blob(*self._image.table(TableNumber.METHOD_DEBUG_INFORMATION).row(row_id))

    def of_blob(self, document: int, offset: int, budget: Budget | None = None) -> Sequence[SequencePoint]:
        """As :meth:`of_row`, by the values of the row. A budget of points pays for the work."""
        blobs = self._image.blobs
        blob = blobs[offset]
        try:
            points: Sequence[SequencePoint] = decode_points(blob, document, self._document_of) if blob else _EMPTY
        except BlobError as error:
            raise error.located(self._image.file, blobs.file_offset(offset)) from None
        if budget is not None:
            budget.left -= len(points)
            if budget.left < 0:
                raise budget.spent()
        return points

    def on_line(self, document: int, offset: int, line: int) -> list[SequencePoint]:
        """The visible points of a blob that start on a line of the document of its row. Raises as :meth:`of_blob`."""
        blobs = self._image.blobs
        try:
            return points_on_line(blobs[offset], document, line, self._document_of)
        except BlobError as error:
            raise error.located(self._image.file, blobs.file_offset(offset)) from None

    def every(self) -> Iterator[tuple[Token, Sequence[SequencePoint]]]:
        """See PortablePdb.all_sequence_points."""
        image, document_of = self._image, self._document_of
        blobs = image.blobs
        table = image.table(TableNumber.METHOD_DEBUG_INFORMATION)
        data, start, end = blobs.region.data, blobs.region.start, blobs.region.end
        row_id = 0
        base = TableNumber.METHOD_DEF << 24
        last: tuple[int, int] = 0, 0
        points: Sequence[SequencePoint] = _EMPTY
        budget = image.budgets.begin("points")
        try:
            for document, offset in table.stored_rows():
                row_id += 1
                if offset == 0:
                    continue
                if (document, offset) != last:
                    begin = start + offset + 1
                    size = data[begin - 1] if begin <= end else 0xFF
                    if size < 0x80 and begin + size <= end:
                        blob = data[begin : begin + size]
                    else:
                        blob = blobs[offset]
                    points = decode_points(blob, document, document_of) if blob else _EMPTY
                    last = document, offset
                    budget.left -= len(points)
                    if budget.left < 0:
                        raise budget.spent()
                if points:
                    yield Token(base | row_id), points
        except BlobError as error:
            raise error.located(image.file, blobs.file_offset(offset)) from None

    def local_signature(self, row_id: int) -> Token | None:
        """The StandAloneSig token of a method's locals; None without locals or blob. Raises MalformedError."""
        image = self._image
        row = image.table(TableNumber.METHOD_DEBUG_INFORMATION).row(row_id)
        blob = image.blobs.head(row.sequence_points, 8)
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

    def _index_undocumented(self) -> dict[int, list[int]]:
        """Methods by document, of those whose points name it: the column is nil (several documents, or F#)."""
        table = self._image.table(TableNumber.METHOD_DEBUG_INFORMATION)
        index: dict[int, list[int]] = {}
        by_offset: dict[int, set[int]] = {}
        budget = self._image.budgets.begin("points")
        for row_id in table.rows_zero_and_not("document", "sequence_points"):
            offset = table.value(row_id, "sequence_points")
            documents = by_offset.get(offset)
            if documents is None:
                documents = by_offset[offset] = self._documents_of_blob(offset, budget)
            budget.spend(len(documents))
            for number in documents:
                index.setdefault(number, []).append(row_id)
        return index

    def _documents_of_blob(self, offset: int, budget: Budget) -> set[int]:
        """The documents that a blob names itself; none where it is damaged: such a method has no points."""
        try:
            blob = self._image.blobs[offset]
            if not blob:
                return set()
            documents = {initial_document(blob, 0)}
            points = decode_points(blob, 0, self._document_of)
        except LimitError:
            raise
        except (PortablePdbError, BlobError, IndexError):
            return set()
        budget.spend(len(points))
        documents.update([point.document.row_id for point in points])
        return documents
