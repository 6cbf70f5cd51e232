"""A breakpoint in the code of one frame, which counts for that very call alone. Session thread only."""

from __future__ import annotations

import logging

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import BoundId, Frame, RuntimeCallErrorInfo, StepKind, ThreadId

_log = logging.getLogger(__name__)

_MOST_FOREIGN_HITS = 16
"""Of other threads, and of other calls of the method; then the step does without."""


class FrameBreakpoint:
    """The temporary breakpoint of one step."""

    def __init__(self) -> None:
        self._bound: BoundId | None = None
        self._call: tuple[ThreadId, int] | None = None
        """The thread, and the stack address of the frame."""
        self._foreign_hits = 0
        self.kind = StepKind.OVER
        """How the step goes on from there."""

    def set(self, debuggee: Debuggee, thread: ThreadId, frame: Frame, place: int, kind: StepKind) -> None:
        """Set it at a place (AT_FRAME, AT_RETURN) of a frame, the thread's top one. Nothing where that is not known."""
        self.clear(debuggee)
        self.kind = kind
        try:
            (bound,) = debuggee.create_return_breakpoints(thread, frame.index, [place])
        except DapDotnetError as error:
            _log.info("a place in the code of this frame is not known: %s", error.message)
            return
        if not isinstance(bound, RuntimeCallErrorInfo):
            self._bound, self._call, self._foreign_hits = bound, (thread, frame.stack_address), 0

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of this breakpoint."""
        return self._bound is not None and event.bound == self._bound

    def has_come(self, debuggee: Debuggee, event: BreakpointHit) -> bool:
        """It was hit: whether by the call that is stepped. Then it is done with."""
        top = debuggee.top_frame(event.thread)
        if top is not None and (event.thread, top.stack_address) == self._call:
            self.clear(debuggee)
            return True
        self._foreign_hits += 1
        if self._foreign_hits > _MOST_FOREIGN_HITS:
            self.clear(debuggee)
        return False

    def clear(self, debuggee: Debuggee) -> None:
        """Take it out of the runtime."""
        if self._bound is not None:
            debuggee.remove_breakpoints([self._bound])
        self._bound = self._call = None
