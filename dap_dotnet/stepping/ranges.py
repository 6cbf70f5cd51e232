"""The IL ranges that a step has to leave, from sequence points. Pure."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, MethodToken
from dap_dotnet.symbols.exception_clauses import begins_handler, clauses_at
from dap_dotnet.symbols.instructions import branch_targets, instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import Document, SequencePoint


class StepUnit(enum.Enum):
    """What one step goes over: a statement, all statements that begin on a line, or an instruction of the processor."""

    STATEMENT = "statement"
    LINE = "line"
    INSTRUCTION = "instruction"


END_OF_METHOD = 0xFFFF_FFFF
"""Upper bound of a range that reaches to the end of the IL."""
WHOLE_METHOD = [(0, END_OF_METHOD)]
_MOST_STATEMENTS = 5_000
_NEVER_GO_ON = ("br", "br.s", "leave", "leave.s", "ret", "throw", "rethrow", "endfinally", "endfilter", "jmp")


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


def statement_ranges(points: Sequence[SequencePoint], il_offset: int) -> list[tuple[int, int]]:
    """The range of the statement at an offset, and of what else in the method is of the very same piece of source.

    The closing brace of a method with `using` variables is there twice: around what disposes of them.
    """
    here = _visible_at(points, il_offset)
    if here is None:
        found = statement_range(points, il_offset)
        return [found] if found is not None else []
    return _ranges_where(points, lambda point: _span(point) == _span(here))


def _visible_at(points: Sequence[SequencePoint], il_offset: int) -> SequencePoint | None:
    before = [point for point in points if not point.is_hidden and point.il_offset <= il_offset]
    return max(before, key=lambda point: point.il_offset, default=None)


def _span(point: SequencePoint) -> tuple[Document, int, int, int, int]:
    return point.document, point.start_line, point.start_column, point.end_line, point.end_column


def _ranges_where(points: Sequence[SequencePoint], is_wanted: Callable[[SequencePoint], bool]) -> list[tuple[int, int]]:
    """The ranges of wanted statements, joined where one follows another."""
    visible = sorted((point for point in points if not point.is_hidden), key=lambda point: point.il_offset)
    ends = [point.il_offset for point in visible[1:]] + [END_OF_METHOD]
    ranges: list[tuple[int, int]] = []
    for point, end in zip(visible, ends, strict=True):
        if not is_wanted(point):
            continue
        start = ranges.pop()[0] if ranges and ranges[-1][1] == point.il_offset else point.il_offset
        ranges.append((start, end))
    return ranges


def _statement_at(module: LoadedModule, place: tuple[MethodToken, int]) -> list[tuple[int, int]]:
    method, il_offset = place
    return [] if module.pdb is None else statement_ranges(module.pdb.sequence_points(method), il_offset)


_STATEMENTS = ModuleMemo("statements by IL offset", _statement_at, _MOST_STATEMENTS)


def line_ranges(points: Sequence[SequencePoint], il_offset: int) -> list[tuple[int, int]]:
    """The half-open IL ranges of all statements that begin on the line of the one at an offset, as `statement_range`.

    One part of a `for` header, or of a line with several statements, leads to the next without a step of its own.
    """
    here = _visible_at(points, il_offset)
    if here is None:
        return statement_ranges(points, il_offset)
    place = (here.document, here.start_line)
    return _ranges_where(points, lambda point: (point.document, point.start_line) == place)


def _line_at(module: LoadedModule, place: tuple[MethodToken, int]) -> list[tuple[int, int]]:
    method, il_offset = place
    return [] if module.pdb is None else line_ranges(module.pdb.sequence_points(method), il_offset)


_LINES = ModuleMemo("lines by IL offset", _line_at, _MOST_STATEMENTS)


def step_ranges(
    module: LoadedModule | None, frame: Frame, unit: StepUnit = StepUnit.STATEMENT
) -> list[tuple[int, int]]:
    """The ranges to leave for a step from a frame; empty where there is no source (then one instruction is stepped)."""
    is_instruction = unit is StepUnit.INSTRUCTION
    if module is None or module.pdb is None or frame.method is None or frame.il_offset is None or is_instruction:
        return []
    if unit is StepUnit.LINE:
        return _LINES(module, (frame.method, frame.il_offset))
    return _STATEMENTS(module, (frame.method, frame.il_offset))


def holds(ranges: Sequence[tuple[int, int]], il_offset: int) -> bool:
    """Whether an IL offset is in one of the ranges."""
    return any(start <= il_offset < end for start, end in ranges)


def reaches_end(ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether a step from these ranges may leave the method: nothing with source follows."""
    return any(end == END_OF_METHOD for _, end in ranges)


