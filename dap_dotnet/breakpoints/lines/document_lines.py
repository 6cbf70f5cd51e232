"""From a line and a column of a document to the statements that a breakpoint there means. Pure: points in, points out.

The rules, for the visible sequence points of one document:

1. A line on which statements start means the first of them in the order of the source: the statement around a lambda
   before the lambda, the first part of a `for`.
2. With a column, the statement around that position that starts last; a column in no statement means the nearest one
   that touches the line.
3. A line on which none starts means the statement around the line, of the innermost method, else the next statement of
   that method, or the beginning of a lambda or local function within it that comes before that.
4. A line outside of all methods means nothing.
5. Where the source is here, what it declares around the line decides instead of the last two: a header is its
   function's, also outside of all methods, and what is above a local function but not of it is of the method around.

A statement is its span in whatever methods have it: a field initialiser is in each constructor.
Lines and columns are 1-based, end columns are exclusive.
"""

from __future__ import annotations

import enum
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from dap_dotnet.breakpoints.lines.declarations import Declaration
from dap_dotnet.breakpoints.lines.origins import Origin
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.spans import Span

NAMED_LINES = 5
"""How many lines or columns a message names."""


class Point(NamedTuple):
    """A visible sequence point; sorts by where it stands in the source."""

    line: int
    column: int
    end_line: int
    end_column: int
    method: MethodToken
    il_offset: int

    @property
    def span(self) -> Span:
        """The source that it begins."""
        return Span(self.line, self.column, self.end_line, self.end_column)


class Fit(enum.IntEnum):
    """How well a place was met, the best first."""

    EXACT = 0
    CONTAINING = 1
    NEAREST_COLUMN = 2
    NEXT_STATEMENT = 3
    BEGINNING = 4
    """Of another function than the one around the line, if any is."""
    NONE = 5


class Match(NamedTuple):
    """What a place means: the points of one statement. Without points, `fit` is NONE."""

    points: tuple[Point, ...]
    fit: Fit


class _Block(NamedTuple):
    """Statements of one method with no other method of the user's in between."""

    first_line: int
    last_line: int
    points: tuple[Point, ...]


_NOWHERE = Match((), Fit.NONE)


