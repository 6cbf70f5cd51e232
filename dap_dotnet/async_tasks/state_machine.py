"""What state machines and tasks have in their fields, by the names that compilers and the library give them.

An object of a state machine's class is one call of the async method. Session thread only.
"""

from __future__ import annotations

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ThreadId, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field

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
TASK_STATE = "m_stateFlags"
"""The field of a Task with its state."""
COMPLETED = 0x1600000
"""TASK_STATE_RAN_TO_COMPLETION, _FAULTED and _CANCELED of it."""
FSHARP_MACHINE = "Microsoft.FSharp.Core.CompilerServices.ResumableStateMachine`1"
"""The structure that is the state machine of a task of F#'s without optimisation."""
FSHARP_RUNNER = "ResumptionDynamicInfo"
"""Its field with the object that runs the pieces of the task."""
FSHARP_AWAITER = "ResumptionData@"
"""The field of that object with the boxed awaiter at which the task is suspended."""
FSHARP_NEXT = "ResumptionFunc@"
"""Its field with the delegate that goes on."""


def state_machine(debuggee: Debuggee, thread: ThreadId, frame_index: int = 0) -> Value | None:
    """`this` of a frame, a MoveNext; None where it cannot be read."""
    arguments = debuggee.arguments(thread, frame_index, text_limit=0)
    return arguments[0] if arguments and arguments[0].error is None else None


def is_completed(program: Program, task: Value) -> bool | None:
    """Whether a task has its result, or has failed; None for what is no task, and where it cannot be read."""
    state = read_field(program, task, TASK_STATE) if not task.is_null else None
    if state is None or state.error is not None or not state.raw:
        return None
    return bool(int.from_bytes(state.raw, "little") & COMPLETED)
