"""The statements of a method by IL offset, from its sequence points: which one an offset is in, and their IL ranges.

Ranges are half-open. What one answer costs does not grow with the method, once it has been looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import SequencePoint

END_OF_METHOD = 0xFFFF_FFFF
"""Upper bound of a range that reaches to the end of the IL."""
_MOST_METHODS = 200


class Statements:
    """See the module's docstring."""

    def __init__(self, points: Sequence[SequencePoint]) -> None:
        """`points` are those of one method, hidden ones included, in any order."""
        self.points = sorted(points, key=_il_offset)
        self.visible = [point for point in self.points if not point.is_hidden]
        self._offsets = [point.il_offset for point in self.points]
        self._begins = [point.il_offset for point in self.visible]

    def point_at(self, il_offset: int) -> SequencePoint | None:
        """The last point at or before an offset, perhaps a hidden one; None before the first."""
        return _last(self.points, self._offsets, il_offset)

    def visible_at(self, il_offset: int) -> SequencePoint | None:
        """The last point at or before an offset that has source; None if there is none."""
        return _last(self.visible, self._begins, il_offset)

    def begins_at(self, il_offset: int) -> bool:
        """Whether a statement that has source begins at an offset."""
        at = bisect_left(self._begins, il_offset)
        return at < len(self._begins) and self._begins[at] == il_offset

    def range_at(self, il_offset: int) -> tuple[int, int] | None:
        """The range of the statement at an offset, with the hidden code that follows it.

        None when no point is at or before the offset: the place has no source.
        """
        at = bisect_right(self._begins, il_offset)
        end = self._begins[at] if at < len(self._begins) else END_OF_METHOD
        if at:
            return self._begins[at - 1], end
        return (self._offsets[0], end) if self._offsets and self._offsets[0] <= il_offset else None

    def ranges_at(self, il_offset: int) -> list[tuple[int, int]]:
        """The range of the statement at an offset, and of what else in the method is of the very same piece of source.

        The closing brace of a method with `using` variables is there twice: around what disposes of them.
        """
        return self._ranges_at(il_offset, self._by_source, _source)

    def line_ranges_at(self, il_offset: int) -> list[tuple[int, int]]:
        """The ranges of all statements that begin on the line of the one at an offset.

        One part of a `for` header, or of a line with several statements, leads to the next without a step of its own.
        """
        return self._ranges_at(il_offset, self._by_line, _line)

    def _ranges_at(
        self, il_offset: int, places: dict[Hashable, list[int]], place_of: Callable[[SequencePoint], Hashable]
    ) -> list[tuple[int, int]]:
        here = self.visible_at(il_offset)
        if here is None:
            before = self.range_at(il_offset)
            return [before] if before is not None else []
        ranges: list[tuple[int, int]] = []
        for number in places[place_of(here)]:
            start = self._begins[number]
            end = self._begins[number + 1] if number + 1 < len(self._begins) else END_OF_METHOD
            if ranges and ranges[-1][1] == start:  # one follows the other
                start = ranges.pop()[0]
            ranges.append((start, end))
        return ranges

    @cached_property
    def _by_source(self) -> dict[Hashable, list[int]]:
        return self._grouped(_source)

    @cached_property
    def _by_line(self) -> dict[Hashable, list[int]]:
        return self._grouped(_line)

    def _grouped(self, place_of: Callable[[SequencePoint], Hashable]) -> dict[Hashable, list[int]]:
        numbers: dict[Hashable, list[int]] = {}
        for number, point in enumerate(self.visible):
            numbers.setdefault(place_of(point), []).append(number)
        return numbers


def _il_offset(point: SequencePoint) -> int:
    return point.il_offset


def _source(point: SequencePoint) -> Hashable:
    return point.document, point.start_line, point.start_column, point.end_line, point.end_column


def _line(point: SequencePoint) -> Hashable:
    return point.document, point.start_line


def _last(points: Sequence[SequencePoint], offsets: Sequence[int], il_offset: int) -> SequencePoint | None:
    at = bisect_right(offsets, il_offset)
    return points[at - 1] if at else None


def _statements_of(module: LoadedModule, method: MethodToken) -> Statements:
    return Statements(module.pdb.sequence_points(method) if module.pdb is not None else ())


statements_of = ModuleMemo("statements of methods", _statements_of, _MOST_METHODS)
"""Those of a method; without symbols none.

Raises `PortablePdbError` for a method that the PDB lacks, and for damaged points.
"""


def first_visible(module: LoadedModule, method: MethodToken) -> SequencePoint | None:
    """Where the source of a method begins; None without source."""
    return next(iter(statements_of(module, method).visible), None)
