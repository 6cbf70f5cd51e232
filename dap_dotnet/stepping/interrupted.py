"""Steps of threads that the runtime has interrupted anywhere: another thread has stopped, or the user has paused.

The runtime may lose the stepper of such a thread where it has just returned from a call (measured, .NET 8 to 10: in the
midst of a statement one step in about 240 ran on). A thread that stands at a breakpoint keeps it. Therefore one waits
at the very instruction with which the thread goes on; there the step begins once more. Only in the user's code: in the
code of the framework that takes a lock, such a breakpoint has stopped the runtime for good.
"""

from __future__ import annotations

import logging

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    AT_FRAME,
    MAPPING_EXACT,
    BoundId,
    Frame,
    FrameKind,
    RuntimeCallErrorInfo,
    StepKind,
    ThreadId,
)

_log = logging.getLogger(__name__)

_MOST_FOREIGN_HITS = 16
"""Of other threads; then the step does without."""


class InterruptedThread:
    """The temporary breakpoint of one step. Session thread only."""

    def __init__(self) -> None:
        self._bound: BoundId | None = None
        self._place: tuple[ThreadId, int] | None = None
        """The thread, and the stack address of the frame that is stepped."""
        self._foreign_hits = 0
        self.kind = StepKind.OVER
        """How the thread steps."""

    def arm(self, debuggee: Debuggee, thread: ThreadId, frame: Frame | None, kind: StepKind) -> None:
        """A thread steps whose top frame is `frame`, in the user's code (None: not known).

        Nothing is done at the beginning of a statement, nor for a frame that is no method's.
        """
        self.clear(debuggee)
        if frame is None or frame.kind is not FrameKind.IL or frame.mapping & MAPPING_EXACT:
            return
        try:
            (bound,) = debuggee.create_return_breakpoints(thread, frame.index, [AT_FRAME])
        except DapDotnetError as error:
            _log.info("where this thread goes on is not known: %s", error.message)
            return
        if not isinstance(bound, RuntimeCallErrorInfo):
            self._bound, self._place, self._foreign_hits = bound, (thread, frame.stack_address), 0
            self.kind = kind

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of this breakpoint."""
        return self._bound is not None and event.bound == self._bound

    def goes_on(self, debuggee: Debuggee, event: BreakpointHit) -> bool:
        """It was hit: whether by the thread that steps, whose step is to begin once more. Then it is done with."""
        frames = debuggee.stack(event.thread, 0, 1).frames
        if frames and (event.thread, frames[0].stack_address) == self._place:
            self.clear(debuggee)
            return True
        self._foreign_hits += 1
        if self._foreign_hits > _MOST_FOREIGN_HITS:
            self.clear(debuggee)
        return False

    def clear(self, debuggee: Debuggee) -> None:
        """Take it away."""
        if self._bound is not None:
            debuggee.remove_breakpoints([self._bound])
        self._bound = self._place = None
