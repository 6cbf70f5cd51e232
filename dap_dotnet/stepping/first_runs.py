"""Where a step into an async method of optimised code arrives: at the beginning of what the user has written.

The method itself has no source: it makes a state machine and has the framework run it, under itself on the stack. In
code that is not optimised Just My Code leads a step through all that; optimised code knows no Just My Code, so that a
breakpoint waits where the user's code begins, and counts on this thread, under this very call.
"""

from __future__ import annotations

import logging

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, Frame, RuntimeCallErrorInfo, ThreadId
from dap_dotnet.stepping.ranges import first_visible
from dap_dotnet.symbols.async_methods import code_run_by
from dap_dotnet.symbols.modules import LoadedModule

_log = logging.getLogger(__name__)

_MOST_FRAMES_BETWEEN = 16
"""The framework's, between the method and its code; there are two or three."""


class FirstRun:
    """The temporary breakpoint of one step. Session thread only."""

    def __init__(self) -> None:
        self._bound: BoundId | None = None
        self._thread: ThreadId | None = None
        self._call = 0
        """Stack address of the call that runs the code."""

    def arm(self, debuggee: Debuggee, thread: ThreadId, module: LoadedModule, frame: Frame) -> bool:
        """Wait for the code that a method runs in whose frame a step has arrived. False where it is no such method."""
        self.clear(debuggee)
        code = code_run_by(module, frame.method) if module.is_optimized and frame.method is not None else None
        point = first_visible(module, code) if code is not None else None
        if code is None or point is None:
            return False
        (bound,) = debuggee.create_breakpoints([BreakpointLocation(module.id, code, point.il_offset)])
        if isinstance(bound, RuntimeCallErrorInfo):
            _log.warning("a step into this async method goes over it: %s", bound.hresult_name)
            return False
        self._bound, self._thread, self._call = bound, thread, frame.stack_address
        return True

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of this breakpoint."""
        return self._bound is not None and event.bound == self._bound

    def has_arrived(self, debuggee: Debuggee, event: BreakpointHit) -> bool:
        """It was hit: whether by the code that was called, and not by another call, or another thread."""
        if event.thread != self._thread:
            return False
        above = debuggee.stack(event.thread, 1, _MOST_FRAMES_BETWEEN).frames
        return any(frame.stack_address == self._call for frame in above)

    def clear(self, debuggee: Debuggee) -> None:
        """Take it out of the runtime."""
        if self._bound is not None:
            debuggee.remove_breakpoints([self._bound])
        self._bound = None
