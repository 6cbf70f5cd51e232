"""The breakpoint of a step that leaves a method which the library has called."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import AT_RETURN, BoundId, Frame, FrameKind, MethodToken, ModuleId, ThreadId
from dap_dotnet.stepping.plan import Continue, Replace
from dap_dotnet.stepping.plans.run_to_return import RunToReturn, run_to_return
from dap_dotnet.stepping.ranges import WHOLE_METHOD
from dap_dotnet.symbols.statements import END_OF_METHOD

THREAD, OTHER_THREAD = ThreadId(7), ThreadId(8)
USERS, LIBRARY = ModuleId(1), ModuleId(2)
STACK = 0x1000


def frame_of(module: ModuleId, stack: int = STACK) -> Frame:
    return Frame(0, FrameKind.IL, module, MethodToken(0x06000001), 0, 0, 0, stack)


class Stub:
    """A debuggee with a lambda on top, called by a method of a module."""

    def __init__(self, caller: ModuleId = LIBRARY, stack: int = STACK) -> None:
        self.frames = [frame_of(USERS, stack), frame_of(caller, STACK + 0x100)]
        self.asked: list[int] = []
        self.removed: list[BoundId] = []

    def stack(self, thread: ThreadId, start: int, count: int) -> Any:
        return SimpleNamespace(frames=self.frames[start : start + count])

    def top_frame(self, thread: ThreadId) -> Frame:
        return self.frames[0]

    def create_return_breakpoints(self, thread: ThreadId, index: int, offsets: list[int]) -> list[BoundId]:
        self.asked += offsets
        return [BoundId(1)]

    def remove_breakpoints(self, bound: list[BoundId]) -> None:
        self.removed += bound


def armed(debuggee: Any, ranges: list[tuple[int, int]] = WHOLE_METHOD) -> RunToReturn | None:
    modules: Any = {USERS: SimpleNamespace(is_user_code=True), LIBRARY: SimpleNamespace(is_user_code=False)}
    plan = run_to_return(modules, debuggee, THREAD, frame_of(USERS), ranges)
    if plan is not None:
        plan.arm(program_of(debuggee))
    return plan


def program_of(debuggee: Any) -> Any:
    return SimpleNamespace(debuggee=debuggee)


def hit(thread: ThreadId = THREAD) -> BreakpointHit:
    return BreakpointHit(hold=None, generation=0, thread=thread, bound=BoundId(1))


@pytest.mark.parametrize(
    ("caller", "ranges", "expected"),
    [
        (LIBRARY, WHOLE_METHOD, [AT_RETURN]),
        (USERS, WHOLE_METHOD, []),
        (LIBRARY, [(0, 5)], []),
        (LIBRARY, [(5, END_OF_METHOD)], [AT_RETURN]),
    ],
    ids=["lambda", "called-by-the-user", "first-statement", "last-statement"],
)
def test_breakpoint_for_what_leaves_a_method(
    caller: ModuleId, ranges: list[tuple[int, int]], expected: list[int]
) -> None:
    debuggee = Stub(caller)
    armed(debuggee, ranges)
    assert debuggee.asked == expected


def test_return_of_the_call_that_is_stepped_in() -> None:
    debuggee: Any = Stub()
    plan, program = armed(debuggee), program_of(debuggee)
    assert plan is not None
    assert plan.should_stop(program, hit(OTHER_THREAD), None) == Continue()
    assert plan.owns(hit())
    decision = plan.should_stop(program, hit(), None)
    assert isinstance(decision, Replace)
    # What calls it may be optimised: a step over would pass its next call by.
    assert decision.plan.describe() == "step into"
    assert debuggee.removed == [BoundId(1)]
    assert not plan.owns(hit())


def test_returns_of_other_calls_are_waited_for_a_few_times_only() -> None:
    debuggee: Any = Stub()
    plan, program = armed(debuggee), program_of(debuggee)
    assert plan is not None
    debuggee.frames[0] = frame_of(USERS, STACK - 0x80)
    decisions = [plan.should_stop(program, hit(), None) for _ in range(17)]
    assert decisions == [Continue()] * 16 + [Continue(is_over=True)]
