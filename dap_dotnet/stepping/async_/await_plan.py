"""Steps over `await`: what their plans have in common.

At an `await` that does not complete at once, the method returns to its caller and goes on later, perhaps on another
thread. A step over it stops at the next statement of the same method all the same: temporary breakpoints wait where the
method goes on, for the state machine that was there when the step began, on any thread. Once the method is suspended,
where the stepper completes means nothing any more; the number of the await in the state machine says so.

All breakpoints are there from the beginning, and nothing is changed when the method suspends: its await may just have
started the program's first thread. A runtime that prepares the first method of a thread can hold the lock that every
change of breakpoints and steppers needs, and wait for the end of the stop with it: the change, and the program, would
then wait for ever (.NET 9, one in a hundred steps over the first `await`).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from typing_extensions import override

from dap_dotnet.async_tasks.await_states import await_offset
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import BreakpointLocation, Frame, MethodToken, Value
from dap_dotnet.stepping.async_.remembered_calls import RememberedMachine
from dap_dotnet.stepping.plan import Continue, Decision, Done, Layer, News, StepEvent, StepPlan
from dap_dotnet.stepping.plans.step import Step
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program

if TYPE_CHECKING:
    from portablepdb import Await

_log = logging.getLogger(__name__)


class AwaitingStatement(Struct, frozen=True):
    """What a step leaves of an async method, in which it begins in a thread's top frame; and the awaits in that."""

    module: LoadedModule
    frame: Frame
    method: MethodToken
    ranges: Sequence[tuple[int, int]]
    awaits: Sequence[Await]

    def place(self, il_offset: int) -> BreakpointLocation:
        """A place in the method."""
        return BreakpointLocation(self.module.id, self.method, il_offset)

    @property
    def resumptions(self) -> list[BreakpointLocation]:
        """Where the method goes on behind each of the awaits."""
        return [
            BreakpointLocation(self.module.id, MethodToken(one.resume_method), one.resume_offset) for one in self.awaits
        ]


class AwaitPlan(StepPlan):
    """Wait behind the awaits of the statement, on whatever thread the method resumes."""

    layer = Layer.AWAIT
    carries_the_step: ClassVar[bool] = False
    """Whether the step needs no stepper: in whatever way the statement ends, a breakpoint is there."""

    def __init__(self, step: Step, statement: AwaitingStatement, machine: RememberedMachine) -> None:
        """`machine`: which call of the method the step began in. The plan forgets it."""
        super().__init__()
        self._step = step
        self._statement = statement
        self._machine = machine
        self._yields: set[int] = set()
        """The yield offsets of the awaits behind which the step goes on."""

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        if news is None and isinstance(event, StepCompleted | ExceptionRaised):
            return self.goes_on_elsewhere(program)  # in a caller of the method, or in what the thread runs next
        return super().explains(program, event, news)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        reached = self._reached(program, event) if isinstance(event, BreakpointHit) else None
        return Done(reached) if reached is not None else Continue()  # it goes on where the method resumes

    def _reached(self, program: Program, event: BreakpointHit) -> News | None:
        """One of the breakpoints was hit. What the method has come to that is stepped in; None: nothing."""
        raise NotImplementedError

    @override
    def goes_on_elsewhere(self, program: Program) -> bool:
        """Whether the method has been left at an `await`, and the step waits for it to go on. The process is held."""
        machine = self._machine.object(program.debuggee)
        try:
            return machine is not None and self._is_at_await(program, machine)
        except DapDotnetError as error:
            _log.info("the state of an async method cannot be read: %s", error.message)
            return False

    def _is_at_await(self, program: Program, machine: Value) -> bool:
        """Whether a state machine is suspended at one of the awaits. Raises `DapDotnetError`."""
        return await_offset(program, self._statement.module, self._statement.method, machine) in self._yields

    @override
    def disarm(self, debuggee: Debuggee) -> None:
        super().disarm(debuggee)
        self._machine.forget(debuggee)

    @override
    def describe(self) -> str:
        return "wait for the await where the method resumes"
