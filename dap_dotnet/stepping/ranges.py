"""The IL ranges that a step has to leave, from sequence points. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import SequencePoint

END_OF_METHOD = 0xFFFF_FFFF
"""Upper bound of a range that reaches to the end of the IL."""
WHOLE_METHOD = [(0, END_OF_METHOD)]
_MOST_STATEMENTS = 5_000


def statement_range(points: Sequence[SequencePoint], il_offset: int) -> tuple[int, int] | None:
    """The half-open IL range of the statement at an offset, with the hidden code that follows it.

    None when no point is at or before the offset: the place has no source.
    """
    start: int | None = None
    end = END_OF_METHOD
    for point in sorted(points, key=lambda candidate: candidate.il_offset):
        if point.il_offset <= il_offset:
            if not point.is_hidden or start is None:
                start = point.il_offset
        elif not point.is_hidden:
            end = point.il_offset
            break
    return None if start is None else (start, end)


def _statement_at(module: LoadedModule, place: tuple[MethodToken, int]) -> tuple[int, int] | None:
    method, il_offset = place
    return None if module.pdb is None else statement_range(module.pdb.sequence_points(method), il_offset)


_STATEMENTS = ModuleMemo("statements by IL offset", _statement_at, _MOST_STATEMENTS)


def step_ranges(module: LoadedModule | None, frame: Frame) -> list[tuple[int, int]]:
    """The ranges to leave for a step from a frame; empty where there is no source (then one instruction is stepped)."""
    if module is None or module.pdb is None or frame.method is None or frame.il_offset is None:
        return []
    found = _STATEMENTS(module, (frame.method, frame.il_offset))
    return [found] if found is not None else []


def reaches_end(ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether a step from these ranges may leave the method: nothing with source follows."""
    return any(end == END_OF_METHOD for _, end in ranges)


def is_inside(frame: Frame, origin: Frame | None, ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether a frame is in the midst of one of the ranges of the method of `origin`, not at their beginning.

    After a call the runtime often knows only the statement: it then gives its beginning, as an inexact mapping.
    """
    if origin is None or (frame.module, frame.method) != (origin.module, origin.method) or frame.il_offset is None:
        return False
    is_exact = frame.mapping & MAPPING_EXACT
    return any(start < frame.il_offset < end or (start == frame.il_offset and not is_exact) for start, end in ranges)
