"""The breakpoint at which the step of an interrupted thread begins once more."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.errors import DebuggeeError
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    AT_FRAME,
    MAPPING_EXACT,
    BoundId,
    Frame,
    FrameKind,
    MethodToken,
    ModuleId,
    StepKind,
    ThreadId,
)
from dap_dotnet.stepping.interrupted import InterruptedThread

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


def armed(debuggee: Any, frame: Frame | None = None) -> InterruptedThread:
    thread = InterruptedThread()
    thread.arm(debuggee, THREAD, frame or debuggee.frame, StepKind.INTO)
    return thread


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
    thread = armed(debuggee)
    assert thread.is_mine(hit())
    assert not thread.is_mine(hit(bound=2))
    assert thread.has_come(debuggee, hit())
    assert debuggee.removed == [BoundId(1)]
    assert thread.kind is StepKind.INTO
    assert not thread.is_mine(hit())


@pytest.mark.parametrize(("event", "stack"), [(hit(OTHER_THREAD), STACK), (hit(), STACK - 0x100)])
def test_other_threads_and_other_calls_pass(event: BreakpointHit, stack: int) -> None:
    debuggee: Any = Stub(frame_of())
    thread = armed(debuggee)
    debuggee.frame = frame_of(stack)
    for _ in range(16):
        assert not thread.has_come(debuggee, event)
    assert debuggee.removed == []
    assert not thread.has_come(debuggee, event)
    assert debuggee.removed == [BoundId(1)], "a breakpoint that only others hit slows the program"


def test_code_that_cannot_have_one_is_stepped_without() -> None:
    debuggee: Any = Stub(frame_of(), fails=True)
    thread = armed(debuggee)
    assert not thread.is_mine(hit())
    thread.clear(debuggee)
    assert debuggee.removed == []
