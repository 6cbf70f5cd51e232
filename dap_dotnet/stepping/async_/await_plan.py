"""Steps over `await`.

At an `await` that does not complete at once, the method returns to its caller and goes on later, perhaps on another
thread. A step over it stops at the next statement of the same method all the same. A temporary breakpoint stands at the
resume offset of each `await` in the statement that is stepped over (Portable PDB: async stepping). Hit for the state
machine that was there when the step began, on any thread, the step goes on to the end of the statement.

Once the method is suspended, where the stepper completes means nothing any more. The number of the await in the state
machine says so, which a state machine of optimised code does not tell from those of other calls before it has been
suspended; there, and wherever that number is not known, a second breakpoint stands at the yield offset. Hit on the
stepping thread for the state machine that is stepped in, it means that the method suspends. A method that calls itself
reaches that offset for other state machines too.

Where the statement ends with its only `await`, and the state machine is known, the breakpoint stands at the next
statement instead, and at the beginnings of the handlers that an exception may come to. They are all of the step; a
stepper would complete where a thread leaves the suspended method, which another one may go on with already.

All are there from the beginning, and nothing is changed when the method suspends: its await may just have started the
program's first thread. A runtime that prepares the first method of a thread can hold the lock that every change of
breakpoints and steppers needs, and wait for the end of the stop with it: the change, and the program, would then wait
for ever (.NET 9, one in a hundred steps over the first `await`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import zip_longest
from typing import TYPE_CHECKING

from typing_extensions import override

from dap_dotnet.async_tasks.await_states import await_offset, known_yields
from dap_dotnet.async_tasks.state_machine import state_machine
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import (
    BoundId,
    BreakpointLocation,
    ElementType,
    Frame,
    MethodToken,
    RuntimeCallErrorInfo,
    StepKind,
    ThreadId,
)
from dap_dotnet.stepping.async_.await_ends import AwaitEnd, end_of_await
from dap_dotnet.stepping.async_.remembered_calls import RememberedMachine
from dap_dotnet.stepping.plan import Continue, Decision, Done, Layer, News, Replace, StepEvent, StepPlan
from dap_dotnet.stepping.plans.moves import Move
from dap_dotnet.stepping.plans.step import Step
from dap_dotnet.stepping.ranges import holds
from dap_dotnet.stepping.return_values import has_shown_calls
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.fsharp_tasks import RESUMES_AT
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program

if TYPE_CHECKING:
    from portablepdb import Await

_log = logging.getLogger(__name__)

_LOOK_AT_FRAMES = 16


class AwaitPlan(StepPlan):
    """Wait behind the awaits of the statement, on whatever thread the method resumes."""

    layer = Layer.AWAIT

    def __init__(
        self,
        step: Step,
        place: tuple[LoadedModule, Frame],
        ranges: list[tuple[int, int]],
        *,
        known: RememberedMachine | None,
        has_breakpoint: Callable[[BreakpointLocation], bool],
    ) -> None:
        """`place`: where the step begins, the thread's top frame; `ranges`: what it leaves of that.

        `known` may be the call that the frame runs. `has_breakpoint` says whether the user has a breakpoint at a place.
        """
        super().__init__()
        self._step = step
        self._thread = step.thread
        self._place = place
        self._ranges = ranges
        self._known = known
        self._has_breakpoint = has_breakpoint
        self._machine: RememberedMachine | None = None
        self._resumes: dict[BoundId, BoundId] = {}
        """The breakpoint at the resume offset, by that at the yield offset."""
        self._awaited: BoundId | None = None
        """Where the suspended method goes on."""
        self._yields: set[int] = set()
        """The yield offsets of the awaits behind which the step goes on."""
        self._has_state = False
        """Whether the state machine itself says that it is suspended."""
        self._end: AwaitEnd | None = None
        """Where the breakpoints are, if not where the method resumes."""

    @property
    def is_all_of_the_step(self) -> bool:
        """Whether the step needs no stepper: in whatever way the statement ends, a breakpoint is there."""
        return self._end is not None

    @override
    def arm(self, program: Program) -> None:
        (module, frame), ranges, debuggee = self._place, self._ranges, program.debuggee
        if module.pdb is None or frame.method is None:
            return
        info = async_info(module, frame.method)
        if info is None:
            return
        begins_at = 0 if module.is_optimized else frame.il_offset or 0  # what is before has been passed
        awaits = [one for one in info.awaits if one.yield_offset >= begins_at and holds(ranges, one.yield_offset)]
        if not awaits:
            return
        machine = state_machine(debuggee, self._thread)
        self._machine = RememberedMachine(program, machine, self._known)
        is_object = machine is not None and machine.element_type is not ElementType.VALUETYPE
        yields = {one.yield_offset for one in awaits}
        self._has_state = is_object and self._machine.is_known and yields <= known_yields(module, frame.method)
        goes_over = self._step.request.kind is StepKind.OVER  # nothing that the statement calls is to be stepped in
        if goes_over and self._has_state and len(awaits) == 1 and self._arm_at_end(program, awaits[0]):
            return
        resumes = [BreakpointLocation(module.id, MethodToken(one.resume_method), one.resume_offset) for one in awaits]
        at_yields = [BreakpointLocation(module.id, frame.method, one.yield_offset) for one in awaits]
        made = debuggee.create_breakpoints(resumes if self._has_state else [*resumes, *at_yields])
        for bound in made:
            if isinstance(bound, RuntimeCallErrorInfo):
                _log.warning("a step over this await ends at it: %s", bound.hresult_name)
        self._bound = [bound for bound in made if not isinstance(bound, RuntimeCallErrorInfo)]
        for one, at_resume, at_yield in zip_longest(awaits, made[: len(awaits)], made[len(awaits) :]):
            if isinstance(at_resume, RuntimeCallErrorInfo) or isinstance(at_yield, RuntimeCallErrorInfo):
                continue
            self._yields.add(one.yield_offset)
            if at_yield is not None:
                self._resumes[at_yield] = at_resume

    def _arm_at_end(self, program: Program, one: Await) -> bool:
        """Set the breakpoints behind the only `await` of a statement, where the step has nothing to do before.

        False: none, where one of them cannot be set, or the user has one: the program would stop there once more.
        """
        module, frame = self._place
        assert frame.method is not None
        debuggee, method = program.debuggee, frame.method
        end = end_of_await(module, method, self._ranges, one)
        if end is None:
            return False
        places = [BreakpointLocation(module.id, method, at) for at in (end.next_statement, *end.handlers)]
        if any(self._has_breakpoint(place) for place in places):
            return False
        if has_shown_calls(program, module, frame, [(end.resume, end.next_statement)]):
            return False  # what they return can be read right behind them alone
        made = debuggee.create_breakpoints(places)
        bound = [each for each in made if not isinstance(each, RuntimeCallErrorInfo)]
        if len(bound) < len(made):
            debuggee.remove_breakpoints(bound)
            return False
        self._bound, self._yields, self._end = bound, {one.yield_offset}, end
        return True

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        if news is None and isinstance(event, StepCompleted | ExceptionRaised):
            return self.goes_on_elsewhere(program)  # in a caller of the method, or in what the thread runs next
        return super().explains(program, event, news)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        if isinstance(event, BreakpointHit):
            reached = self._reached(program, event)
            return Done(reached) if reached is not None else Continue()
        is_own = isinstance(event, StepCompleted) and event.thread == self._step.thread
        if is_own and not self._learn(program):
            return Replace(Move(event.thread, StepKind.OUT, just_my_code=False))
        return Continue()  # the step goes on where the method resumes

    @override
    def goes_on_elsewhere(self, program: Program) -> bool:
        """Whether the method has been left at an `await`, and the step waits for it to go on. The process is held."""
        if not self._has_state or self._machine is None:
            return self._awaited is not None
        module, frame = self._place
        machine = self._machine.object(program.debuggee)
        if machine is None or frame.method is None:
            return False
        try:
            return await_offset(program, module, frame.method, machine) in self._yields
        except DapDotnetError as error:
            _log.info("the state of an async method cannot be read: %s", error.message)
            return False

    def _reached(self, program: Program, event: BreakpointHit) -> News | None:
        """One of them was hit. What the method has come to that is stepped in; None: nothing."""
        if self._machine is None or not self._is_own(program, self._machine, event.thread):
            return None
        if self._has_state:
            if self._end is None:
                return News.RESUMED
            return News.LANDED if event.bound == self._bound[0] else News.CAUGHT
        if self._awaited is None:
            if event.thread == self._thread:
                self._awaited = self._resumes.get(event.bound)
            return None
        if event.bound != self._awaited or not self._is_at_await(program, event):
            return None
        return News.RESUMED

    def _is_at_await(self, program: Program, event: BreakpointHit) -> bool:
        """Whether the call resumes after the very await, where all of them resume in one place, and first runs begin.

        What tells one call from others may not be known: that of one whose caller the compiler has made a part of its
        own caller.
        """
        if event.il_offset != RESUMES_AT:
            return True
        module, frame = self._place
        machine = state_machine(program.debuggee, event.thread)
        if machine is None or frame.method is None:
            return True
        return await_offset(program, module, frame.method, machine) in self._yields

    def _is_own(self, program: Program, machine: RememberedMachine, thread: ThreadId) -> bool:
        """Whether the top frame of a thread runs the method's call that is stepped in."""
        if machine.is_known or not self._place[0].is_optimized:
            return machine.is_running_on(program, thread)
        top = program.debuggee.top_frame(thread)
        if thread == self._thread and top is not None and top.stack_address == self._place[1].stack_address:
            return self._awaited is None  # in its first run: it has no task yet
        return self._learn(program) and machine.is_running_on(program, thread)

    def _learn(self, program: Program) -> bool:
        """The method has been left at its first `await`: find what tells its call from others, while that is there.

        False: it was too early, and the thread is still in the method. True also where it cannot be known any more.
        """
        if self._machine is None or not self._place[0].is_optimized:
            return True
        if self._machine.is_known or self._machine.learn(program, self._thread, *self._place):
            return True
        address = self._place[1].stack_address
        frames = program.debuggee.stack(self._thread, 0, _LOOK_AT_FRAMES).frames
        return all(frame.stack_address != address for frame in frames)

    @override
    def disarm(self, debuggee: Debuggee) -> None:
        super().disarm(debuggee)
        if self._machine is not None:
            self._machine.forget(debuggee)

    @override
    def describe(self) -> str:
        where = "at the next statement" if self._end is not None else "where the method resumes"
        return f"wait for the await {where}"
