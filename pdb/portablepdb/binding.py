"""From a line of a document to places in methods.

Two rules live here. :meth:`LineBinder.bind` is the library's own, behind PortablePdb.bind: the tightest method first; a
line inside a statement means that one, a line without code moves to the next statement of the same innermost method.
:meth:`LineBinder.bind_flat` is the simple one that ``portablepdb bind`` prints, so that two readers can be compared.
dap-dotnet binds its breakpoints by neither: it joins the lines of all modules that share a source file
(dap_dotnet/breakpoints/lines).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .errors import PortablePdbError
from .handles import TableNumber, Token
from .records import Record
from .sequence_points import SequencePoint
from .spans import DocumentSpans, MethodSpan, Query

if TYPE_CHECKING:
    from .documents import Documents
    from .method_points import MethodPoints


_FEW_HITS = 1000
_METHOD_DEF = TableNumber.METHOD_DEF << 24
_new: Any = tuple.__new__  # quicker than a NamedTuple's own, which does the same


class BindCandidate(Record):
    """A place that a line may mean: the method's token and the point in it."""

    method: Token
    point: SequencePoint


class LineBinder:
    """Binds the lines of one PDB's documents. What it learns about a document it keeps."""

    __slots__ = ("_documents", "_image", "_method_points", "_spans")

    def __init__(self, documents: Documents, method_points: MethodPoints) -> None:
        self._documents = documents
        self._image = documents.image
        self._method_points = method_points
        self._spans: dict[int, DocumentSpans] = {}

    def bind(self, document_row: int, line: int, column: int | None = None) -> list[BindCandidate]:
        """See PortablePdb.bind.

        All points that start on the line are candidates, in every method around it: the parts of a ``for``, and the
        lambdas on the line. With a column (heeded on the line itself, not after a move) the points around the column
        with the greatest start column are kept, else the next ones after it, which may be none. A line inside a
        statement that begins above it means that statement, in each method that has it. A constructor with field
        initializers spans other members: a line in a gap between its statements that also holds whole other methods is
        between members, and binds nowhere.
        """
        spans = self._document_spans(document_row)
        hits = self._hits_of_only(spans, document_row, line)
        if hits:
            return _by_column(hits, line, column) if column else hits
        query = Query(self._image.budgets)
        around = spans.overlapping(line, line, query)
        if not around:
            return []
        if len(around) > 1:
            around.sort(key=_tightness)
        hits = self._hits(around, line)
        if not hits:
            owner = around[0]
            inside_of = _statement_around(owner, line)
            if inside_of is not None:
                return self._hits_at(around, inside_of)
            moved = self._moved(spans, owner, line, query)
            if moved is None:
                return []
            inside = [
                span
                for span in spans.overlapping(moved, moved, query)
                if owner.first_line <= span.first_line and span.last_line <= owner.last_line
            ]
            inside.sort(key=_tightness)
            return self._hits(inside, moved)
        if column:
            hits = _by_column(hits, line, column)
        return hits

    def bind_flat(self, document_rows: Iterable[int], line: int, column: int = 0) -> list[BindCandidate]:
        """The rule of ``portablepdb bind``, over all matching documents at once; column 0 means none.

        Candidates are the methods whose visible points in a document span the line; the smallest start line at or
        after it among all of their points is taken; the answer is every point that starts there, by (token, offset,
        document).
        """
        query = Query(self._image.budgets)
        around = [
            span for row_id in document_rows for span in self._document_spans(row_id).overlapping(line, line, query)
        ]
        starts = [p.start_line for span in around for p in span.points if p.start_line >= line]
        start = min(starts, default=None)
        if start is None:
            return []
        hits = self._hits(around, start)
        if column > 0 and start == line:
            hits = _by_column(hits, line, column)
        return sorted(hits, key=lambda hit: (hit.method, hit.point.il_offset, hit.point.document.row_id))

    def _hits_of_only(self, spans: DocumentSpans, document_row: int, line: int) -> list[BindCandidate]:
        """The hits of a line with code in one short method alone, which is the usual case; [] takes a longer look."""
        only = spans.only(line)
        if only is None or self._image.budgets.limits is not None:
            return []
        row_id, document, offset = only
        if document != document_row:
            return []
        try:
            points = self._method_points.on_line(document, offset, line)
        except PortablePdbError:
            return []
        if len(points) > _FEW_HITS:  # what it costs is to be paid for
            return []
        method = Token(_METHOD_DEF | row_id)
        return [_new(BindCandidate, (method, point)) for point in points]

    def _hits(self, spans: Iterable[MethodSpan], line: int) -> list[BindCandidate]:
        """The points that start on a line."""
        return self._gathered(
            [_new(BindCandidate, (method, p)) for p in points if p[1] == line] for method, _, _, points in spans
        )

    def _hits_at(self, spans: Iterable[MethodSpan], place: tuple[int, ...]) -> list[BindCandidate]:
        """The points of one statement, which several constructors may have."""
        return self._gathered(
            [_new(BindCandidate, (method, p)) for p in points if p[1:5] == place] for method, _, _, points in spans
        )

    def _gathered(self, of_methods: Iterable[list[BindCandidate]]) -> list[BindCandidate]:
        """The hits of all methods, as many as the budget pays for."""
        hits: list[BindCandidate] = []
        most = self._image.budgets.of("hits")
        for found in of_methods:
            hits += found
            if len(hits) > most:
                raise self._image.budgets.begin("hits").spent()
        return hits

    def _document_spans(self, document_row: int) -> DocumentSpans:
        spans = self._spans.get(document_row)
        if spans is None:
            spans = self._spans[document_row] = DocumentSpans(
                self._image, self._method_points, self._documents.of_row(document_row)
            )
        return spans

    def _moved(self, spans: DocumentSpans, owner: MethodSpan, line: int, query: Query) -> int | None:
        later = min([p.start_line for p in owner.points if p.start_line > line], default=None)
        if later is None:
            return None
        before = max([p.end_line for p in owner.points if p.start_line < line], default=owner.first_line)
        for span in spans.overlapping(before + 1, later - 1, query):
            in_gap = before < span.first_line and span.last_line < later
            if in_gap and span.method != owner.method and not self._has_lambdas(owner.method):
                return None
        return later

    def _has_lambdas(self, method: Token) -> bool:
        """Whether the compiler noted lambdas or local functions of the method (Debug builds do)."""
        from .debug_entries import find_value

        return find_value(self._image, method, "enc_lambdas")[0] is not None


def _statement_around(span: MethodSpan, line: int) -> tuple[int, ...] | None:
    """The place of the innermost statement that begins before a line and ends on it or later; None if there is none."""
    found = [p for p in span.points if p.start_line < line <= p.end_line]
    if not found:
        return None
    innermost = max(found, key=lambda p: (p.start_line, p.start_column, -p.end_line, -p.end_column))
    return tuple(innermost[1:5])


def _tightness(span: MethodSpan) -> tuple[int, int]:
    """Fewest lines first; of equals the later method row, since lambdas come after the method around them."""
    return span.last_line - span.first_line, -span.method


def _by_column(hits: list[BindCandidate], line: int, column: int) -> list[BindCandidate]:
    around = [
        hit.point.start_column
        for hit in hits
        if hit.point.start_column <= column and (hit.point.end_line > line or column < hit.point.end_column)
    ]
    if around:
        wanted = max(around)
        return [
            hit
            for hit in hits
            if hit.point.start_column == wanted and (hit.point.end_line > line or column < hit.point.end_column)
        ]
    after = [hit.point.start_column for hit in hits if hit.point.start_column >= column]
    wanted = min(after, default=-1)
    return [hit for hit in hits if hit.point.start_column == wanted]