def is_end(module: LoadedModule, frame: Frame, ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether nothing of a frame's method comes behind ranges, and nothing in them is in a `try` of it."""
    if frame.method is None or not reaches_end(ranges) or left_to(module, (frame.method, tuple(ranges))):
        return False
    return not any(clauses_at(module, frame.method, start) for start, _ in ranges)


def is_inside(frame: Frame, origin: Frame | None, ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether a frame is in the midst of one of the ranges of the method of `origin`, not at their beginning.

    After a call the runtime often knows only the statement: it then gives its beginning, as an inexact mapping.
    """
    if origin is None or (frame.module, frame.method) != (origin.module, origin.method) or frame.il_offset is None:
        return False
    is_exact = frame.mapping & MAPPING_EXACT
    return any(start < frame.il_offset < end or (start == frame.il_offset and not is_exact) for start, end in ranges)


def goes_on_elsewhere(
    module: LoadedModule,
    frame: Frame,
    origin: Frame | None,
    ranges: Sequence[tuple[int, int]],
    left: Sequence[tuple[int, int]] | None = None,
) -> bool:
    """Whether a step from `origin`, which left `ranges`, has come to a place of its method that is no next statement.

    A `finally` may begin with the piece of source that the step began with, as at the `End SyncLock` of Visual Basic,
    or in the midst of it, as what disposes of a `use` in F#. And F# lets the branches of an expression meet in the
    midst of the last one, which has not run. `left`: the ranges from which the step has come there, where it has been
    in hidden code before; None: `ranges`.
    """
    if origin is None or (frame.module, frame.method) != (origin.module, origin.method) or not frame.il_offset:
        return False
    if module.pdb is None or frame.method is None:
        return False
    if frame.stack_address == origin.stack_address:
        return _is_jumped_into(module, frame.method, frame.il_offset, ranges if left is None else left)
    # A finally has a frame of its own. One that calls the same method is in the midst of a statement.
    if not holds(ranges, frame.il_offset) or not frame.mapping & MAPPING_EXACT:
        return False
    is_finally = begins_handler(module, frame.method, frame.il_offset)
    return is_finally or is_beginning(module, frame.method, frame.il_offset)


def is_beginning(module: LoadedModule, method: MethodToken, il_offset: int) -> bool:
    """Whether a statement that has source begins at an IL offset."""
    points = module.pdb.sequence_points(method) if module.pdb is not None else ()
    return any(point.il_offset == il_offset and not point.is_hidden for point in points)


def _is_jumped_into(
    module: LoadedModule, method: MethodToken, il_offset: int, ranges: Sequence[tuple[int, int]]
) -> bool:
    """Whether the statement at an offset is reached from `ranges` by a branch into its midst, and in no other way."""
    here = _STATEMENT(module, (method, il_offset))
    if here is None:
        return False
    targets = left_to(module, (method, tuple(ranges)))
    return here[0] not in targets and any(here[0] < target < here[1] for target in targets)


def _single_statement_at(module: LoadedModule, place: tuple[MethodToken, int]) -> tuple[int, int] | None:
    method, il_offset = place
    return None if module.pdb is None else statement_range(module.pdb.sequence_points(method), il_offset)


_STATEMENT = ModuleMemo("single statements by IL offset", _single_statement_at, _MOST_STATEMENTS)


def _targets(module: LoadedModule, key: tuple[MethodToken, tuple[tuple[int, int], ...]]) -> frozenset[int]:
    """The offsets to which the instructions in ranges go on outside of them; none where the IL cannot be read."""
    method, ranges = key
    followers = _followers(module, method, lambda offset: holds(ranges, offset))
    return frozenset(at for at in followers if not holds(ranges, at))


def is_reached_only_from(
    module: LoadedModule, method: MethodToken, il_offset: int, ranges: Sequence[tuple[int, int]]
) -> bool:
    """Whether no instruction outside of ranges is followed by the one at an offset."""
    return il_offset not in _followers(module, method, lambda offset: not holds(ranges, offset))


def _followers(module: LoadedModule, method: MethodToken, is_wanted: Callable[[int], bool]) -> set[int]:
    """The offsets at which wanted instructions, by theirs, go on; none where the IL cannot be read."""
    found: set[int] = set()
    for one in instructions_of(module, method):
        if is_wanted(one.offset):
            found.update(branch_targets(one))
            if one.opcode.name not in _NEVER_GO_ON:
                found.add(one.offset + one.size)
    return found


left_to = ModuleMemo("where ranges are left to", _targets, _MOST_STATEMENTS)
"""By method and ranges, a tuple each: `_targets`."""
