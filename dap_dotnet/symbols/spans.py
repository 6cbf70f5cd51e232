"""Ranges of source files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from portablepdb import SequencePoint


class Span(Struct, frozen=True, order=True):
    """A range of source: lines and columns are 1-based, the end column is exclusive (Portable PDB sequence points)."""

    line: int
    column: int
    end_line: int
    end_column: int


def span_of(point: SequencePoint) -> Span:
    """The source of a visible sequence point."""
    return Span(point.start_line, point.start_column, point.end_line, point.end_column)
