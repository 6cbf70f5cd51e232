"""Steps over `await`.

At an `await` that does not complete at once, the method returns to its caller and goes on later, perhaps on another
thread. A step over it stops at the next statement of the same method all the same. The temporary breakpoints of each
`await` in the statement that is stepped over (Portable PDB: async stepping):

1. at its yield offset. Hit on the stepping thread for the state machine that was there when the step began, it means
   that the method suspends, and where the stepper completes means nothing any more. A method that calls itself reaches
   that offset for other state machines too;
2. at its resume offset. Hit for the same state machine, on any thread, the step goes on to the end of the statement.

Both are there from the beginning, and nothing is changed when the method suspends: its await may just have started the
program's first thread. A runtime that prepares the first method of a thread can hold the lock that every change of
breakpoints and steppers needs, and wait for the end of the stop with it: the change, and the program, would then wait
for ever (.NET 9, one in a hundred steps over the first `await`).
"""

from __future__ import annotations

import logging

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    BoundId,
    BreakpointLocation,
    Frame,
    MethodToken,
    RuntimeCallErrorInfo,
    ThreadId,
)
from dap_dotnet.stepping.machines import state_machine
from dap_dotnet.stepping.remembered_machine import RememberedMachine
from dap_dotnet.stepping.suspended import await_offset
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.fsharp_tasks import RESUMES_AT
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)

_LOOK_AT_FRAMES = 16


class AwaitSteps:
    """The temporary breakpoints of one step. Session thread only."""

    def __init__(self) -> None:
        self._bound: list[BoundId] = []
        self._resumes: dict[BoundId, BoundId] = {}
        """The breakpoint at the resume offset, by that at the yield offset."""
        self._awaited: BoundId | None = None
        """Where the suspended method goes on."""
        self._machine: RememberedMachine | None = None
        self._thread: ThreadId | None = None
        self._place: tuple[LoadedModule, Frame] | None = None
        """Where the step began."""
        self._yields: frozenset[int] = frozenset()

    @property
    def is_suspended(self) -> bool:
        """Whether the method has been left at an `await`, and the step waits for it to go on."""
        return self._awaited is not None

    def arm(
        self, program: Program, thread: ThreadId, module: LoadedModule, frame: Frame, ranges: list[tuple[int, int]]
    ) -> None:
        """Set the breakpoints for the awaits in the ranges of a step from a frame."""
        debuggee = program.debuggee
        self.clear(debuggee)
        if module.pdb is None or frame.method is None:
            return
        info = async_info(module, frame.method)
        if info is None:
            return
        locations = []
        begins_at = 0 if module.is_optimized else frame.il_offset or 0  # what is before has been passed
        for candidate in info.awaits:
            if candidate.yield_offset >= begins_at and any(
                start <= candidate.yield_offset < end for start, end in ranges
            ):
                resume = MethodToken(candidate.resume_method)
                locations.append(BreakpointLocation(module.id, frame.method, candidate.yield_offset))
                locations.append(BreakpointLocation(module.id, resume, candidate.resume_offset))
        if not locations:
            return
        self._thread, self._place = thread, (module, frame)
        self._yields = frozenset(one.il_offset for one in locations[::2])
        self._machine = RememberedMachine(program, state_machine(debuggee, thread))
        made = debuggee.create_breakpoints(locations)
        for at_yield, at_resume in zip(made[::2], made[1::2], strict=True):
            for bound in (at_yield, at_resume):
                if isinstance(bound, RuntimeCallErrorInfo):
                    _log.warning("a step over this await ends at it: %s", bound.hresult_name)
                else:
                    self._bound.append(bound)
            if not isinstance(at_yield, RuntimeCallErrorInfo) and not isinstance(at_resume, RuntimeCallErrorInfo):
                self._resumes[at_yield] = at_resume

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of one of these breakpoints."""
        return event.bound in self._bound

    def hit(self, program: Program, event: BreakpointHit) -> bool:
        """One of them was hit; the process goes on. True: the method has resumed, and the step goes on from here."""
        if self._machine is None or not self._is_own(program, self._machine, event.thread):
            return False
        if self._awaited is None:
            if event.thread == self._thread:
                self._awaited = self._resumes.get(event.bound)
            return False
        if event.bound != self._awaited or not self._is_at_await(program, event):
            return False
        self.clear(program.debuggee)
        return True

    def _is_at_await(self, program: Program, event: BreakpointHit) -> bool:
        """Whether the call resumes after the very await, where all of them resume in one place, and first runs begin.

        What tells one call from others may not be known: that of one whose caller the compiler has made a part of its
        own caller.
        """
        if self._place is None or event.il_offset != RESUMES_AT:
            return True
        module, frame = self._place
        machine = state_machine(program.debuggee, event.thread)
        if machine is None or frame.method is None:
            return True
        return await_offset(program, module, frame.method, machine) in self._yields

    def _is_own(self, program: Program, machine: RememberedMachine, thread: ThreadId) -> bool:
        """Whether the top frame of a thread runs the method's call that is stepped in."""
        if machine.is_known or self._place is None or not self._place[0].is_optimized:
            return machine.is_running_on(program, thread)
        frames = program.debuggee.stack(thread, 0, 1).frames
        if thread == self._thread and frames and frames[0].stack_address == self._place[1].stack_address:
            return self._awaited is None  # in its first run: it has no task yet
        return self.learn(program) and machine.is_running_on(program, thread)

    def learn(self, program: Program) -> bool:
        """The method has been left at its first `await`: find what tells its call from others, while that is there.

        False: it was too early, and the thread is still in the method. True also where it cannot be known any more.
        """
        if self._machine is None or self._place is None or self._thread is None or not self._place[0].is_optimized:
            return True
        if self._machine.is_known or self._machine.learn(program, self._thread, *self._place):
            return True
        address = self._place[1].stack_address
        frames = program.debuggee.stack(self._thread, 0, _LOOK_AT_FRAMES).frames
        return all(frame.stack_address != address for frame in frames)

    def clear(self, debuggee: Debuggee) -> None:
        """Take all of them out of the runtime."""
        if self._bound:
            debuggee.remove_breakpoints(self._bound)
        if self._machine is not None:
            self._machine.forget(debuggee)
        self._bound = []
        self._resumes = {}
        self._awaited = self._machine = self._place = None
