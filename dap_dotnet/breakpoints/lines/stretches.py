"""Where a method stands in its source, and which parts of that belong to a range of its IL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dap_dotnet.breakpoints.lines.declaration_reader import declarations_of
from dap_dotnet.breakpoints.lines.declarations import Declarations
from dap_dotnet.breakpoints.lines.document_lines import DocumentLines, Point
from dap_dotnet.breakpoints.lines.resolver import LineResolver
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.spans import Span
from dap_dotnet.symbols.statements import statements_of


@dataclass(frozen=True)
class Stretch:
    """The statements of a method around one of its places, with those of lambdas and local functions in between."""

    lines: DocumentLines
    points: Sequence[Point]
    """Its own, of at least one; sorted."""
    declarations: Callable[[], Declarations | None]
    """What its source declares; None where the source is not here, or in a language that is not known."""

    @property
    def span(self) -> Span:
        """All of it, without the header."""
        return _hull(self.points)

    @property
    def span_with_header(self) -> Span:
        """All of it."""
        span = self.span
        begin = span.line, span.column
        declarations = self.declarations()
        header = declarations.start_around(begin) if declarations is not None else None
        line, column = min(header or begin, begin)
        return Span(line, column, span.end_line, span.end_column)

    def of_offsets(self, start: int, end: int) -> Span | None:
        """What a range of IL offsets (the end excluded) stands for; None for code that the source does not have."""
        points = [point for point in self.points if start <= point.il_offset < end]
        return _hull(points) if points else None

    def inner(self) -> dict[MethodToken, Span]:
        """The other methods that stand in it, each from where what comes before it ends: their headers are in that."""
        span = self.span
        end = span.end_line, span.end_column
        within = [point for point in self.lines.points if (span.line, span.column) <= point[:2] < end]
        own = self.points[0].method
        by_method: dict[MethodToken, list[Point]] = {}
        for point in within:
            if not self.lines.is_same_body(own, point.method):
                by_method.setdefault(point.method, []).append(point)
        return {method: _with_header(_hull(points), within) for method, points in by_method.items()}


@if_damaged(None)
def stretch_at(lines: LineResolver, module: LoadedModule, method: MethodToken, il_offset: int) -> Stretch | None:
    """The stretch of a method around an IL offset; None where it has no source."""
    pdb = module.pdb
    place = statements_of(module, method).visible_at(il_offset)
    if pdb is None or place is None:
        return None
    document = lines.lines_in(module, pdb.documents.row_id_of(place.document))
    points = document.stretch(method, place.start_line)
    if not points:
        return None
    path = lines.local_path(place.document.name)
    language = place.document.language_name
    return Stretch(document, points, lambda: declarations_of(lines.paths.file(path), language))


def without(span: Span, holes: Iterable[Span]) -> list[Span]:
    """What is left of a span; sorted."""
    left = []
    start = span.line, span.column
    end = span.end_line, span.end_column
    for hole in sorted(holes):
        if start < (hole.line, hole.column):
            left.append(Span(*start, *min(end, (hole.line, hole.column))))
        start = max(start, (hole.end_line, hole.end_column))
    if start < end:
        left.append(Span(*start, *end))
    return [one for one in left if (one.line, one.column) < (one.end_line, one.end_column)]


def _hull(points: Sequence[Point]) -> Span:
    first = min(points)
    return Span(first.line, first.column, *max((point.end_line, point.end_column) for point in points))


def _with_header(span: Span, points: Iterable[Point]) -> Span:
    """From the end of what comes before it; within a statement from the line's beginning, or that of the statement."""
    before = [point for point in points if point[:2] < (span.line, span.column)]
    if not before:
        return span
    last = max(before)
    end = last.end_line, last.end_column
    start = end if end <= (span.line, span.column) else max(last[:2], (span.line, 1))
    return Span(*start, span.end_line, span.end_column)