class DocumentLines:
    """The visible sequence points of one document, ready to be asked."""

    def __init__(self, points: Iterable[Point], origin: Callable[[MethodToken], Origin]) -> None:
        """`origin` distinguishes lambdas and local functions from the user's own methods."""
        self._points = sorted(points)
        self._origin = origin
        self._by_line: dict[int, list[Point]] = {}
        self._by_method: dict[MethodToken, list[Point]] = {}
        for point in self._points:
            self._by_line.setdefault(point.line, []).append(point)
            self._by_method.setdefault(point.method, []).append(point)
        self._lines = sorted(self._by_line)
        self._blocks: list[_Block] | None = None
        self._first_lines: list[int] = []
        self._last_lines_so_far: list[int] = []
        self._longest = max((point.end_line - point.line for point in self._points), default=0)

    @property
    def points(self) -> Sequence[Point]:
        """All points in the order of the source."""
        return self._points

    def find(self, line: int, column: int | None = None) -> Match:
        """What a breakpoint on a line means; see the module's docstring."""
        if column is not None:
            found = self._at_column(line, column)
            if found is not None:
                return found
        starting = self._by_line.get(line)
        if starting:
            return Match(self._same_statement(_outermost_at(starting)), Fit.EXACT)
        block = self._innermost_block(line)
        if block is None:
            return _NOWHERE
        around = [point for point in block.points if point.line < line <= point.end_line]
        if around:
            return Match(self._same_statement(max(around)), Fit.CONTAINING)
        return self._first_of([point for point in self._below(line) if point.line <= block.last_line], block)

    def next_statement(self, line: int) -> Match:
        """The next statement below a line of the innermost method around it, whatever other method is between."""
        block = self._innermost_block(line)
        return self._first_of([point for point in block.points if point.line > line], block) if block else _NOWHERE

    def declared(self, line: int, declaration: Declaration) -> Match:
        """The first place below a line of what is declared around it."""
        points = [point for point in self._below(line) if point[:2] < declaration.end]
        if declaration.is_type:
            points = [point for point in points if self._origin(point.method).name == ".ctor"]
        for start, end in declaration.nested:
            points = [point for point in points if not start <= point[:2] < end]
        of_itself = [point for point in points if not self._origin(point.method).is_generated]
        return self._first_of(of_itself or points, self._innermost_block(line))

    def _below(self, line: int) -> Sequence[Point]:
        return self._points[bisect_left(self._points, (line + 1,)) :]

    def _first_of(self, points: Sequence[Point], block: _Block | None) -> Match:
        if not points:
            return _NOWHERE
        first = _outermost_at(points)
        is_around = block is not None and self.is_same_body(first.method, block.points[0].method)
        return Match(self._same_statement(first), Fit.NEXT_STATEMENT if is_around else Fit.BEGINNING)

    def is_same_body(self, method: MethodToken, other: MethodToken) -> bool:
        """Whether two methods are parts of one of the user's, as those of a state machine are."""
        origin = self._origin(method)
        return method == other or (origin.state_machine != "" and origin == self._origin(other))

    def _at_column(self, line: int, column: int) -> Match | None:
        touching = self._touching(line)
        if not touching:
            return None
        position = (line, column)
        around = [
            point for point in touching if (point.line, point.column) <= position < (point.end_line, point.end_column)
        ]
        if around:
            innermost = max(around, key=lambda point: (point.line, point.column, point.end_line, point.end_column))
            return Match(self._same_statement(innermost), Fit.EXACT)
        nearest = min(touching, key=lambda point: (_distance(point, line, column), -point.line, -point.column))
        return Match(self._same_statement(nearest), Fit.NEAREST_COLUMN)

    def _touching(self, line: int) -> list[Point]:
        """The points that have part of a line, among them those of several lines that began before."""
        first = bisect_left(self._lines, line - self._longest)
        last = bisect_right(self._lines, line)
        return [point for start in self._lines[first:last] for point in self._by_line[start] if point.end_line >= line]

    def _same_statement(self, wanted: Point) -> tuple[Point, ...]:
        """All points with a span, but for those at which a method only comes back to the statement.

        After the arms of a `switch` expression the compiler repeats the statement's point: nothing but parts of the
        statement lies between the two. A copy elsewhere in the method (a `finally` of F#) is a place of its own.
        """
        found = [point for point in self._by_line[wanted.line] if point[:4] == wanted[:4]]
        kept: dict[MethodToken, list[Point]] = {}
        for point in sorted(found, key=lambda candidate: candidate.il_offset):
            earlier = kept.setdefault(point.method, [])
            if not earlier or self._leaves(earlier[-1], point):
                earlier.append(point)
        return tuple(point for points in kept.values() for point in points)

    def _leaves(self, first: Point, second: Point) -> bool:
        """Whether other statements lie between two points of one method in its IL."""
        start, end = first[:2], (first.end_line, first.end_column)
        return any(
            first.il_offset < point.il_offset < second.il_offset
            and not (start <= (point.line, point.column) and (point.end_line, point.end_column) <= end)
            for point in self._by_method[first.method]
        )

    def within(self, start: tuple[int, int], end: tuple[int, int]) -> list[Span]:
        """The statements that start in a range of (line, column), both ends included; sorted, one for each start."""
        first, last = bisect_left(self._lines, start[0]), bisect_right(self._lines, end[0])
        return _by_start(
            point
            for line in self._lines[first:last]
            for point in self._by_line[line]
            if start <= (point.line, point.column) <= end
        )

    def columns(self, line: int) -> list[Span]:
        """The statements that touch a line, by where they start."""
        return _by_start(self._touching(line))

    def nearest_lines(self, line: int, count: int = NAMED_LINES) -> list[int]:
        """The lines nearest to one on which statements start, in order."""
        position = bisect_left(self._lines, line)
        around = self._lines[max(position - count, 0) : position + count]
        return sorted(sorted(around, key=lambda candidate: abs(candidate - line))[:count])

    def stretch(self, method: MethodToken, line: int) -> Sequence[Point]:
        """The points of a method around one of its lines that no other method of the user's interrupts; sorted.

        A constructor has field initialisers of its own elsewhere.
        """
        blocks = (block for block in self._all_blocks() if block.points[0].method == method)
        return next((block.points for block in blocks if block.first_line <= line <= block.last_line), ())

    # blocks

    def _all_blocks(self) -> list[_Block]:
        if self._blocks is None:
            self._blocks = sorted(self._make_blocks(), key=lambda block: (block.first_line, -block.last_line))
            self._first_lines = [block.first_line for block in self._blocks]
            latest = 0
            for block in self._blocks:
                latest = max(latest, block.last_line)
                self._last_lines_so_far.append(latest)
        return self._blocks

    def _innermost_block(self, line: int) -> _Block | None:
        blocks = self._all_blocks()
        best: _Block | None = None
        for index in range(bisect_right(self._first_lines, line) - 1, -1, -1):
            if self._last_lines_so_far[index] < line:
                break
            block = blocks[index]
            if block.last_line >= line and (best is None or _length(block) < _length(best)):
                best = block
        return best

    def _make_blocks(self) -> list[_Block]:
        """A constructor has points in the members around it too; what lies between those is not within it."""
        blocks = []
        for method, points in self._by_method.items():
            start = 0
            reached = (0, 0)
            for index, point in enumerate(points):
                if index > start and self._has_foreign(method, reached, (point.line, point.column)):
                    blocks.append(_block(points[start:index]))
                    start = index
                reached = max(reached, (point.end_line, point.end_column))
            blocks.append(_block(points[start:]))
        return blocks

    def _has_foreign(self, method: MethodToken, start: tuple[int, int], end: tuple[int, int]) -> bool:
        """Whether a method that does not stand within `method` has a point in a range (the end excluded)."""
        first, last = bisect_left(self._points, start), bisect_left(self._points, end)
        origin: Origin | None = None
        for index in range(first, last):
            other = self._points[index].method
            if self.is_same_body(method, other):
                continue
            origin = origin or self._origin(method)
            theirs = self._origin(other)
            if not theirs.is_generated or (theirs.name is not None and theirs.name != origin.name):
                return True
        return False


def _outermost_at(points: Sequence[Point]) -> Point:
    """Of the points that start first, the longest: a record's constructor, not the one that copies it."""
    return min(points, key=lambda point: (point.line, point.column, -point.end_line, -point.end_column))


def _by_start(points: Iterable[Point]) -> list[Span]:
    """The longest span of those that start at one place; sorted."""
    longest: dict[tuple[int, int], Span] = {}
    for point in sorted(points):
        longest[point[:2]] = point.span
    return list(longest.values())


def _block(points: Sequence[Point]) -> _Block:
    return _Block(points[0].line, max(point.end_line for point in points), tuple(points))


def _length(block: _Block) -> int:
    return block.last_line - block.first_line


def _distance(point: Point, line: int, column: int) -> int:
    """Columns between a position and the part of a point that is on its line."""
    if point.line == line and column < point.column:
        return point.column - column
    if point.end_line == line and column >= point.end_column:
        return column - point.end_column + 1
    return 0
