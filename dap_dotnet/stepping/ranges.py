"""The IL ranges that a step has to leave, from sequence points. Pure."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, MethodToken
from dap_dotnet.symbols.exception_clauses import begins_handler, clauses_at
from dap_dotnet.symbols.instructions import followers, instructions_in, instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.statements import END_OF_METHOD, statements_of

if TYPE_CHECKING:
    pass


class StepUnit(enum.Enum):
    """What one step goes over: a statement, all statements that begin on a line, or an instruction of the processor."""

    STATEMENT = "statement"
    LINE = "line"
    INSTRUCTION = "instruction"


WHOLE_METHOD = [(0, END_OF_METHOD)]
_MOST_STATEMENTS = 5_000


def step_ranges(
    module: LoadedModule | None, frame: Frame, unit: StepUnit = StepUnit.STATEMENT
) -> list[tuple[int, int]]:
    """The ranges to leave for a step from a frame; empty where there is no source (then one instruction is stepped)."""
    is_instruction = unit is StepUnit.INSTRUCTION
    if module is None or module.pdb is None or frame.method is None or frame.il_offset is None or is_instruction:
        return []
    statements = statements_of(module, frame.method)
    return (
        statements.line_ranges_at(frame.il_offset) if unit is StepUnit.LINE else statements.ranges_at(frame.il_offset)
    )


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
    return is_finally or statements_of(module, frame.method).begins_at(frame.il_offset)


def _is_jumped_into(
    module: LoadedModule, method: MethodToken, il_offset: int, ranges: Sequence[tuple[int, int]]
) -> bool:
    """Whether the statement at an offset is reached from `ranges` by a branch into its midst, and in no other way."""
    here = statements_of(module, method).range_at(il_offset)
    if here is None:
        return False
    targets = left_to(module, (method, tuple(ranges)))
    return here[0] not in targets and any(here[0] < target < here[1] for target in targets)


def _targets(module: LoadedModule, key: tuple[MethodToken, tuple[tuple[int, int], ...]]) -> frozenset[int]:
    """The offsets to which the instructions in ranges go on outside of them; none where the IL cannot be read."""
    method, ranges = key
    goes_on_at = (at for one in instructions_in(module, method, ranges) for at in followers(one))
    return frozenset(at for at in goes_on_at if not holds(ranges, at))


def is_reached_only_from(
    module: LoadedModule, method: MethodToken, il_offset: int, ranges: Sequence[tuple[int, int]]
) -> bool:
    """Whether no instruction outside of ranges is followed by the one at an offset."""
    outside = (one for one in instructions_of(module, method) if not holds(ranges, one.offset))
    return not any(il_offset in followers(one) for one in outside)


left_to = ModuleMemo("where ranges are left to", _targets, _MOST_STATEMENTS)
"""By method and ranges, a tuple each: `_targets`."""
