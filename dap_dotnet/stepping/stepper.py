"""The step in progress. One at a time, as a client can only ask for one. Session thread only."""

from __future__ import annotations

import logging
from collections.abc import Callable

import msgspec

from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import STEP_NORMAL, BreakpointHit, ExceptionPhase, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import BreakpointLocation, Frame, FrameKind, MethodToken, ModuleId, StepKind, ThreadId
from dap_dotnet.stepping.activations import LeftCall, found_again
from dap_dotnet.stepping.awaits import AwaitSteps, Reached
from dap_dotnet.stepping.continuations import Continuations
from dap_dotnet.stepping.departures import Departure
from dap_dotnet.stepping.first_runs import FirstRun
from dap_dotnet.stepping.interrupted import InterruptedThread
from dap_dotnet.stepping.landings import Landing, StepRequest, caller_with_source, is_library, skipped
from dap_dotnet.stepping.logical_call import LogicalCall
from dap_dotnet.stepping.multicast import MulticastSteps, Place
from dap_dotnet.stepping.origins import Origin, Way
from dap_dotnet.stepping.pool_items import PoolItem
from dap_dotnet.stepping.ranges import WHOLE_METHOD, StepUnit, reaches_end, step_ranges
from dap_dotnet.stepping.return_values import ReturnValues
from dap_dotnet.stepping.skip_notes import SkipNotes
from dap_dotnet.stepping.step_in_targets import Progress, StepInTarget, TargetedStep
from dap_dotnet.stepping.steppers import Steppers
from dap_dotnet.stepping.suspended import resuming_ranges
from dap_dotnet.stepping.tasks.dynamic_machines import comes_back
from dap_dotnet.stepping.thrown_out import left_by_exception
from dap_dotnet.symbols.async_methods import is_in_hidden_await, written_method
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)

_MAX_CONTINUATIONS = 200
"""How often one step may go on through hidden code before it stops wherever it is."""
_MOST_IN_LIBRARY = 150
"""Methods of a language's library that a step into goes through in search of the user's code that they may call."""


