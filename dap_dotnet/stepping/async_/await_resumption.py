"""The plans for the awaits of a statement: which there are, and which one a step takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from typing_extensions import override

from dap_dotnet.async_tasks.await_states import known_yields
from dap_dotnet.async_tasks.state_machine import state_machine
from dap_dotnet.runtime.events import BreakpointHit, StepCompleted
from dap_dotnet.runtime.model import (
    BoundId,
    BreakpointLocation,
    ElementType,
    Frame,
    RuntimeCallErrorInfo,
    StepKind,
    ThreadId,
)
from dap_dotnet.stepping.async_.await_ends import AwaitEndPlan, end_of_await
from dap_dotnet.stepping.async_.await_plan import AwaitingStatement, AwaitPlan
from dap_dotnet.stepping.async_.remembered_calls import RememberedMachine
from dap_dotnet.stepping.plan import Decision, News, Replace, StepEvent
from dap_dotnet.stepping.plans.moves import Move, Ranges
from dap_dotnet.stepping.plans.step import Step
from dap_dotnet.stepping.ranges import holds
from dap_dotnet.stepping.return_values import has_shown_calls
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.fsharp_tasks import RESUMES_AT
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program

_LOOK_AT_FRAMES = 16


class ResumptionPlan(AwaitPlan):
    """Go on where the method resumes, to the end of the statement.

    A breakpoint stands at the resume offset of each `await` in the statement (Portable PDB: async stepping).
    """

    @override
    def arm(self, program: Program) -> None:
        made = self._set_breakpoints(program.debuggee, self._statement.resumptions)
        for one, bound in zip(self._statement.awaits, made, strict=True):
            if not isinstance(bound, RuntimeCallErrorInfo):
                self._yields.add(one.yield_offset)

    @override
    def _reached(self, program: Program, event: BreakpointHit) -> News | None:
        return News.RESUMED if self._machine.is_running_on(program, event.thread) else None


class SuspensionPlan(AwaitPlan):
    """As `ResumptionPlan`, where the state machine does not say that it is suspended.

    One of optimised code is not told from those of other calls before it has been suspended. There, and wherever the
    number of the await is not known, a second breakpoint stands at the yield offset. Hit on the stepping thread for the
    state machine that is stepped in, it means that the method suspends. A method that calls itself reaches that offset
    for other state machines too.
    """

    def __init__(self, step: Step, statement: AwaitingStatement, machine: RememberedMachine) -> None:
        super().__init__(step, statement, machine)
        self._resumes: dict[BoundId, BoundId] = {}
        """The breakpoint at the resume offset, by that at the yield offset."""
        self._awaited: BoundId | None = None
        """Where the suspended method goes on."""

    @override
    def arm(self, program: Program) -> None:
        awaits = self._statement.awaits
        yields = [self._statement.place(one.yield_offset) for one in awaits]
        made = self._set_breakpoints(program.debuggee, [*self._statement.resumptions, *yields])
        for one, at_resume, at_yield in zip(awaits, made[: len(awaits)], made[len(awaits) :], strict=True):
            if not isinstance(at_resume, RuntimeCallErrorInfo) and not isinstance(at_yield, RuntimeCallErrorInfo):
                self._yields.add(one.yield_offset)
                self._resumes[at_yield] = at_resume

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        is_own = isinstance(event, StepCompleted) and event.thread == self._step.thread
        if is_own and not self._learn(program):
            return Replace(Move(event.thread, StepKind.OUT, just_my_code=False))
        return super().should_stop(program, event, news)

    @override
    def goes_on_elsewhere(self, program: Program) -> bool:
        return self._awaited is not None

    @override
    def _reached(self, program: Program, event: BreakpointHit) -> News | None:
        if not self._is_own(program, event.thread):
            return None
        if self._awaited is None:
            if event.thread == self._step.thread:
                self._awaited = self._resumes.get(event.bound)
            return None
        is_it = event.bound == self._awaited and self._resumes_after_await(program, event)
        return News.RESUMED if is_it else None

    def _resumes_after_await(self, program: Program, event: BreakpointHit) -> bool:
        """Whether the call resumes after the very await, where all of them resume in one place, and first runs begin.

        What tells one call from others may not be known: that of one whose caller the compiler has made a part of its
        own caller.
        """
        machine = state_machine(program.debuggee, event.thread) if event.il_offset == RESUMES_AT else None
        return machine is None or self._is_at_await(program, machine)

    def _is_own(self, program: Program, thread: ThreadId) -> bool:
        """Whether the top frame of a thread runs the method's call that is stepped in."""
        machine, statement = self._machine, self._statement
        if machine.is_known or not statement.module.is_optimized:
            return machine.is_running_on(program, thread)
        top = program.debuggee.top_frame(thread)
        if thread == self._step.thread and top is not None and top.stack_address == statement.frame.stack_address:
            return self._awaited is None  # in its first run: it has no task yet
        return self._learn(program) and machine.is_running_on(program, thread)

    def _learn(self, program: Program) -> bool:
        """The method has been left at its first `await`: find what tells its call from others, while that is there.

        False: it was too early, and the thread is still in the method. True also where it cannot be known any more.
        """
        module, frame, thread = self._statement.module, self._statement.frame, self._step.thread
        if not module.is_optimized or self._machine.is_known or self._machine.learn(program, thread, module, frame):
            return True
        frames = program.debuggee.stack(thread, 0, _LOOK_AT_FRAMES).frames
        return all(one.stack_address != frame.stack_address for one in frames)


