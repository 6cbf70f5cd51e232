"""How a step goes on from a place: the plan that carries it, and those for what may come on the way."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from dap_dotnet.async_tasks.await_states import resuming_ranges
from dap_dotnet.runtime.model import BreakpointLocation, Frame, StepKind, ThreadId
from dap_dotnet.stepping.async_.async_entry import async_entry
from dap_dotnet.stepping.async_.await_plan import AwaitPlan
from dap_dotnet.stepping.async_.await_resumption import await_plans
from dap_dotnet.stepping.async_.awaiting_caller import AwaitingCaller
from dap_dotnet.stepping.fsharp.dynamic_machines import comes_back
from dap_dotnet.stepping.landing import caller_with_source, skipped
from dap_dotnet.stepping.plan import Layer
from dap_dotnet.stepping.plans.interrupted_thread import interrupted
from dap_dotnet.stepping.plans.moves import Move, Ranges, through
from dap_dotnet.stepping.plans.multicast_delegates import OptimisedThrough, Place
from dap_dotnet.stepping.plans.run_to_return import run_to_return
from dap_dotnet.stepping.plans.step import Step, place_of
from dap_dotnet.stepping.plans.targeted_call import TargetedCall
from dap_dotnet.stepping.ranges import WHOLE_METHOD, step_ranges
from dap_dotnet.symbols.async_methods import written_method
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program


class MovePlanner:
    """Puts those plans on the stack of one step. Session thread only."""

    def __init__(
        self, step: Step, caller: AwaitingCaller, has_breakpoint: Callable[[BreakpointLocation], bool]
    ) -> None:
        """`has_breakpoint` says whether the user has a breakpoint at a place."""
        self._step = step
        self._caller = caller
        self._has_breakpoint = has_breakpoint
        self.left: Ranges = ()
        """The IL ranges that the step has left last."""

    def comes_back(self, program: Program, thread: ThreadId, frame: Frame) -> bool:
        """Whether a computation goes on when the top frame returns, which its library has called."""
        return self._step.request.just_my_code and comes_back(program, thread, frame)

    def go(
        self, program: Program, thread: ThreadId, kind: StepKind, frame: Frame | None, *, is_interrupted: bool = False
    ) -> None:
        """From a thread's top frame. Raises `DapDotnetError`.

        `is_interrupted`: no step has brought the thread there.
        """
        step, request, plans = self._step, self._step.request, self._step.plans
        place = module, _ = place_of(program, thread, frame) if frame is not None else (None, None)
        ranges = step_ranges(module, frame, request.unit) if frame is not None and kind is not StepKind.OUT else []
        if frame is not None and kind is StepKind.OUT and self.comes_back(program, thread, frame):
            kind, ranges = StepKind.OVER, WHOLE_METHOD  # what comes next is not on the stack
        if frame is not None and module is not None and ranges:
            ranges = resuming_ranges(program, thread, module, frame) or ranges
        self.left = ranges
        interrupted_at = frame if is_interrupted else None
        if frame is None or module is None or not ranges:
            self._carry(program, step.move(thread, kind, ranges, place), interrupted_at)
            return
        waiting = self._wait_behind_awaits(program, (module, frame), ranges)
        if waiting is not None and waiting.carries_the_step:
            plans.put(program, None, Layer.MOVE)
        else:
            self._carry(program, step.move(thread, kind, ranges, place), interrupted_at)
        if request.just_my_code and plans.find(TargetedCall) is None:
            self._wait_at_return(program, thread, frame, ranges)
        if request.kind is StepKind.OVER:
            step.listeners.returns.arm(program, thread, module, frame, ranges)

    def _wait_behind_awaits(
        self, program: Program, place: tuple[LoadedModule, Frame], ranges: Ranges
    ) -> AwaitPlan | None:
        """The plan that does; None where there is no `await` on the way."""
        plans, known = self._step.plans, self._caller.machine
        candidates = await_plans(program, self._step, place, ranges, known=known, has_breakpoint=self._has_breakpoint)
        return plans.put_first_armed(program, candidates, Layer.AWAIT)

    def _carry(self, program: Program, move: Move, interrupted_at: Frame | None) -> None:
        plans = self._step.plans
        if interrupted_at is not None:
            plans.put(program, interrupted(self._step.thread, interrupted_at, move), Layer.INTERRUPTED)
        plans.put(program, move)

    def _wait_at_return(self, program: Program, thread: ThreadId, frame: Frame, ranges: Ranges) -> None:
        leaves = run_to_return(program.modules, program.debuggee, thread, frame, ranges)
        self._step.plans.put(program, leaves, Layer.RETURN)

    def go_through(self, program: Program, thread: ThreadId, place: Place) -> None:
        """From a method of a library that may call the user's code. Raises `DapDotnetError`."""
        step, plans, (module, frame) = self._step, self._step.plans, place
        if self._goes_into_async(program, thread, place):
            plans.put(program, Move(thread, StepKind.OUT, just_my_code=False))
        elif module is None or not module.is_optimized:
            plans.put(program, through(thread))
            if frame is not None:
                self._wait_at_return(program, thread, frame, WHOLE_METHOD)
        else:
            back = caller_with_source(program.modules, program.debuggee, thread, step.request)
            plans.put(program, OptimisedThrough(thread, place, back, step.listeners.notes.say))

    def _goes_into_async(self, program: Program, thread: ThreadId, place: Place) -> bool:
        """Whether a step has come to the beginning of an async method of optimised code, which it is to go into."""
        module, frame = place
        if module is None or frame is None or frame.method is None:
            return False
        written = msgspec.structs.replace(frame, method=written_method(module, frame.method))
        if skipped(module, written, self._step.request) is not None:
            return False
        entry = async_entry(thread, module, frame)
        self._step.plans.put(program, entry, Layer.ASYNC_ENTRY)
        return entry is not None and entry.is_armed
