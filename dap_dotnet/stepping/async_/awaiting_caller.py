"""The async method that a step began in, as the user sees it: one call, on whatever thread it runs, with its awaiters.

An async method runs in its caller until its first suspension: then its caller is on the stack, as with any method.
Once it has resumed the framework calls it, or any code that has completed what it awaited; what is below it on the
stack has nothing to do with it, and a step that leaves it belongs in its awaiter. So it is with a delegate that a task
runs: what comes after it is whoever awaits the task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from typing_extensions import override

from dap_dotnet.async_tasks.awaiters import is_shown
from dap_dotnet.async_tasks.state_machine import state_machine
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import Frame, FrameKind, ThreadId, Value
from dap_dotnet.stepping.async_.remembered_calls import (
    RememberedCall,
    RememberedComputation,
    RememberedMachine,
    RememberedTask,
)
from dap_dotnet.stepping.async_.running_tasks import (
    continuation_taking,
    is_box,
    resumed_method_taking,
    task_in,
    task_run_by,
)
from dap_dotnet.stepping.async_.waiters import Waiters
from dap_dotnet.stepping.fsharp.dynamic_machines import (
    beginning_of,
    is_begun_on_stack,
    is_run_on_stack,
    machine_frame,
    machine_run_by,
    task_of_runner,
)
from dap_dotnet.stepping.plan import Continue, Decision, Layer, News, Pass, StepEvent, StepPlan
from dap_dotnet.stepping.plans.out_of_call import found_again
from dap_dotnet.stepping.plans.step import Step
from dap_dotnet.stepping.ranges import is_end
from dap_dotnet.symbols.async_methods import async_info, is_called_by
from dap_dotnet.symbols.exception_clauses import is_in_filter
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program

_LOOK_AT_FRAMES = 24
"""How far below a method its caller is looked for: the builder and the library calls that began it are between."""
_MOST_FRAMES = 1000


class AwaitingCaller(StepPlan):
    """Wait for whoever awaits the method, or takes its result."""

    layer = Layer.CALLER

    def __init__(self, step: Step) -> None:
        super().__init__()
        self._step = step
        self._just_my_code = step.request.just_my_code
        self._waiters = Waiters(just_my_code=self._just_my_code)
        self._frame: Frame | None = None
        """Of the method, where the framework calls it; None for every other one."""
        self._call: RememberedCall | None = None
        """Which call of the method it is, with `_frame`: a thread of the pool soon runs another in the same place."""

    @property
    def is_called_by_framework(self) -> bool:
        """Whether what called the method, as far as the stack knows, is not what awaits it."""
        return self._frame is not None

    @property
    def machine(self) -> RememberedMachine | None:
        """Which call of an async method it is, where the framework calls that; None for every other one."""
        return self._call if isinstance(self._call, RememberedMachine) else None

    def is_left_by(self, module: LoadedModule | None, frame: Frame, ranges: Sequence[tuple[int, int]]) -> bool:
        """Whether a step over ranges of `frame`, the top one, only leaves an async method that the framework calls.

        So it is behind all of its code, at the closing brace without optimisation. Its awaiters' breakpoints are all of
        such a step: a stepper would only come to whatever the thread of the pool runs next. A stop there, while the
        thread that takes the result calls `ResultNotice`'s hook for the first time, can make the runtime stand
        still (docs/decisions/0010).
        """
        return self.machine is not None and module is not None and is_end(module, frame, ranges)

    def begin(
        self,
        program: Program,
        thread: ThreadId,
        frame: Frame | None,
        *,
        may_leave: bool,
        has_resumed: bool = False,
    ) -> None:
        """A step begins in a frame, the thread's top one, or goes on in it after an await (`has_resumed`).

        `may_leave`: the step may take the thread out of the method without coming to hidden code before.
        """
        before, self._call = self._call, None  # perhaps the same one
        try:
            self.disarm(program.debuggee)
            module = program.modules.get(frame.module) if frame is not None else None
            if frame is None or module is None or module.pdb is None or frame.method is None:
                return
            # Of the statements of optimised code some have no instructions of their own: a step passes them by.
            may_leave = may_leave or module.is_optimized
            if async_info(module, frame.method) is None:
                self._begin_elsewhere(program, thread, frame, module, may_leave=may_leave)
                return
            own = _own_frame(program.debuggee, thread, module, frame)
            if has_resumed or not _has_caller(program, thread, module, own, self._is_users):
                machine = state_machine(program.debuggee, thread, own.index)
                known = before if isinstance(before, RememberedMachine) else None
                self._frame, self._call = own, RememberedMachine(program, machine, known)
                if may_leave:  # else it comes to hidden code before, where they are looked for
                    self._waiters.find(program, thread, frame, machine, self._is_users)
        finally:
            if before is not None:
                before.forget(program.debuggee)

    def _begin_elsewhere(
        self, program: Program, thread: ThreadId, frame: Frame, module: LoadedModule, *, may_leave: bool
    ) -> None:
        """As `begin`, in a method that is not async: a task may run it."""
        if self._just_my_code and module.is_user_code and self._begin_in_computation(program, thread, frame):
            return
        task = task_run_by(program, thread, frame) if may_leave else None
        if self._waiters.wait_for_task(program, task):
            self._frame, self._call = frame, RememberedTask(program, task)

    def _begin_in_computation(self, program: Program, thread: ThreadId, frame: Frame) -> bool:
        """As `begin`, in what is run for an F# task without optimisation; False for every other frame.

        Any statement of it may be its last one: each is the end of a piece, or throws.
        """
        own = machine_frame(program, thread, frame)
        if own is None:
            return False
        if is_begun_on_stack(program, thread, own):
            return True
        machine = machine_run_by(program, thread, own)
        self._frame, self._call = own, RememberedComputation(program, machine)
        if machine is not None:
            self._waiters.wait_for_taker(program, machine)
        if not self._waiters:
            self._waiters.wait_for_task(program, task_run_by(program, thread, beginning_of(program, thread, own)))
        return True

    def learn_of_computation(self, program: Program, thread: ThreadId, runner: Value) -> bool:
        """An F# task has come to its first await, in a step: find its task, by the object that runs it.

        False: it was too early, and the thread is still in the task's code.
        """
        if self._waiters.wait_for_taker_of_task(program, lambda: task_of_runner(program, runner)):
            return True
        return not is_run_on_stack(program, thread, runner)

    def go_on_in_computation(self, program: Program, thread: ThreadId) -> bool:
        """The result of a method is taken on a thread: whether an F# task without optimisation takes it there.

        Then the step may leave that, too, before it has come to code of the user's.
        """
        self.disarm(program.debuggee)
        top = program.debuggee.top_frame(thread)
        return top is not None and self._begin_in_computation(program, thread, top)

    def look_for_awaiters(self, program: Program, thread: ThreadId, frame: Frame | None) -> None:
        """Find who awaits the method, unless that is known, or `frame`, the top one, is not of the method.

        Where nobody does, whoever takes its result later will be known.
        """
        origin = self._frame
        if frame is None or origin is None or self._waiters.are_known or frame.method != origin.method:
            return
        if isinstance(self._call, RememberedTask):
            self._waiters.wait_for_task(program, task_run_by(program, thread, frame))
        else:
            machine = state_machine(program.debuggee, thread)
            self._waiters.find(program, thread, frame, machine, self._is_users)

    def go_on_in_continuation(self, program: Program, thread: ThreadId) -> Frame | None:
        """The result of a task is taken on a thread to call a delegate with it: the library's frame that does.

        From its end the step goes on in whatever awaits that. None where something else takes the result.
        """
        frame = continuation_taking(program, thread)
        if frame is not None:
            self._waiters.wait_for_task(program, task_in(program, thread, frame))
        return frame

    def go_on_in_library(self, program: Program, thread: ThreadId) -> Frame | None:
        """The result is taken on a thread by an async method of a library's that the framework has resumed: its frame.

        What is below that on the stack has nothing to do with it, and may be the very method that has given the result.
        The step goes on in whatever awaits the library's method, now or later. None where something else takes the
        result.
        """
        taker = resumed_method_taking(program, thread, self._is_users)
        if taker is not None:
            self.disarm(program.debuggee)
            machine = state_machine(program.debuggee, thread, taker.index)
            self._frame, self._call = taker, RememberedMachine(program, machine)
            self._waiters.find(program, thread, taker, machine, self._is_users)
        return taker

    def _is_users(self, module: LoadedModule) -> bool:
        """Whether code can be the user's, and not the framework's that runs a method, which may have symbols too."""
        return not module.is_framework and is_shown(module, just_my_code=self._just_my_code)

    def _frame_on(self, program: Program, thread: ThreadId) -> Frame | None:
        """The method's own frame on a thread's stack."""
        if self._frame is None or self._call is None:
            return None
        frame = found_again(program.debuggee, thread, self._frame)
        return frame if frame is not None and self._call.is_running_on(program, thread, frame) else None

    @property
    @override
    def is_armed(self) -> bool:
        return bool(self._waiters)

    @override
    def owns(self, event: StepEvent) -> bool:
        """Whether a breakpoint was hit where an awaiter resumes, or where a result is taken."""
        return isinstance(event, BreakpointHit) and self._waiters.is_mine(event)

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        if news is None and isinstance(event, StepCompleted):
            return self._frame is not None and self._frame_on(program, event.thread) is None  # its awaiter is next
        if news is None and isinstance(event, ExceptionRaised):
            return self.is_called_by_framework
        return super().explains(program, event, news)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        if not isinstance(event, BreakpointHit):
            return Continue()
        if self._waiters.is_awaiter(program, event):
            # WhenAny resumes it for another one, while the method has not ended.
            is_at_work = self._call is not None and self._call.is_at_work(program)
            return Continue() if is_at_work or self._step.goes_on_behind_await(program) else Pass(News.ARRIVED)
        is_taken, gives_elements = self._waiters.is_taken(program, event)
        if not is_taken:
            return Continue()
        return Pass(News.ELEMENT_TAKEN if gives_elements else News.TAKEN)

    @override
    def goes_on_elsewhere(self, program: Program) -> bool:
        return self.is_called_by_framework

    @override
    def disarm(self, debuggee: Debuggee) -> None:
        self._waiters.clear(debuggee)
        if self._call is not None:
            self._call.forget(debuggee)
        self._frame = self._call = None


def _has_caller(
    program: Program, thread: ThreadId, module: LoadedModule, frame: Frame, is_users: Callable[[LoadedModule], bool]
) -> bool:
    """Whether the code that called the async method of a frame is on the stack, for it has not suspended yet.

    What a library's method has called once that has resumed was not called by what is below that.
    """
    assert frame.method is not None
    is_begun = False
    for below in StackView(program.debuggee, thread).page(1, frame.index + _LOOK_AT_FRAMES)[0]:
        if below.index <= frame.index:
            continue
        if below.module == frame.module and is_called_by(module, frame.method, below.method):
            is_begun = True
            continue
        caller = program.modules.get(below.module)
        if below.kind is FrameKind.IL and caller is not None and is_users(caller):
            return is_begun
        if is_begun and is_box(program, below):
            return False
    return False


def _own_frame(debuggee: Debuggee, thread: ThreadId, module: LoadedModule, frame: Frame) -> Frame:
    """The frame of the method itself, for one that runs a handler of it, or its condition (`when`): those come and go.

    They run above what has thrown, which the method may have called.
    """
    if frame.method is None or frame.il_offset is None:
        return frame
    if not frame.is_handler and not is_in_filter(module, frame.method, frame.il_offset):
        return frame
    machine = state_machine(debuggee, thread, frame.index)
    for below in reversed(debuggee.stack(thread, 0, _MOST_FRAMES).frames):
        is_its = (below.module, below.method) == (frame.module, frame.method) and below.index > frame.index
        other = state_machine(debuggee, thread, below.index) if is_its and machine is not None else None
        if other is not None and machine is not None and other.address == machine.address:
            return below
    return frame