def await_plans(
    program: Program,
    step: Step,
    place: tuple[LoadedModule, Frame],
    ranges: Ranges,
    *,
    known: RememberedMachine | None,
    has_breakpoint: Callable[[BreakpointLocation], bool],
) -> Iterator[AwaitPlan]:
    """Those for the awaits in ranges of the top frame, at which the step begins: the next one if one cannot be armed.

    `known` may be the call that the frame runs. `has_breakpoint` says whether the user has a breakpoint at a place.
    """
    module, frame = place
    info = async_info(module, frame.method) if frame.method is not None else None
    if info is None or frame.method is None:
        return
    begins_at = 0 if module.is_optimized else frame.il_offset or 0  # what is before has been passed
    awaits = [one for one in info.awaits if one.yield_offset >= begins_at and holds(ranges, one.yield_offset)]
    if not awaits:
        return
    statement = AwaitingStatement(module, frame, frame.method, ranges, awaits)
    value = state_machine(program.debuggee, step.thread)
    machine = RememberedMachine(program, value, known)
    is_object = value is not None and value.element_type is not ElementType.VALUETYPE
    yields = {one.yield_offset for one in awaits}
    if not (is_object and machine.is_known and yields <= known_yields(module, frame.method)):
        yield SuspensionPlan(step, statement, machine)
        return
    if step.request.kind is StepKind.OVER:  # nothing that the statement calls is to be stepped in
        ends = _places_behind(program, statement, has_breakpoint)
        if ends:
            yield AwaitEndPlan(step, statement, machine, ends)
            machine = RememberedMachine(program, value, known)
    yield ResumptionPlan(step, statement, machine)


def _places_behind(
    program: Program, statement: AwaitingStatement, has_breakpoint: Callable[[BreakpointLocation], bool]
) -> Sequence[BreakpointLocation]:
    """Where the method goes on behind the only `await` of a statement: the next one, and the handlers around it.

    None where the step has something to do before, and where the user has a breakpoint there: the program would stop
    once more.
    """
    if len(statement.awaits) > 1:
        return ()
    end = end_of_await(statement.module, statement.method, statement.ranges, statement.awaits[0])
    if end is None:
        return ()
    places = [statement.place(at) for at in (end.next_statement, *end.handlers)]
    if any(has_breakpoint(place) for place in places):
        return ()
    # What the calls behind it return can be read right behind them alone.
    behind = [(end.resume, end.next_statement)]
    return () if has_shown_calls(program, statement.module, statement.frame, behind) else places
