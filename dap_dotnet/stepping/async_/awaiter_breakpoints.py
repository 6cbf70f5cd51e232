"""Where a step out of an async method arrives: in the methods that await it.

A method that has resumed once is called by the framework, on any thread: where its caller goes on is not on the
stack. So a step out of it, and one over its end, sets breakpoints at the places where its awaiters resume, and is
over when one of them is hit for the very state machine that awaits.
"""

from __future__ import annotations

import logging

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, MethodToken, RuntimeCallErrorInfo
from dap_dotnet.stepping.machines.awaiters import Awaiter
from dap_dotnet.stepping.machines.remembered_machine import RememberedMachine
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)


class Arrivals:
    """The temporary breakpoints of one step. Session thread only."""

    def __init__(self) -> None:
        self._machines: dict[BoundId, RememberedMachine] = {}

    def __bool__(self) -> bool:
        return bool(self._machines)

    def arm(self, program: Program, awaiters: list[Awaiter]) -> None:
        """Set the breakpoints at all places where the awaiters can resume; those that were set before are gone."""
        debuggee = program.debuggee
        self.clear(debuggee)
        for awaiter in awaiters:
            info = async_info(awaiter.module, awaiter.move_next)
            if info is None:
                continue
            machine = RememberedMachine(program, awaiter.machine)
            places = dict.fromkeys((MethodToken(one.resume_method), one.resume_offset) for one in info.awaits)
            locations = [BreakpointLocation(awaiter.module.id, method, offset) for method, offset in places]
            for bound in debuggee.create_breakpoints(locations):
                if isinstance(bound, RuntimeCallErrorInfo):
                    _log.warning("a step out to this await does not stop: %s", bound.hresult_name)
                else:
                    self._machines[bound] = machine

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of one of these breakpoints."""
        return event.bound in self._machines

    def has_arrived(self, program: Program, event: BreakpointHit) -> bool:
        """One of them was hit: whether for the state machine that awaits."""
        return self._machines[event.bound].is_running_on(program, event.thread)

    def clear(self, debuggee: Debuggee) -> None:
        """Take all of them out of the runtime."""
        if self._machines:
            debuggee.remove_breakpoints(list(self._machines))
        for machine in self._machines.values():
            machine.forget(debuggee)
        self._machines = {}
