"""The state machine object of an async method: which call of the method a frame belongs to. Session thread only."""

from __future__ import annotations

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ThreadId, Value

STATE_FIELDS = ("<>1__state", "$State")
"""The field with the number of the await, as C# and Visual Basic name it."""
RUNNING = -1
"""The state of a method that is on a thread; those at an await have their number, those that have ended -2."""
MACHINE_FIELD = "StateMachine"
"""The field with the state machine, of the object that the library makes of one at its first suspension."""
BUILDER_FIELDS = ("<>t__builder", "$Builder", "Data")
"""In F#'s tasks (`Data`) with a structure around it."""
AWAITER_FIELDS = ("<>u__", "$A")
"""What the names of the fields begin with that have what is awaited."""


def state_machine(debuggee: Debuggee, thread: ThreadId, frame_index: int = 0) -> Value | None:
    """`this` of a frame, a MoveNext; None where it cannot be read."""
    arguments = debuggee.arguments(thread, frame_index, text_limit=0)
    return arguments[0] if arguments and arguments[0].error is None else None
