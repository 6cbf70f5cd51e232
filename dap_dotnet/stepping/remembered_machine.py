"""One call of an async method, remembered while the program runs. Session thread only."""

from __future__ import annotations

import logging

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ElementType, PinId, ThreadId, Value
from dap_dotnet.stepping.awaiters import task_of
from dap_dotnet.stepping.machines import state_machine
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)


class RememberedMachine:
    """A state machine, told from others of its type. `forget` it afterwards.

    In optimised code it is a structure, which moves to the heap with the first suspension: from then on the method's
    task tells it from others. Before, every one is the same.
    """

    def __init__(self, program: Program, machine: Value | None) -> None:
        """`machine` None: it could not be read, and every one is the same."""
        self._pin: PinId | None = None
        known = _identity(program, machine)
        if known is not None and known.handle is not None:
            try:
                self._pin = program.debuggee.pin(known.handle, weak=True)
            except DapDotnetError as error:
                _log.info("the state machine cannot be remembered: %s", error.message)

    def is_running_on(self, program: Program, thread: ThreadId) -> bool:
        """Whether the top frame of a thread, a MoveNext of its type, runs it."""
        if self._pin is None:
            return True
        known = _identity(program, state_machine(program.debuggee, thread))
        return known is None or known.address == program.debuggee.pinned(self._pin).address

    def forget(self, debuggee: Debuggee) -> None:
        """Let go of the object. Idempotent."""
        if self._pin is not None:
            debuggee.unpin(self._pin)
            self._pin = None


def _identity(program: Program, machine: Value | None) -> Value | None:
    """An object that belongs to one call alone; None where there is none."""
    if machine is None or machine.element_type is not ElementType.VALUETYPE:
        return machine
    try:
        return task_of(program, machine)
    except DapDotnetError as error:
        _log.info("the task of a state machine cannot be read: %s", error.message)
        return None
