"""The state of a Task object, as its field has it. Session thread only."""

from __future__ import annotations

from dap_dotnet.runtime.model import Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field

TASK_STATE = "m_stateFlags"
"""The field of a Task with its state."""
COMPLETED = 0x1600000
"""TASK_STATE_RAN_TO_COMPLETION, _FAULTED and _CANCELED of it."""


def is_completed(program: Program, task: Value) -> bool | None:
    """Whether a task has its result, or has failed; None for what is no task, and where it cannot be read."""
    state = read_field(program, task, TASK_STATE) if not task.is_null else None
    if state is None or state.error is not None or not state.raw:
        return None
    return bool(int.from_bytes(state.raw, "little") & COMPLETED)
