"""The state machine object of an async method: which call of the method a frame belongs to. Session thread only."""

from __future__ import annotations

import logging

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import PinId, ThreadId, Value

_log = logging.getLogger(__name__)

STATE_FIELDS = ("<>1__state", "$State")
"""The field with the number of the await, as C# and Visual Basic name it."""
BUILDER_FIELDS = ("<>t__builder", "$Builder")
AWAITER_FIELDS = ("<>u__", "$A")
"""What the names of the fields begin with that have what is awaited."""


def state_machine(debuggee: Debuggee, thread: ThreadId, frame_index: int = 0) -> Value | None:
    """`this` of a frame, a MoveNext; None where it cannot be read."""
    arguments = debuggee.arguments(thread, frame_index, text_limit=0)
    return arguments[0] if arguments and arguments[0].error is None else None


class RememberedMachine:
    """One state machine object, remembered while the process runs. `forget` it afterwards."""

    def __init__(self, debuggee: Debuggee, machine: Value | None) -> None:
        """Where the machine cannot be remembered (a struct, in optimised code), every one is the same."""
        self._pin: PinId | None = None
        if machine is not None and machine.handle is not None:
            try:
                self._pin = debuggee.pin(machine.handle, weak=True)
            except DapDotnetError as error:
                _log.info("the state machine cannot be remembered: %s", error.message)

    def is_running_on(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """Whether the top frame of a thread, a MoveNext of its type, runs it."""
        if self._pin is None:
            return True
        machine = state_machine(debuggee, thread)
        return machine is None or machine.address == debuggee.pinned(self._pin).address

    def forget(self, debuggee: Debuggee) -> None:
        """Let go of the object. Idempotent."""
        if self._pin is not None:
            debuggee.unpin(self._pin)
            self._pin = None
