"""Ranges of source files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule

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


def first_visible(module: LoadedModule, method: MethodToken) -> SequencePoint | None:
    """Where the source of a method begins; None without source."""
    points = module.pdb.sequence_points(method) if module.pdb is not None else ()
    visible = (point for point in points if not point.is_hidden)
    return min(visible, key=lambda point: point.il_offset, default=None)
