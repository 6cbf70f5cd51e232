"""The breakpoint at which the step of an interrupted thread begins once more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.errors import DebuggeeError
from dap_dotnet.runtime.events import BreakpointHit, StepCompleted
from dap_dotnet.runtime.model import (
    AT_FRAME,
    MAPPING_EXACT,
    BoundId,
    Frame,
    FrameKind,
    MethodToken,
    ModuleId,
    StepKind,
    StepperId,
    ThreadId,
)
from dap_dotnet.stepping.plan import Continue, Done, Replace
from dap_dotnet.stepping.plans.interrupted_thread import InterruptedThread, interrupted
from dap_dotnet.stepping.plans.moves import Move

THREAD, OTHER_THREAD = ThreadId(7), ThreadId(8)
MAPPING_APPROXIMATE = 0x20
STACK = 0x1000


def frame_of(stack: int = STACK, mapping: int = MAPPING_APPROXIMATE, kind: FrameKind = FrameKind.IL) -> Frame:
    return Frame(0, kind, ModuleId(1), MethodToken(0x06000001), 5, mapping, 0, stack)


class Stub:
    """A debuggee whose threads all have the same frame."""

    def __init__(self, frame: Frame, *, fails: bool = False) -> None:
        self.frame = frame
        self.fails = fails
        self.asked: list[int] = []
        self.removed: list[BoundId] = []

    def top_frame(self, thread: ThreadId) -> Frame:
        return self.frame

    def create_return_breakpoints(self, thread: ThreadId, index: int, offsets: list[int]) -> list[BoundId]:
        if self.fails:
            raise DebuggeeError("The frame has no code of its own.")
        self.asked += offsets
        return [BoundId(1)]

    def remove_breakpoints(self, bound: list[BoundId]) -> None:
        self.removed += bound


def hit(thread: ThreadId = THREAD, bound: int = 1) -> BreakpointHit:
    return BreakpointHit(hold=None, generation=0, thread=thread, bound=BoundId(bound))


def program_of(debuggee: Any) -> Any:
    return SimpleNamespace(debuggee=debuggee)


def armed(debuggee: Any) -> tuple[InterruptedThread | None, Move]:
    """The plan, and the move that it begins once more."""
    move = Move(THREAD, StepKind.INTO)
    plan = interrupted(THREAD, debuggee.frame, move)
    if plan is not None:
        plan.arm(program_of(debuggee))
    return plan, move


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (frame_of(), [AT_FRAME]),
        (frame_of(mapping=MAPPING_EXACT), []),
        (frame_of(kind=FrameKind.INTERNAL), []),
    ],
)
def test_waits_only_in_the_midst_of_a_statement(frame: Frame, expected: list[int]) -> None:
    debuggee: Any = Stub(frame)
    armed(debuggee)
    assert debuggee.asked == expected


def test_the_thread_goes_on_there() -> None:
    debuggee: Any = Stub(frame_of())
    plan, move = armed(debuggee)
    assert plan is not None
    assert plan.owns(hit())
    assert not plan.owns(hit(bound=2))
    assert plan.should_stop(program_of(debuggee), hit(), None) == Replace(move)
    assert debuggee.removed == [BoundId(1)]
    assert not plan.owns(hit())


@pytest.mark.parametrize(("event", "stack"), [(hit(OTHER_THREAD), STACK), (hit(), STACK - 0x100)])
def test_other_threads_and_other_calls_pass(event: BreakpointHit, stack: int) -> None:
    debuggee: Any = Stub(frame_of())
    plan, _ = armed(debuggee)
    assert plan is not None
    debuggee.frame = frame_of(stack)
    decisions = [plan.should_stop(program_of(debuggee), event, None) for _ in range(17)]
    # A breakpoint that only others hit slows the program.
    assert decisions == [Continue()] * 16 + [Continue(is_over=True)]


def test_code_that_cannot_have_one_is_stepped_without() -> None:
    debuggee: Any = Stub(frame_of(), fails=True)
    plan, _ = armed(debuggee)
    assert plan is not None
    assert not plan.is_armed
    plan.disarm(debuggee)
    assert debuggee.removed == []


def test_a_stepper_that_completes_was_not_lost() -> None:
    debuggee: Any = Stub(frame_of())
    plan, _ = armed(debuggee)
    assert plan is not None
    completed = StepCompleted(hold=None, generation=0, thread=THREAD, stepper=StepperId(1), reason=0)
    assert plan.explains(program_of(debuggee), completed, None)
    assert plan.should_stop(program_of(debuggee), completed, None) == Done()
