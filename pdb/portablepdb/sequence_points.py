"""The sequence points blob (Portable PDB 1.0, "Sequence Points Blob").

The decoder is one hand-written loop: a large PDB has a million points, and a call for each compressed integer would
cost more than the rest of the work together. Nearly all integers are one byte; the others go through ``wide``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .compressed import BlobError, wide
from .errors import TruncatedError
from .records import Record

if TYPE_CHECKING:
    from .documents import Document

    DocumentOf = Callable[[int], Document]
    """Gives the document of a row id; any that a blob may name, also one that does not exist."""

HIDDEN_LINE = 0xFEEFEE
"""The line that stands for "hidden" (16707566)."""

_MAX_COLUMN = 0xFFFF


class SequencePoint(Record):
    """An IL offset and the span of source that it begins.

    Lines and columns are 1-based; the end column is exclusive. A hidden point has HIDDEN_LINE for both lines and 0
    for both columns.
    """

    il_offset: int
    start_line: int
    start_column: int
    end_line: int
    end_column: int
    document: Document
    is_hidden: bool


# Signed one-byte values: rotated right by one, the sign in the lowest bit (II.23.2).
_SIGNED = tuple((value >> 1) - 64 if value & 1 else value >> 1 for value in range(128))
_new = tuple.__new__
# So few records with one byte for each integer, of five bytes if visible, take nothing out of its range from there.
_SHORT = 2500
_FIRST = b"\1"  # for the first IL offset, which may be 0: a delta of 0 is something else in the records after it
_FAR_OFFSET = 1 << 30
_FAR_LINE = 1 << 23
_FAR_COLUMN = 1 << 14


def local_signature_row(blob: bytes) -> int:
    """The row id of the StandAloneSig from the head of the blob; 0: the method has no locals. Raises IndexError."""
    first = blob[0]
    return first if first < 0x80 else wide(blob, 0)[0]


def initial_document(blob: bytes, document_row: int) -> int:
    """The document of the first point: the column's; if nil, the one in the blob's head. Raises IndexError."""
    if document_row:
        return document_row
    _, position, _ = wide(blob, 0)
    return wide(blob, position)[0]


def decode_points(blob: bytes, document_row: int, document_of: DocumentOf) -> list[SequencePoint]:
    """All points of a blob. ``document_row`` is the Document column of the method's row, 0 if nil. Raises BlobError."""
    if document_row and 1 < len(blob) <= _SHORT and blob.isascii():
        found = _one_byte_records(_FIRST + blob[2:], document_of(document_row), blob[1] - 1)
        if found:
            return found
    position = 0
    size = len(blob)
    points: list[SequencePoint] = []
    append = points.append
    signed = _SIGNED
    try:
        value = blob[0]
        position = 1
        if value >= 0x80:
            _, position, _ = wide(blob, 0)
        row_id = document_row
        if not row_id:
            row_id, position, _ = wide(blob, position)
            if not row_id:
                raise BlobError("the initial document of a sequence points blob is nil", position)
        document = document_of(row_id)
        il_offset = -1
        line = column = -1
        seen_visible = False
        while position < size or il_offset < 0:
            # The IL offset; a delta of 0 (not in the first record) changes the document instead.
            value = blob[position]
            position += 1
            if value >= 0x80:
                value, position, _ = wide(blob, position - 1)
            if il_offset < 0:
                il_offset = value
            elif value == 0:
                row_id, position, _ = wide(blob, position)
                if not 0 < row_id <= 0xFFFFFF:
                    raise BlobError("a document record names no document", position)
                document = document_of(row_id)
                # Only records may end the blob, not a change of document.
                if position >= size:
                    raise IndexError
                continue
            else:
                il_offset += value
                if il_offset > 0x7FFFFFFF:
                    raise BlobError(f"IL offset {il_offset} is out of range", position)
            # The extent in lines and columns.
            lines = blob[position]
            position += 1
            if lines >= 0x80:
                lines, position, _ = wide(blob, position - 1)
            columns = blob[position]
            position += 1
            if lines:
                if columns < 0x80:
                    columns = signed[columns]
                else:
                    columns, position = _wide_signed(blob, position - 1)
            else:
                if columns >= 0x80:
                    columns, position, _ = wide(blob, position - 1)
                if not columns:
                    append(_new(SequencePoint, (il_offset, HIDDEN_LINE, 0, HIDDEN_LINE, 0, document, True)))
                    continue
            # The start: absolute in the first visible record, relative to the last visible one afterwards.
            value = blob[position]
            position += 1
            if line < 0:
                if value >= 0x80:
                    value, position, _ = wide(blob, position - 1)
                line = value
                value = blob[position]
                position += 1
                if value >= 0x80:
                    value, position, _ = wide(blob, position - 1)
                column = value
            else:
                if value < 0x80:
                    line += signed[value]
                else:
                    value, position = _wide_signed(blob, position - 1)
                    line += value
                value = blob[position]
                position += 1
                if value < 0x80:
                    column += signed[value]
                else:
                    value, position = _wide_signed(blob, position - 1)
                    column += value
            end_line = line + lines
            end_column = column + columns
            if (
                line < 0
                or end_line >= HIDDEN_LINE
                or column < 0
                or column > _MAX_COLUMN
                or end_column < 0
                or end_column > _MAX_COLUMN
            ):
                span = f"{line}:{column} to {end_line}:{end_column}"
                raise BlobError(f"the span {span} leaves lines 0..0xfeefed, columns 0..0xffff", position)
            append(_new(SequencePoint, (il_offset, line, column, end_line, end_column, document, False)))
            if not seen_visible:
                seen_visible = True
                records = blob[position:]
                near = il_offset < _FAR_OFFSET and 0 < line < _FAR_LINE and column < _FAR_COLUMN
                if near and len(records) <= _SHORT and records.isascii():
                    rest = _one_byte_records(records, document, il_offset, line, column)
                    if rest is not None:
                        points += rest
                        return points
    except IndexError:
        raise BlobError("the sequence points blob ends inside a record", size, TruncatedError) from None
    return points


