"""The lines that the methods of a document cover, found without decoding the points of them all.

A document of hundreds of methods is asked for one line. So for each method only bounds are computed at first, from the
first point and from sums over whole columns of the blob; methods whose bounds hold the line are then decoded. What is
kept makes the next question about the document cheaper still.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .compressed import BlobError, wide
from .errors import LimitError, PortablePdbError
from .handles import TableNumber, Token
from .limits import Budget
from .records import Record
from .sequence_points import SequencePoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .documents import Document
    from .limits import Budgets
    from .method_points import MethodPoints
    from .root import MetadataImage

_RECORD = 5  # bytes of a visible record whose integers are all short
_HIDDEN = b"\0\0"  # what follows the IL offset of a hidden point
_HIDDEN_RECORD = bytes(4)
# With so few rows, looking at each is quicker than searching their columns; blobs of this length may be shared by them.
_FEW_METHODS = 256
_LONG_BLOB = 1 << 14
# An integer of more than one byte.
_WIDE = re.compile(rb"[\x80-\xbf].|[\xc0-\xff]...", re.DOTALL)
# What a start line delta of one byte can move, up and down: signed, rotated by one (II.23.2).
_UP = bytes([0 if value & 1 else value >> 1 for value in range(128)]) + bytes(128)
_DOWN = bytes([64 - (value >> 1) if value & 1 else 0 for value in range(128)]) + bytes(128)
_UPWARD = bytes(range(0, 128, 2))


_METHOD_DEF = TableNumber.METHOD_DEF << 24
_NOT_YET = (-1, -1)  # bounds not looked for yet
_ANYWHERE = (0, 1 << 30)


class MethodSpan(Record):
    """The lines (1-based, inclusive) that the visible points of a method cover in one document, and those points."""

    method: Token
    first_line: int
    last_line: int
    points: Sequence[SequencePoint]


class Query(Budget):
    """One question: a budget of points, and those of the spans that it met, by document column and blob offset."""

    __slots__ = ("points",)

    def __init__(self, budgets: Budgets) -> None:
        super().__init__("points", budgets.of("points"), budgets.file)
        self.points: dict[tuple[int, int], Sequence[SequencePoint]] = {}


class DocumentSpans:
    """The methods of one document by the lines that they cover. A method with a malformed blob covers none."""

    __slots__ = ("_bounds", "_document", "_exact", "_image", "_method_points")

    def __init__(self, image: MetadataImage, method_points: MethodPoints, document: Document) -> None:
        self._image = image
        self._method_points = method_points
        self._document = document
        self._exact: dict[tuple[int, int], tuple[int, int] | None] = {}
        self._bounds: list[tuple[int, int, int, int, int]] = []
        if not self._few_bounds():
            self._many_bounds()

    def _few_bounds(self) -> bool:
        """The bounds of each method by its row, where there are few; False, else, or if blobs name the documents."""
        table = self._image.table(TableNumber.METHOD_DEBUG_INFORMATION)
        if table.row_count > _FEW_METHODS:
            return False
        wanted = self._document.row_id
        blobs = self._image.blobs
        heap = blobs.region
        data, start, end = heap.data, heap.start + 1, heap.end
        bounds = []
        row_id = 0
        for document, offset in table.stored_rows():
            row_id += 1
            if document == wanted:
                if offset:
                    begin = start + offset
                    size = data[begin - 1] if begin <= end else 0xFF
                    if size >= 0x80 or begin + size > end:  # long, or damaged
                        try:
                            size = len(blobs.head(offset, _LONG_BLOB))
                        except PortablePdbError:
                            continue
                        if size == _LONG_BLOB:
                            return False
                        blob = blobs[offset]
                    else:
                        blob = data[begin : begin + size]
                    if blob:
                        low, high = quick_bounds(blob) or _ANYWHERE
                        bounds.append((low, high, row_id, document, offset))
            elif offset and not document:
                return False
        self._bounds = bounds
        return True

    def _many_bounds(self) -> None:
        """The bounds of each method, looked for over whole columns."""
        image, bounds = self._image, self._bounds
        blobs = image.blobs
        heap = blobs.region
        data, start, end = heap.data, heap.start, heap.end
        by_offset: dict[int, tuple[int, int] | None] = {0: None}
        left = image.budgets.of("blob_bytes")
        table = image.table(TableNumber.METHOD_DEBUG_INFORMATION)
        unpack, first, width, rows = table.access()
        for row_id in self._method_points.rows_of_document(self._document.row_id):
            document, offset = unpack(rows, first + (row_id - 1) * width)
            found = by_offset.get(offset, _NOT_YET)
            if found is _NOT_YET:
                begin = start + offset + 1
                size = data[begin - 1] if begin <= end else 0x80
                if size < 0x80 and begin + size <= end:
                    blob = data[begin : begin + size]
                else:
                    try:
                        blob = blobs[offset]
                    except PortablePdbError:
                        blob = b""
                left -= len(blob)
                if left < 0:
                    raise image.budgets.begin("blob_bytes").spent()
                found = by_offset[offset] = (quick_bounds(blob) or _ANYWHERE) if blob else None
            if found is not None:
                low, high = found if document else _ANYWHERE
                bounds.append((low, high, row_id, document, offset))

    def only(self, line: int) -> tuple[int, int, int] | None:
        """The row, document column and blob offset of the method that alone may cover a line; None for more or none."""
        near = [bounds for bounds in self._bounds if bounds[0] <= line <= bounds[1]]
        return near[0][2:] if len(near) == 1 else None

    def overlapping(self, first: int, last: int, query: Query) -> list[MethodSpan]:
        """The spans that share a line with ``first..last``, in row order."""
        found = []
        exact = self._exact
        for low, high, row_id, document, offset in self._bounds:
            if low <= last and first <= high:
                key = document, offset
                points: Sequence[SequencePoint] | None = None
                if key not in exact:
                    points = self._visible(key, query)
                    exact[key] = (min([p[1] for p in points]), max([p[3] for p in points])) if points else None
                covered = exact[key]
                if covered is None or covered[0] > last or first > covered[1]:
                    continue
                if points is None:
                    points = query.points.get(key)
                    if points is None:
                        points = self._visible(key, query)
                    else:
                        query.spend(len(points))  # each method that shares them is looked through
                found.append(MethodSpan(Token(_METHOD_DEF | row_id), covered[0], covered[1], points))
        return found

    def _visible(self, key: tuple[int, int], query: Query) -> Sequence[SequencePoint]:
        document = self._document
        try:
            decoded = self._method_points.of_blob(*key, query)
        except LimitError:
            raise
        except PortablePdbError:
            return ()
        points = query.points[key] = [p for p in decoded if not p[6] and p[5] is document]
        return points


def quick_bounds(blob: bytes) -> tuple[int, int] | None:
    """Lines that no visible point of the blob goes beyond, for a blob without document in its head.

    None when that takes decoding: the document changes, or a line moves by more than one byte says.
    """
    try:
        if blob.isascii():
            at = 2
            while not blob[at] and not blob[at + 1]:  # hidden, before the first visible point
                at += 3
                if not blob[at - 1]:
                    return None
            lines, line, records = blob[at], blob[at + 2], blob[at + 4 :]
        else:
            lines, line, records = _first_record(blob)
    except (ValueError, IndexError, BlobError):
        return None
    if _HIDDEN in records:
        # A hidden record gets the length of the others. Where the zeroes are those of another record, the rest of it
        # moves on, and a zero comes to stand for an IL offset, which is noticed below.
        records = records.replace(_HIDDEN, _HIDDEN_RECORD)
    if not records:
        return line, line + lines
    if len(records) % _RECORD or 0 in records[::_RECORD]:  # a change of document, which is rare, or damage
        return None
    moves = records[3::_RECORD]
    extent = max(records[1::_RECORD])
    if extent >= 0x80:
        return None
    if extent > lines:  # quicker than max()  # noqa: PLR1730
        lines = extent
    if not moves.translate(None, _UPWARD):
        return line, line + (sum(moves) >> 1) + lines
    if not moves.isascii():
        return None
    return line - sum(moves.translate(_DOWN)), line + sum(moves.translate(_UP)) + lines


def _first_record(blob: bytes) -> tuple[int, int, bytes]:
    """Extent and start line of the first visible point, and the records after it with one byte for each integer."""
    while blob[2:4] == _HIDDEN:  # before the first visible point: what follows it looks as the head does
        if (blob[0] | blob[1]) >= 0x80 or not blob[4]:
            raise ValueError
        blob = blob[3:]
    signature, offset, lines, columns, line, then = blob[:6]
    if (signature | offset | lines | columns) < 0x80 and line < 0xC0:
        position = 6
        if line >= 0x80:
            line = (line & 0x3F) << 8 | then
            then = blob[6]
            position = 7
    else:
        _, position, _ = wide(blob, 0)
        _, position, _ = wide(blob, position)
        lines, position, _ = wide(blob, position)
        columns, position, _ = wide(blob, position)
        if not lines | columns:
            raise ValueError
        line, position, _ = wide(blob, position)
        then = blob[position]
        position += 1
    if then >= 0x80:
        _, position, _ = wide(blob, position - 1)
    records = blob[position:]
    return lines, line, records if records.isascii() else _WIDE.sub(b"\x80", records)