class Stepping:
    """Starts steps and decides where they end."""

    def __init__(
        self,
        modules: ModuleCatalog,
        report: Callable[[str], None],
        has_breakpoint: Callable[[BreakpointLocation], bool],
    ) -> None:
        """`report` gives the user a line: what was stepped over, and why.

        `has_breakpoint` says whether the user has a breakpoint at a place.
        """
        self._modules = modules
        self._notes = SkipNotes(report)
        self._request: StepRequest | None = None
        self._thread: ThreadId | None = None
        self._continuations = 0
        self._awaits = AwaitSteps(has_breakpoint)
        self._logical = LogicalCall(modules)
        self._computation = Continuations(modules)
        self._first_run = FirstRun()
        self._departure = Departure(modules)
        self._multicast = MulticastSteps(report)
        self._steppers = Steppers(self._multicast)
        self._interrupted = InterruptedThread()
        self._left_call = LeftCall(modules)
        self._pool_item = PoolItem()
        self.returns = ReturnValues()
        """What the calls of the statement have returned that was stepped over last, or out to."""
        self._origin = Origin()
        self.arrived_at: Frame | None = None
        """The top frame where the last step ended; None if it was not a stepper that ended it."""
        self._is_leaving = False
        self._is_passing = False
        """Whether it goes on through hidden code."""
        self._targeted: TargetedStep | None = None
        self._when_caught: Callable[[], None] | None = None
        """Begins the step, which waits for the handler of an exception."""
        self._gone_through: set[tuple[int, ModuleId | None, MethodToken | None] | None] = set()
        """Calls without source, to the end of which the step goes on into what they call."""
        self._caller: Frame | None = None
        """Of the library's, which may call code in which the step ends."""
        self._goes_to_waiter = False
        """Whether the step goes out to the method that waits for the result: it stops in the midst of its statement."""

    @property
    def thread(self) -> ThreadId | None:
        """The thread that is stepping; None when no step is in progress."""
        return self._thread

    def has_begun_at(self, frame: Frame) -> bool:
        """Whether the step in progress began at this very place."""
        return self._origin.is_at(frame)

    def start(
        self,
        program: Program,
        thread: ThreadId,
        kind: StepKind,
        frame: Frame | None = None,
        target: StepInTarget | None = None,
        *,
        unit: StepUnit = StepUnit.STATEMENT,
        just_my_code: bool,
        filters: bool,
    ) -> None:
        """Arm a step for the thread's top frame (`frame` None: not known), into the call `target` if there is one.

        The caller lets the program run afterwards. Raises `UserError` for a thread without managed frames.
        """
        debuggee = program.debuggee
        self.cancel(debuggee)
        self.returns.forget(debuggee)
        frame, module = self._place(debuggee, thread, frame)
        has_arrived = frame is not None and Origin(self.arrived_at).is_at(frame)
        if frame is None or (frame.kind is not FrameKind.IL and StackView(debuggee, thread).top() is None):
            raise UserError(f"Thread {thread} runs no managed code: it cannot be stepped.", code="NO_MANAGED_CODE")
        in_user_code = module is not None and module.is_user_code
        origin = (frame.module, frame.method)
        filters = filters and kind is StepKind.INTO and target is None
        passes = just_my_code and module is not None and not module.is_language_library
        self._request = StepRequest(kind, just_my_code and in_user_code, unit, filters, origin, passes)
        self._targeted = TargetedStep(self._modules, target) if target is not None else None
        self._notes.begin()
        self.arrived_at = None
        self._thread = thread
        self._continuations = 0
        self._is_leaving = self._is_passing = False
        self._gone_through.clear()
        self._origin = Origin(frame, step_ranges(module, frame, unit))
        if kind is not StepKind.OUT and not step_ranges(module, frame):
            self._begin_below(debuggee, thread, self._request)
        may_leave = kind is StepKind.OUT or reaches_end(step_ranges(module, frame))
        self._logical.begin(program, thread, frame, just_my_code=self._request.just_my_code, may_leave=may_leave)
        is_leaving = kind is StepKind.OUT and not self._comes_back(program, thread, frame)
        if not is_leaving and unit is not StepUnit.INSTRUCTION:
            self._computation.begin(program, thread, frame)
        if kind is StepKind.OVER and self._logical.is_left_by(frame, step_ranges(module, frame, unit)):
            return
        if is_leaving and self._logical.is_called_by_framework:
            return  # there is nobody to return to on this stack: the awaiters' breakpoints are all of the step
        if is_leaving:
            self._left_call.begin(debuggee, thread)
        if may_leave and not self._logical.is_called_by_framework and not self._computation:
            self._pool_item.begin(program, thread)
        if in_user_code and not has_arrived:
            self._interrupted.arm(debuggee, thread, frame, kind)
        self._arm(program, thread, kind, frame)

    def start_when_caught(self, thread: ThreadId, start: Callable[[], None]) -> None:
        """`start` arms a step of a thread, if a handler is found for the exception with which it is stopped."""
        self._thread, self._when_caught = thread, start

    def _begin_below(self, debuggee: Debuggee, thread: ThreadId, request: StepRequest) -> None:
        """The thread is in a call that has no source: the statement is stepped that the user sees, which has called."""
        below = caller_with_source(self._modules, debuggee, thread, request)
        if below is not None:
            self._origin = Origin(below, step_ranges(self._modules.get(below.module), below, request.unit))
            self._is_leaving = True

    def _place(
        self, debuggee: Debuggee, thread: ThreadId, frame: Frame | None = None
    ) -> tuple[Frame | None, LoadedModule | None]:
        """The thread's top frame, where it is not known, with its module."""
        frame = frame or debuggee.top_frame(thread)
        return frame, self._modules.get(frame.module) if frame is not None else None

    def _arm(self, program: Program, thread: ThreadId, kind: StepKind, frame: Frame | None) -> None:
        assert self._request is not None
        debuggee = program.debuggee
        module = self._modules.get(frame.module) if frame is not None else None
        unit = self._request.unit
        ranges = step_ranges(module, frame, unit) if frame is not None and kind is not StepKind.OUT else []
        if kind is StepKind.OUT and self._comes_back(program, thread, frame):
            kind, ranges = StepKind.OVER, WHOLE_METHOD  # what comes next is not on the stack
        if frame is not None and module is not None and ranges:
            ranges = resuming_ranges(program, thread, module, frame) or ranges
        self._steppers.left = ranges
        just_my_code = self._request.just_my_code
        if frame is not None and module is not None and ranges:
            goes_over, known = self._request.kind is StepKind.OVER, self._logical.machine
            self._awaits.arm(program, thread, module, frame, ranges, known=known, goes_over=goes_over)
        self._leave(program, thread, kind, (module, frame))
        if frame is not None and module is not None and ranges:
            if just_my_code and self._targeted is None:
                self._departure.arm(debuggee, thread, frame, ranges)
            if self._request.kind is StepKind.OVER:
                self.returns.arm(program, thread, module, frame, ranges)

    def _leave(self, program: Program, thread: ThreadId, kind: StepKind, place: Place) -> None:
        """Let a stepper carry the step, if it needs one. Raises `DapDotnetError`; then nothing of the step is left."""
        assert self._request is not None
        if self._awaits.is_all_of_the_step:
            return
        try:
            self._steppers.leave(program, thread, kind, place, just_my_code=self._request.just_my_code)
        except DapDotnetError:
            self._awaits.clear(program.debuggee)
            raise

    def _comes_back(self, program: Program, thread: ThreadId, frame: Frame | None) -> bool:
        """Whether a computation goes on when the top frame returns, which its library has called."""
        assert self._request is not None
        return self._request.just_my_code and frame is not None and comes_back(program, thread, frame)

    def completed(self, program: Program, event: StepCompleted) -> bool:
        """A stepper completed. True: the user's step has ended here; False: go on."""
        debuggee = program.debuggee
        if self._pool_item.is_over(event):
            self._pool_item.forget(debuggee, completed=True)
            goes_on = self._logical.is_called_by_framework or bool(self._computation)
            if not goes_on and not self._awaits.is_suspended(program):
                self.cancel(debuggee)
            return False
        if not self._steppers.is_mine(event) or self._request is None:
            return False
        self._steppers.cancel(debuggee, completed=event.stepper)
        self._interrupted.clear(debuggee)
        if self._caller is not None and found_again(debuggee, event.thread, self._caller) is None:
            self._caller = None
            return False  # what it has called was not the user's
        if self._awaits.is_suspended(program):
            if event.thread == self._thread and not self._awaits.learn(program):
                self._steppers.step(debuggee, event.thread, StepKind.OUT, just_my_code=False)
            return False  # in a caller of the method: the step goes on where that resumes
        if self._logical.has_left(program, event.thread):
            return False  # in what happened to call the method: the step goes on in its awaiter
        if self._computation.is_suspended(program) or self._computation.has_left(debuggee, event.thread):
            runner = self._computation.runner(debuggee)
            if not self._logical.learn_of_computation(program, event.thread, runner):
                self._steppers.step(debuggee, event.thread, StepKind.OUT)
            return False  # in a caller of what F# awaits in, or elsewhere: the step goes on where that resumes
        if self._targeted is not None and self._goes_on_to_target(debuggee, event.thread, self._targeted):
            return False
        own = self._left_call.still_there(debuggee, event.thread)
        if own is not None:
            just_my_code = self._request.just_my_code
            self._steppers.step(debuggee, event.thread, StepKind.OUT, just_my_code=just_my_code, frame_index=own.index)
            return False
        return self._land(program, event.thread, self._request, is_normal=event.reason == STEP_NORMAL)

    def _land(self, program: Program, thread: ThreadId, request: StepRequest, *, is_normal: bool) -> bool:
        """The step has come to a place on a thread: True: it ends there; False: it goes on.

        `is_normal`: nothing was called, and nothing has returned, to come there.
        """
        debuggee = program.debuggee
        frame, module = self._place(debuggee, thread)
        if thread == self._thread and self._origin.is_come_back_to(frame):
            request = msgspec.structs.replace(request, filters=False)  # the user was inside: it is not entered
        left, is_leaving, is_passing = self._steppers.left, self._is_leaving, self._is_passing
        way = Way(left=left, is_leaving=is_leaving, is_passing=is_passing, is_normal=is_normal)
        landing = self._origin.landing(module, frame, request, way)
        self._notes.landed(module, frame, request)
        call = (frame.stack_address, frame.module, frame.method) if frame is not None else None
        is_gone_through = call in self._gone_through or self._computation.is_between_pieces(module, frame)
        if landing is Landing.STEP_OUT and is_gone_through:
            landing = Landing.STEP_THROUGH
        if landing is Landing.STEP_ON and self._goes_to_waiter:
            if not is_in_hidden_await(frame, module):
                landing = Landing.STOP  # hidden code follows the check of an await whether it has to suspend
            self._goes_to_waiter = False  # beyond that method it is a step as any other
        if landing is Landing.STEP_ON:
            self._look_for_awaiters(program, thread, frame)
        if landing is Landing.STEP_THROUGH and self._continuations >= _MOST_IN_LIBRARY and is_library(module, request):
            landing = Landing.STEP_OUT
        self._is_leaving = landing in (Landing.STEP_OUT, Landing.STEP_THROUGH)
        self._is_passing = landing is Landing.STEP_ON
        if landing is Landing.STOP or self._continuations >= _MAX_CONTINUATIONS:
            self.arrived_at = frame
            self._take_return_values(program, thread, module, frame)
            self.cancel(debuggee)
            return True
        self._continuations += 1
        if landing is Landing.STEP_THROUGH:
            self._gone_through.add(call)
        into = request.kind is StepKind.INTO
        kind = StepKind.OUT if landing is Landing.STEP_OUT else StepKind.INTO if into else StepKind.OVER
        try:
            if landing is Landing.STEP_THROUGH:
                self._go_through(program, thread, module, frame)
            else:
                self._arm(program, thread, kind, frame)
        except DapDotnetError as error:
            _log.warning("the step cannot go on: %s", error.message)
            self.cancel(debuggee)
            return True
        return False

    def _go_through(self, program: Program, thread: ThreadId, module: LoadedModule | None, frame: Frame | None) -> None:
        """The step has come to a library that may call the user's code."""
        assert self._request is not None
        debuggee = program.debuggee
        if self._goes_into_async(debuggee, thread, module, frame):
            self._steppers.step(debuggee, thread, StepKind.OUT, just_my_code=False)
        elif module is None or not module.is_optimized:
            self._steppers.go_through(debuggee, thread)
            if frame is not None:
                self._departure.arm(debuggee, thread, frame, WHOLE_METHOD)
        else:
            back = caller_with_source(self._modules, debuggee, thread, self._request)
            self._steppers.go_through_optimised(program, thread, (module, frame), back)

    def _look_for_awaiters(self, program: Program, thread: ThreadId, frame: Frame | None) -> None:
        """The step goes on through hidden code of a method, and may leave it."""
        assert self._request is not None
        if self._logical.is_called_by_framework or frame is None or self._origin.is_call(frame):
            self._logical.look_for_awaiters(program, thread, frame)  # who awaits may have come to it only now
        else:  # an exception has left what the method has called
            self._logical.begin(program, thread, frame, just_my_code=self._request.just_my_code, may_leave=True)

    def exception(self, program: Program, event: ExceptionRaised) -> None:
        """An exception has found its handler, or none. With one that ends the program the step is over: a stepper that
        is left then makes .NET 10 end by SIGSEGV, before it has said why.

        Of one that takes the thread out of the user's code the step goes on in what waits for the result of the code
        that was left, and nowhere where that is not known.
        """
        if event.thread != self._thread:
            return
        if event.phase is ExceptionPhase.UNHANDLED:
            self.cancel(program.debuggee)
            return
        if self._when_caught is not None and event.phase is ExceptionPhase.CATCH_HANDLER_FOUND:
            self._when_caught()
        if self._request is None or self._awaits.is_suspended(program):
            return
        if self._logical.is_called_by_framework:
            return
        left = left_by_exception(self._modules, program.debuggee, event)
        if left is None:
            return
        self._logical.begin(program, event.thread, left, just_my_code=self._request.just_my_code, may_leave=True)
        self._steppers.cancel(program.debuggee)  # what the thread comes to has nothing to do with the step

    def _goes_into_async(
        self, debuggee: Debuggee, thread: ThreadId, module: LoadedModule | None, frame: Frame | None
    ) -> bool:
        """Whether a step has come to the beginning of an async method of optimised code, which it is to go into."""
        assert self._request is not None
        if module is None or frame is None or frame.method is None:
            return False
        written = msgspec.structs.replace(frame, method=written_method(module, frame.method))
        is_passed_by = skipped(module, written, self._request) is not None
        return not is_passed_by and self._first_run.arm(debuggee, thread, module, frame)

    def _goes_on_to_target(self, debuggee: Debuggee, thread: ThreadId, targeted: TargetedStep) -> bool:
        """A step into one call of a statement has come to some place: whether it goes on from there."""
        assert self._request is not None
        progress, called = targeted.progress(debuggee, thread)
        just_my_code = self._request.just_my_code
        self._continuations += 1
        if progress is Progress.IN_TARGET:
            targeted.is_reached = True
        elif progress is Progress.IN_STATEMENT and targeted.is_reached:
            self._request = msgspec.structs.replace(self._request, kind=StepKind.OVER)  # nothing in it could be shown
            self._targeted = None
        elif self._continuations >= _MAX_CONTINUATIONS:
            return False
        elif progress is Progress.IN_STATEMENT:
            kind = StepKind.OVER if self._multicast.forbids_into else StepKind.INTO
            self._steppers.step(debuggee, thread, kind, targeted.ranges, just_my_code=just_my_code)
            return True
        elif progress is Progress.IN_OTHER_CALL and not targeted.is_reached:
            self._steppers.step(debuggee, thread, StepKind.OUT, just_my_code=just_my_code, frame_index=called)
            return True
        return False

    def _take_return_values(
        self, program: Program, thread: ThreadId, module: LoadedModule | None, frame: Frame | None
    ) -> None:
        """The step has ended in a frame: what has been returned right there comes with it."""
        if frame is None or module is None or self._request is None:
            return
        self.returns.ended(program, thread, frame)
        if not self._origin.is_call(frame) and self._request.kind is not StepKind.INTO:
            self.returns.came_back(program, thread, module, frame, step_ranges(module, frame))

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether a breakpoint was hit that a step has set for itself: `hit` it, and go on."""
        parts = (self.returns, self._awaits, self._logical, self._computation)
        of_frames = (self._first_run, self._departure, self._multicast, self._interrupted)
        return any(part.is_mine(event) for part in (*parts, *of_frames))

    def hit(self, program: Program, event: BreakpointHit) -> bool:
        """A breakpoint of the step's own was hit. True: the user's step has ended here; False: go on.

        The method suspends at an await, has resumed after it, its awaiter goes on, or its result is taken.
        """
        debuggee = program.debuggee
        if self._request is None:
            return False
        if self.returns.is_mine(event):
            self.returns.hit(program, event)
            return False
        if self._interrupted.is_mine(event):
            if self._interrupted.has_come(debuggee, event):
                self._steppers.cancel(debuggee)
                frame, module = self._place(debuggee, event.thread)
                self._leave(program, event.thread, self._interrupted.kind, (module, frame))
            return False
        if self._departure.is_mine(event):
            if self._departure.has_come(debuggee, event):
                self._steppers.cancel(debuggee)
                self._steppers.step(debuggee, event.thread, self._departure.kind)
            return False
        if self._awaits.is_mine(event):
            return self._has_ended_behind_await(program, event, self._request)
        if self._has_arrived(program, event):
            if is_in_hidden_await(*self._place(debuggee, event.thread)):
                self._awaits.clear(debuggee)
                self._go_on_after_await(program, event.thread)
                return False
            self.cancel(debuggee)
            return True
        if self._logical.is_result_taken(program, event):
            self._go_out_to_waiter(program, event.thread, self._request)
        return False

    def _has_ended_behind_await(self, program: Program, event: BreakpointHit, request: StepRequest) -> bool:
        """A breakpoint of an `await` was hit: whether the step ends there."""
        reached = self._awaits.hit(program, event)
        if reached is None:
            return False
        if reached is Reached.RESUMPTION:
            self._go_on_after_await(program, event.thread)
            return False
        self._steppers.cancel(program.debuggee)
        self._thread = event.thread
        if reached is Reached.HANDLER:
            frame, _ = self._place(program.debuggee, event.thread)
            self._logical.begin(program, event.thread, frame, just_my_code=request.just_my_code, may_leave=True)
        return self._land(program, event.thread, request, is_normal=False)

    def _go_on_after_await(self, program: Program, thread: ThreadId) -> None:
        """An async method has resumed on a thread: the step goes on to the end of its statement."""
        assert self._request is not None
        self._steppers.cancel(program.debuggee)
        self._left_call.forget()
        self._thread = thread
        frame, module = self._place(program.debuggee, thread)
        may_leave = frame is not None and reaches_end(step_ranges(module, frame))
        just_my_code = self._request.just_my_code
        self._logical.begin(program, thread, frame, just_my_code=just_my_code, may_leave=may_leave, has_resumed=True)
        if self._targeted is not None and frame is not None:
            self._targeted.frame = frame
        goes_into = self._request.kind is StepKind.INTO  # of what the statement calls after its await, too
        self._arm(program, thread, StepKind.INTO if goes_into else StepKind.OVER, frame)

    def _has_arrived(self, program: Program, event: BreakpointHit) -> bool:
        """Whether it ends the step: in the code of a method, in an awaiter, or in a piece of a computation."""
        if self._multicast.is_mine(event):
            return self._multicast.has_arrived(program.debuggee, event)
        if self._first_run.is_mine(event):
            return self._first_run.has_arrived(program.debuggee, event)
        if self._computation.is_mine(event):
            return self._computation.has_arrived(program, event)
        return self._has_come_to_awaiter(program, event)

    def _has_come_to_awaiter(self, program: Program, event: BreakpointHit) -> bool:
        """Whether an awaiter of the method resumes, since the method has ended: WhenAny resumes it for another one."""
        if not self._logical.has_arrived(program, event):
            return False
        return not self._awaits.is_suspended(program) and not self._logical.is_at_work(program)

    def _go_out_to_waiter(self, program: Program, thread: ThreadId, request: StepRequest) -> None:
        """The library takes the method's result on a thread: the step ends in the method that it does that for."""
        debuggee = program.debuggee
        gives_elements = self._logical.gives_elements
        self.cancel(debuggee)
        self._request, self._thread = request, thread
        self._is_leaving = self._is_passing = False
        if request.just_my_code and self._logical.go_on_in_computation(program, thread):
            self._computation.go_through()
            self._steppers.go_through(debuggee, thread)  # what comes next is not on the stack
            return
        taker = self._logical.go_on_in_library(program, thread)
        if taker is not None and not (gives_elements and request.kind is not StepKind.OUT):
            return  # the awaiters' breakpoints are all of the step
        self._caller = taker or self._logical.go_on_in_continuation(program, thread)
        if self._caller is not None:
            self._steppers.go_through(debuggee, thread)
        else:
            self._goes_to_waiter = True
            self._steppers.step(debuggee, thread, StepKind.OUT, just_my_code=request.just_my_code)

    def cancel(self, debuggee: Debuggee) -> None:
        """Something else stopped the program, or a new step begins: the one in progress is given up."""
        self._steppers.cancel(debuggee)
        self._pool_item.forget(debuggee)
        self.returns.disarm(debuggee)
        self._awaits.clear(debuggee)
        self._logical.clear(debuggee)
        self._computation.clear(debuggee)
        self._first_run.clear(debuggee)
        self._departure.clear(debuggee)
        self._multicast.clear(debuggee)
        self._interrupted.clear(debuggee)
        self._end()

    def _end(self) -> None:
        self._goes_to_waiter = False
        self._caller = None
        self._steppers.forget()
        self._left_call.forget()
        self._request = None
        self._targeted = None
        self._thread = None
        self._when_caught = None