def points_on_line(blob: bytes, document_row: int, line: int, document_of: DocumentOf) -> list[SequencePoint]:
    """The visible points of a blob that start on a line, in that document. Raises BlobError, as decode_points does."""
    if document_row and line and 1 < len(blob) <= _SHORT and blob.isascii():
        found = _one_byte_records(_FIRST + blob[2:], document_of(document_row), blob[1] - 1, only=line)
        if found is not None:
            return found
    points = decode_points(blob, document_row, document_of)
    document = document_of(document_row)
    return [point for point in points if point[1] == line and point[5] == document and not point[6]]


def _one_byte_records(
    records: bytes, document: Document, il_offset: int, line: int = 0, column: int = 0, *, only: int = 0
) -> list[SequencePoint] | None:
    """As decode_points, for records that have one byte for each integer; ``line`` 0 is before the first visible one.

    With ``only``, the visible points that start on that line. None for what another look has to tell: damage, a change
    of document. As short as the records are, no number is too large.
    """
    points: list[SequencePoint] = []
    append = points.append
    signed = _SIGNED
    new = _new
    rest = iter(records)
    following = rest.__next__
    try:
        for value in rest:
            if not value:
                return None
            il_offset += value
            lines = following()
            columns = following()
            if lines or columns:
                if line:
                    line += signed[following()]
                    column += signed[following()]
                else:
                    line = following()
                    column = following()
                if lines:
                    columns = signed[columns]
                end_column = column + columns
                if line <= 0 or column < 0 or end_column < 0:
                    return None
                if not only or line == only:
                    append(new(SequencePoint, (il_offset, line, column, line + lines, end_column, document, False)))
            elif not only:
                append(new(SequencePoint, (il_offset, HIDDEN_LINE, 0, HIDDEN_LINE, 0, document, True)))
    except StopIteration:
        return None
    return points


def _wide_signed(blob: bytes, position: int) -> tuple[int, int]:
    value, position, bits = wide(blob, position)
    return ((value >> 1) - (1 << (bits - 1)) if value & 1 else value >> 1), position
