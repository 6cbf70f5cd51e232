"""The step in progress. One at a time, as a client can only ask for one. Session thread only."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit, ExceptionPhase, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import BreakpointLocation, Frame, FrameKind, StepKind, ThreadId
from dap_dotnet.stepping.landing import StepRequest
from dap_dotnet.stepping.listeners import Listeners
from dap_dotnet.stepping.origin import Origin
from dap_dotnet.stepping.plan import Continue, GiveUp, Stop
from dap_dotnet.stepping.plan_stack import PlanStack
from dap_dotnet.stepping.plans.step import Step
from dap_dotnet.stepping.plans.thrown import ThrownException
from dap_dotnet.stepping.ranges import StepUnit
from dap_dotnet.stepping.return_values import ReturnValues
from dap_dotnet.stepping.statement import Statement
from dap_dotnet.stepping.step_in_targets import StepInTarget
from dap_dotnet.stepping.story import StepStory
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program


class Stepping:
    """Starts steps and hands the runtime's events to their plans."""

    def __init__(
        self,
        modules: ModuleCatalog,
        report: Callable[[str], None],
        has_breakpoint: Callable[[BreakpointLocation], bool],
    ) -> None:
        """`report` gives the user a line: what was stepped over, and why.

        `has_breakpoint` says whether the user has a breakpoint at a place.
        """
        self._has_breakpoint = has_breakpoint
        self._listeners = Listeners(modules, report)
        self._plans = PlanStack(self.story.plan)
        self._step: Step | None = None
        """The last one; it is over when there are no plans."""
        self.arrived_at: Frame | None = None
        """The top frame where the last step ended; None if it was not a stepper that ended it."""

    @property
    def story(self) -> StepStory:
        """What the last step did."""
        return self._listeners.story

    @property
    def returns(self) -> ReturnValues:
        """What the calls of the statement have returned that was stepped over last, or out to."""
        return self._listeners.returns

    @property
    def thread(self) -> ThreadId | None:
        """The thread that is stepping; None when no step is in progress."""
        return self._step.thread if self._step is not None and self._plans else None

    def has_begun_at(self, frame: Frame) -> bool:
        """Whether the step in progress began at this very place."""
        return self._step is not None and self._step.origin.is_at(frame)

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
        frame = frame or debuggee.top_frame(thread)
        if frame is None or (frame.kind is not FrameKind.IL and StackView(debuggee, thread).top() is None):
            raise UserError(f"Thread {thread} runs no managed code: it cannot be stepped.", code="NO_MANAGED_CODE")
        module = program.modules.get(frame.module)
        in_user_code = module is not None and module.is_user_code
        has_arrived = Origin(self.arrived_at).is_at(frame)
        filters = filters and kind is StepKind.INTO and target is None
        passes = just_my_code and module is not None and not module.is_language_library
        method = frame.module, frame.method
        request = StepRequest(kind, just_my_code and in_user_code, unit, filters, method, passes)
        self._listeners.notes.begin()
        self.arrived_at = None
        self._step = Step(request, thread, self._plans, self._listeners)
        statement = Statement(self._step, self._has_breakpoint)
        self._plans.put(program, statement)
        try:
            statement.begin(program, frame, target, is_interrupted=in_user_code and not has_arrived)
        except DapDotnetError:
            self.cancel(debuggee)
            raise

    def start_when_caught(self, program: Program, thread: ThreadId, start: Callable[[], None]) -> None:
        """`start` arms a step of a thread, if a handler is found for the exception with which it is stopped."""
        self.cancel(program.debuggee)
        request = StepRequest(StepKind.OVER, just_my_code=True)
        self._step = Step(request, thread, self._plans, self._listeners)
        self._plans.put(program, ThrownException(start))

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether a breakpoint was hit that a step has set for itself: it `decides` on that."""
        return self.returns.is_mine(event) or self._plans.owns(event)

    def ends_at(self, program: Program, event: StepCompleted | BreakpointHit | ExceptionRaised) -> bool:
        """Something has happened that may be of the step. True: it has ended here; False: the program goes on."""
        if isinstance(event, BreakpointHit) and self.returns.is_mine(event):
            self.returns.hit(program, event)
            return False
        if isinstance(event, ExceptionRaised):
            if event.thread != self.thread:
                return False
            if event.phase is ExceptionPhase.UNHANDLED:
                # A stepper that is left makes .NET 10 end by SIGSEGV, before it has said why.
                self.cancel(program.debuggee)
                return False
        decision = self._plans.decide(program, event)
        if isinstance(decision, GiveUp):
            self.story.given_up("what the thread of the pool ran has ended, and nobody waits for its result")
        if isinstance(decision, Continue):
            return False
        statement = self._plans.find(Statement)
        self.arrived_at = statement.arrived_at if statement is not None else None
        self.cancel(program.debuggee)
        return isinstance(decision, Stop)

    def cancel(self, debuggee: Debuggee) -> None:
        """Something else stopped the program, or a new step begins: the one in progress is given up."""
        if self._plans:
            self.story.given_up("something else stopped the program before")
        self.returns.disarm(debuggee)
        self._plans.disarm(debuggee)
