"""A step into one call of a statement: into the statement, out of its other calls, until the thread is in that one."""

from __future__ import annotations

import enum

from msgspec import structs
from typing_extensions import override

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import StepCompleted
from dap_dotnet.runtime.model import Frame, MethodToken, StepKind, ThreadId
from dap_dotnet.stepping.plan import Decision, Done, Layer, News, Pass, Replace, StepEvent, StepPlan
from dap_dotnet.stepping.plans.moves import Move
from dap_dotnet.stepping.plans.out_of_call import is_same_call
from dap_dotnet.stepping.plans.step import MOST_CONTINUATIONS, Step, place_of
from dap_dotnet.stepping.ranges import holds, step_ranges
from dap_dotnet.stepping.step_in_targets import StepInTarget
from dap_dotnet.symbols.calls import call_under_way, calls_in
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program

_MOST_FRAMES = 200
_METHOD_DEF = 0x06


class Progress(enum.Enum):
    """Where a thread is on its way to a target."""

    IN_TARGET = "in the target, or in what it calls"
    IN_OTHER_CALL = "in another call of the statement"
    IN_STATEMENT = "in the statement itself"
    ELSEWHERE = "past the statement"


class TargetedCall(StepPlan):
    """Into one call of the statement, and into no other."""

    layer = Layer.TARGET

    def __init__(self, step: Step, target: StepInTarget, module: LoadedModule | None) -> None:
        """`module` is that of the frame that makes the call."""
        super().__init__()
        self._step = step
        self._target = target
        self._frame = target.frame
        """The activation that makes the call; another one once it has resumed after an await."""
        self._ranges = step_ranges(module, target.frame)
        method = target.frame.method
        self._calls = calls_in(module, method, self._ranges) if module is not None and method is not None else []
        self._is_reached = False

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        return news in (News.RESUMED, News.ARRIVED) or (news is None and isinstance(event, StepCompleted))

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        debuggee, thread = program.debuggee, event.thread
        if news is not None:
            self._frame = debuggee.top_frame(thread) or self._frame
            return Pass(news)
        progress, called = self._progress(debuggee, thread)
        self._step.continuations += 1
        if progress is Progress.IN_TARGET:
            self._is_reached = True
        elif progress is Progress.IN_STATEMENT and self._is_reached:
            # Nothing in it could be shown.
            self._step.request = structs.replace(self._step.request, kind=StepKind.OVER)
            return Done()
        elif self._step.continuations >= MOST_CONTINUATIONS:
            return Pass()
        elif progress is Progress.IN_STATEMENT:
            return Replace(self._step.move(thread, StepKind.INTO, self._ranges, place_of(program, thread)))
        elif progress is Progress.IN_OTHER_CALL and not self._is_reached:
            just_my_code = self._step.request.just_my_code
            return Replace(Move(thread, StepKind.OUT, just_my_code=just_my_code, frame_index=called))
        return Pass()

    def _progress(self, debuggee: Debuggee, thread: ThreadId) -> tuple[Progress, int]:
        """Where a thread is; and the number of the frame that the statement has called, 0 where it is in none."""
        frames = debuggee.stack(thread, 0, _MOST_FRAMES).frames
        index = next((frame.index for frame in frames if is_same_call(frame, self._frame)), None)
        if index is None:
            return Progress.ELSEWHERE, 0
        caller = frames[index]
        if index == 0:
            is_inside = holds(self._ranges, caller.il_offset or 0)
            return Progress.IN_STATEMENT if is_inside else Progress.ELSEWHERE, 0
        if call_under_way(self._calls, caller) == self._target.site and self._can_be(frames[index - 1]):
            return Progress.IN_TARGET, index - 1
        return Progress.IN_OTHER_CALL, index - 1

    def _can_be(self, called: Frame) -> bool:
        """Whether a frame may be of the target: one that is no virtual call names its method."""
        site = self._target.site
        is_exact = site.token >> 24 == _METHOD_DEF and not site.is_virtual and called.module == self._frame.module
        return not is_exact or called.method == MethodToken(site.token)

    @override
    def describe(self) -> str:
        return f"into {self._target.label} alone"
