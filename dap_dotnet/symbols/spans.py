"""Places in source files."""

from __future__ import annotations

from msgspec import Struct


class Span(Struct, frozen=True, order=True):
    """A range of source: lines and columns are 1-based, the end column is exclusive (Portable PDB sequence points)."""

    line: int
    column: int
    end_line: int
    end_column: int
