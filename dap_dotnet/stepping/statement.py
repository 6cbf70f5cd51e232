"""The plan at the bottom of each step: what the user has asked for, and whether the step ends where it has come to."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec
from typing_extensions import override

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.events import STEP_NORMAL, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import BreakpointLocation, Frame, MethodToken, ModuleId, StepKind, ThreadId
from dap_dotnet.stepping.async_.awaiting_caller import AwaitingCaller
from dap_dotnet.stepping.async_.out_of_result_taker import OutOfResultTaker
from dap_dotnet.stepping.fsharp.computation import AroundPieces, computation_plan
from dap_dotnet.stepping.landing import Landing, caller_with_source, is_library
from dap_dotnet.stepping.move_planner import MovePlanner
from dap_dotnet.stepping.origin import Before, Origin, Way
from dap_dotnet.stepping.plan import Continue, Decision, Layer, News, StepEvent, StepPlan, Stop
from dap_dotnet.stepping.plans.library_callback import LibraryCallback
from dap_dotnet.stepping.plans.moves import Move, through
from dap_dotnet.stepping.plans.multicast_delegates import Place
from dap_dotnet.stepping.plans.out_of_call import out_of_call
from dap_dotnet.stepping.plans.pool_item import end_of_pool_item
from dap_dotnet.stepping.plans.step import MOST_CONTINUATIONS, Step, place_of
from dap_dotnet.stepping.plans.targeted_call import TargetedCall
from dap_dotnet.stepping.plans.thrown import left_by_exception
from dap_dotnet.stepping.ranges import StepUnit, reaches_end, step_ranges
from dap_dotnet.stepping.step_in_targets import StepInTarget
from dap_dotnet.symbols.async_methods import is_in_hidden_await
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)

_MOST_IN_LIBRARY = 150
"""Methods of a language's library that a step into goes through in search of the user's code that they may call."""


class Statement(StepPlan):
    """Decide at each place to which the step comes whether it is one to show."""

    layer = Layer.STATEMENT

    def __init__(self, step: Step, has_breakpoint: Callable[[BreakpointLocation], bool]) -> None:
        """`has_breakpoint` says whether the user has a breakpoint at a place."""
        super().__init__()
        self._step = step
        self._caller = AwaitingCaller(step)
        self._moves = MovePlanner(step, self._caller, has_breakpoint)
        self._before = Before.STATEMENT
        self._gone_through: set[tuple[int, ModuleId | None, MethodToken | None] | None] = set()
        """Calls without source, to the end of which the step goes on into what they call."""
        self.arrived_at: Frame | None = None
        """The top frame where the step has ended; None if it was not a stepper that ended it."""

    def begin(self, program: Program, frame: Frame, target: StepInTarget | None, *, is_interrupted: bool) -> None:
        """Arm the step for its thread's top frame. `is_interrupted`: no step has brought the thread there.

        Raises `DapDotnetError`.
        """
        step, debuggee = self._step, program.debuggee
        request, thread, plans = step.request, step.thread, step.plans
        module, _ = place_of(program, thread, frame)
        plans.put(program, self._caller)
        if target is not None:
            plans.put(program, TargetedCall(step, target, module))
        ranges = step_ranges(module, frame, request.unit)
        step.origin = Origin(frame, ranges)
        if request.kind is not StepKind.OUT and not step_ranges(module, frame):
            self._begin_below(program)
        may_leave = request.kind is StepKind.OUT or reaches_end(step_ranges(module, frame))
        step.listeners.story.begin(request, step.origin)
        self._begin_caller(program, thread, frame, may_leave=may_leave)
        is_leaving = request.kind is StepKind.OUT and not self._moves.comes_back(program, thread, frame)
        if not is_leaving and request.unit is not StepUnit.INSTRUCTION:
            self._begin_computation(program, frame)
        if request.kind is StepKind.OVER and self._caller.is_left_by(module, frame, ranges):
            return
        if is_leaving and self._caller.is_called_by_framework:
            return  # there is nobody to return to on this stack: the awaiters' breakpoints are all of the step
        if is_leaving:
            out = out_of_call(program.modules, debuggee, thread, just_my_code=request.just_my_code)
            plans.put(program, out, Layer.CALL)
        if may_leave and not plans.goes_on_elsewhere(program, Layer.CALLER, Layer.COMPUTATION):
            plans.put(program, end_of_pool_item(program, thread, plans.goes_on_elsewhere), Layer.POOL_ITEM)
        self._moves.go(program, thread, request.kind, frame, is_interrupted=is_interrupted)

    def _begin_computation(self, program: Program, frame: Frame) -> None:
        step, plans = self._step, self._step.plans
        plan = computation_plan(program, step.thread, frame, self._caller.learn_of_computation)
        waiting = plans.put_first_armed(program, [plan] if plan is not None else [], Layer.COMPUTATION)
        if waiting is not None and waiting.goes_through:
            plans.put(program, AroundPieces())

    def _begin_below(self, program: Program) -> None:
        """The thread is in a call that has no source: the statement is stepped that the user sees, which has called."""
        step = self._step
        below = caller_with_source(program.modules, program.debuggee, step.thread, step.request)
        if below is not None:
            step.origin = Origin(below, step_ranges(program.modules.get(below.module), below, step.request.unit))
            self._before = Before.UNSHOWN_CODE

    def _begin_caller(
        self, program: Program, thread: ThreadId, frame: Frame | None, *, may_leave: bool, has_resumed: bool = False
    ) -> None:
        self._caller.begin(program, thread, frame, may_leave=may_leave, has_resumed=has_resumed)
        if self._caller.is_armed:
            self._step.listeners.story.plan(self._caller)

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        return news is not None or isinstance(event, ExceptionRaised)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        step, story, thread = self._step, self._step.listeners.story, event.thread
        if isinstance(event, ExceptionRaised):
            self._caught(program, event)
            return Continue()
        if news is News.RESUMED:
            self._go_on_after_await(program, thread)
            return Continue()
        if news is News.ARRIVED:
            module, frame = place_of(program, thread)
            if not is_in_hidden_await(frame, module):
                story.ended_by(step.plans.told_by)
                return Stop()
            step.plans.put(program, None, Layer.AWAIT)
            self._go_on_after_await(program, thread)
            return Continue()
        if news in (News.TAKEN, News.ELEMENT_TAKEN):
            self._go_out_to_waiter(program, thread, gives_elements=news is News.ELEMENT_TAKEN)
            return Continue()
        if not isinstance(event, StepCompleted):  # an await is over
            step.plans.put(program, None, Layer.MOVE)
            step.thread = thread
            if news is News.CAUGHT:
                self._begin_caller(program, thread, place_of(program, thread)[1], may_leave=True)
            decision = self._land(program, thread, news, is_normal=False)
            story.ended_by(step.plans.told_by if isinstance(decision, Stop) else None)
            return decision
        return self._land(program, thread, news, is_normal=event.reason == STEP_NORMAL)

    def _land(self, program: Program, thread: ThreadId, news: News | None, *, is_normal: bool) -> Decision:
        """The step has come to a place on a thread, with no call and no return on the way there if `is_normal`."""
        step, request, story = self._step, self._step.request, self._step.listeners.story
        module, frame = place_of(program, thread)
        if thread == step.thread and step.origin.is_come_back_to(frame):
            request = msgspec.structs.replace(request, filters=False)  # the user was inside: it is not entered
        landing = step.origin.landing(module, frame, request, Way(self._before, self._moves.left, is_normal))
        step.listeners.notes.landed(module, frame, request)
        call = (frame.stack_address, frame.module, frame.method) if frame is not None else None
        if landing is Landing.STEP_OUT and (call in self._gone_through or news is News.BETWEEN_PIECES):
            landing = Landing.STEP_THROUGH
        if landing is Landing.STEP_ON:
            if news is News.IN_WAITER:
                step.plans.put(program, None, Layer.LANDING)  # beyond that method it is a step as any other
            if news is News.IN_WAITER and not is_in_hidden_await(frame, module):
                landing = Landing.STOP  # hidden code follows the check of an await whether it has to suspend
            else:
                self._look_for_awaiters(program, thread, frame)
        if landing is Landing.STEP_THROUGH and step.continuations >= _MOST_IN_LIBRARY and is_library(module, request):
            landing = Landing.STEP_OUT
        self._before = Before.HIDDEN_CODE if landing is Landing.STEP_ON else Before.UNSHOWN_CODE
        if landing is Landing.STOP or step.continuations >= MOST_CONTINUATIONS:
            self.arrived_at = frame
            story.ended(frame)
            self._take_return_values(program, thread, (module, frame))
            return Stop()
        step.continuations += 1
        story.landed(module, frame, request)
        into = StepKind.INTO if request.kind is StepKind.INTO else StepKind.OVER
        try:
            if landing is Landing.STEP_THROUGH:
                self._gone_through.add(call)
                self._moves.go_through(program, thread, (module, frame))
            else:
                self._moves.go(program, thread, StepKind.OUT if landing is Landing.STEP_OUT else into, frame)
        except DapDotnetError as error:
            _log.warning("the step cannot go on: %s", error.message)
            return Stop()
        return Continue()

    def _look_for_awaiters(self, program: Program, thread: ThreadId, frame: Frame | None) -> None:
        """The step goes on through hidden code of a method, and may leave it."""
        if self._caller.is_called_by_framework or frame is None or self._step.origin.is_call(frame):
            self._caller.look_for_awaiters(program, thread, frame)  # who awaits may have come to it only now
        else:  # an exception has left what the method has called
            self._begin_caller(program, thread, frame, may_leave=True)

    def _caught(self, program: Program, event: ExceptionRaised) -> None:
        """An exception has found its handler. Of one that takes the thread out of the user's code the step goes on.

        It goes on in what waits for the result of the code that was left, and nowhere where that is not known.
        """
        left = left_by_exception(program.modules, program.debuggee, event)
        if left is not None:
            self._begin_caller(program, event.thread, left, may_leave=True)
            self._step.plans.put(program, None, Layer.MOVE)  # what the thread comes to has nothing to do with the step

    def _take_return_values(self, program: Program, thread: ThreadId, place: Place) -> None:
        """The step has ended at a place: what has been returned right there comes with it."""
        step, (module, frame) = self._step, place
        if frame is None or module is None:
            return
        step.listeners.returns.ended(program, thread, frame)
        if not step.origin.is_call(frame) and step.request.kind is not StepKind.INTO:
            step.listeners.returns.came_back(program, thread, module, frame, step_ranges(module, frame))

    def _go_on_after_await(self, program: Program, thread: ThreadId) -> None:
        """An async method has resumed on a thread: the step goes on to the end of its statement."""
        step = self._step
        step.plans.put(program, None, Layer.MOVE)
        step.thread = thread
        module, frame = place_of(program, thread)
        may_leave = frame is not None and reaches_end(step_ranges(module, frame))
        self._begin_caller(program, thread, frame, may_leave=may_leave, has_resumed=True)
        goes_into = step.request.kind is StepKind.INTO  # of what the statement calls after its await, too
        self._moves.go(program, thread, StepKind.INTO if goes_into else StepKind.OVER, frame)

    def _go_out_to_waiter(self, program: Program, thread: ThreadId, *, gives_elements: bool) -> None:
        """The library takes the method's result on a thread: the step ends in the method that it does that for."""
        step, plans, request = self._step, self._step.plans, self._step.request
        step.listeners.returns.disarm(program.debuggee)
        plans.disarm(program.debuggee)
        plans.put(program, self)
        plans.put(program, self._caller)
        step.thread = thread
        self._before = Before.STATEMENT
        if request.just_my_code and self._caller.go_on_in_computation(program, thread):
            plans.put(program, AroundPieces())
            plans.put(program, through(thread))  # what comes next is not on the stack
            return
        taker = self._caller.go_on_in_library(program, thread)
        if taker is not None and not (gives_elements and request.kind is not StepKind.OUT):
            return  # the awaiters' breakpoints are all of the step
        caller = taker or self._caller.go_on_in_continuation(program, thread)
        if caller is not None:
            plans.put(program, LibraryCallback(caller))
            plans.put(program, through(thread))
        else:
            plans.put(program, OutOfResultTaker())
            plans.put(program, Move(thread, StepKind.OUT, just_my_code=request.just_my_code))

    @override
    def describe(self) -> str:
        request = self._step.request
        return f"step {request.kind.name.lower()}, by {request.unit.value}"
