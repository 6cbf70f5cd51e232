"""The state machine object of an async method: which call of the method a frame belongs to. Session thread only."""

from __future__ import annotations

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ThreadId, Value

STATE_FIELDS = ("<>1__state", "$State")
"""The field with the number of the await, as C# and Visual Basic name it."""
BUILDER_FIELDS = ("<>t__builder", "$Builder")
AWAITER_FIELDS = ("<>u__", "$A")
"""What the names of the fields begin with that have what is awaited."""


def state_machine(debuggee: Debuggee, thread: ThreadId, frame_index: int = 0) -> Value | None:
    """`this` of a frame, a MoveNext; None where it cannot be read."""
    arguments = debuggee.arguments(thread, frame_index, text_limit=0)
    return arguments[0] if arguments and arguments[0].error is None else None
