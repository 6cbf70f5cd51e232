"""Steps over `await`.

At an `await` that does not complete at once, the method returns to its caller and goes on later, perhaps on another
thread. A step over it stops at the next statement of the same method all the same. The temporary breakpoints:

1. at the yield offset of each `await` in the statement that is stepped over (Portable PDB: async stepping). Hit on
   the stepping thread, it means that the method suspends: the stepper is given up and the state machine remembered;
2. at the resume offset of that `await`. Hit for the remembered state machine, on any thread, the step goes on to the
   end of the statement.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    BoundId,
    BreakpointLocation,
    Frame,
    MethodToken,
    ModuleId,
    PinId,
    RuntimeCallErrorInfo,
    ThreadId,
    Value,
)
from dap_dotnet.symbols.modules import LoadedModule

if TYPE_CHECKING:
    from portablepdb import Await

_log = logging.getLogger(__name__)


class _Yield(Struct, frozen=True):
    module: ModuleId
    await_: Await


class AwaitSteps:
    """The temporary breakpoints of one step. Session thread only."""

    def __init__(self) -> None:
        self._yields: dict[BoundId, _Yield] = {}
        self._resume: BoundId | None = None
        self._machine: PinId | None = None
        self._thread: ThreadId | None = None

    @property
    def is_suspended(self) -> bool:
        """Whether the method has been left at an `await`, and the step waits for it to go on."""
        return self._resume is not None

    def arm(
        self, debuggee: Debuggee, thread: ThreadId, module: LoadedModule, frame: Frame, ranges: list[tuple[int, int]]
    ) -> None:
        """Watch the awaits in the ranges of a step from a frame."""
        self.clear(debuggee)
        if module.pdb is None or frame.method is None:
            return
        info = module.pdb.async_info(frame.method)
        if info is None:
            return
        awaits = [
            candidate
            for candidate in info.awaits
            if any(start <= candidate.yield_offset < end for start, end in ranges)
        ]
        self._thread = thread
        places = [BreakpointLocation(module.id, frame.method, candidate.yield_offset) for candidate in awaits]
        for candidate, bound in zip(awaits, debuggee.create_breakpoints(places) if places else (), strict=True):
            if not isinstance(bound, RuntimeCallErrorInfo):
                self._yields[bound] = _Yield(module.id, candidate)

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of one of these breakpoints."""
        return event.bound in self._yields or event.bound == self._resume

    def hit(self, debuggee: Debuggee, event: BreakpointHit) -> bool:
        """One of them was hit; the process goes on. True: the method has resumed, and the step goes on from here."""
        if event.bound == self._resume:
            if not self._is_same_machine(debuggee, event.thread):
                return False
            self.clear(debuggee)
            return True
        if event.thread == self._thread:
            self._suspend(debuggee, event)
        return False

    def _suspend(self, debuggee: Debuggee, event: BreakpointHit) -> None:
        left = self._yields[event.bound]
        self.clear(debuggee)
        method = MethodToken(left.await_.resume_method)
        place = BreakpointLocation(left.module, method, left.await_.resume_offset)
        bound = debuggee.create_breakpoints([place])[0]
        if isinstance(bound, RuntimeCallErrorInfo):
            _log.warning("the step over await ends here: %s", bound.hresult_name)
            return
        self._resume = bound
        machine = _state_machine(debuggee, event.thread)
        if machine is not None and machine.handle is not None:
            try:
                self._machine = debuggee.pin(machine.handle, weak=True)
            except DapDotnetError as error:  # a struct on the stack, in optimised code: any instance will do
                _log.info("the state machine cannot be remembered: %s", error.message)

    def _is_same_machine(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        if self._machine is None:
            return True
        machine = _state_machine(debuggee, thread)
        return machine is None or machine.address == debuggee.pinned(self._machine).address

    def clear(self, debuggee: Debuggee) -> None:
        """Take all of them out of the runtime."""
        bound = list(self._yields)
        if self._resume is not None:
            bound.append(self._resume)
        if bound:
            debuggee.remove_breakpoints(bound)
        if self._machine is not None:
            debuggee.unpin(self._machine)
        self._yields = {}
        self._resume = self._machine = None


def _state_machine(debuggee: Debuggee, thread: ThreadId) -> Value | None:
    """`this` of the top frame, a MoveNext."""
    arguments = debuggee.arguments(thread, 0, text_limit=0)
    return arguments[0] if arguments and arguments[0].error is None else None
