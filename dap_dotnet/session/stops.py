"""What a runtime event means for the user: go on, or stop, and why. Pure: no calls, no state."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from dap_dotnet.breakpoints.exceptions.rules import ExceptionStage
    from dap_dotnet.breakpoints.model import BreakpointId
    from dap_dotnet.runtime.model import Frame, ThreadId


class StopReason(enum.Enum):
    """The reasons of DAP's `stopped` event that we give."""

    BREAKPOINT = "breakpoint"
    FUNCTION_BREAKPOINT = "function breakpoint"
    DATA_BREAKPOINT = "data breakpoint"
    INSTRUCTION_BREAKPOINT = "instruction breakpoint"
    STEP = "step"
    ENTRY = "entry"
    PAUSE = "pause"
    GOTO = "goto"
    RESTART = "restart"
    """Of a frame."""
    EXCEPTION = "exception"
    EVALUATION = "evaluation"
    """A stop that a function evaluation had taken away comes back. Of our own: DAP's reasons are open."""


BY_CHANCE = (StopReason.PAUSE, StopReason.EVALUATION)
"""The reasons of stops that nobody has chosen the place of."""


class Stop(Struct, frozen=True):
    """Stop, and report it to the client."""

    reason: StopReason
    thread: ThreadId
    breakpoints: tuple[BreakpointId, ...] = ()
    description: str | None = None
    text: str | None = None
    exception_stage: ExceptionStage | None = None
    """Where in its life the exception was that the program stopped for; None for other reasons."""
    frame: Frame | None = None
    """The thread's top frame, where the stop has shown it already; None: the stack has to be asked."""


class Resume(Struct, frozen=True):
    """Go on; the user does not notice."""


def at_breakpoint(
    thread: ThreadId,
    hit: Sequence[BreakpointId],
    *,
    is_entry: bool,
    reason: StopReason = StopReason.BREAKPOINT,
    changes: Sequence[str] = (),
) -> Stop | Resume:
    """A runtime breakpoint was hit: `hit` are the logical ones that want to stop, `is_entry` the stop at entry.

    `reason`: BREAKPOINT, or what all of `hit` are. `changes`: what data breakpoints among them report.
    """
    if hit and changes:
        description = changes[0] if len(changes) == 1 else f"{len(changes)} watched fields changed"
        return Stop(StopReason.DATA_BREAKPOINT, thread, tuple(hit), description, "\n".join(changes))
    if is_entry:
        return Stop(StopReason.ENTRY, thread, tuple(hit))
    if hit:
        return Stop(reason, thread, tuple(hit))
    return Resume()
