"""Where a step into an async method of optimised code arrives: at the beginning of what the user has written.

The method itself has no source: it makes a state machine and has the framework run it, under itself on the stack. In
code that is not optimised Just My Code leads a step through all that; optimised code knows no Just My Code, so that a
breakpoint waits where the user's code begins, and counts on this thread, under this very call. An async iterator goes
on where it has been left: there are breakpoints at all its statements.
"""

from __future__ import annotations

import logging

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, Frame, RuntimeCallErrorInfo, ThreadId
from dap_dotnet.stepping.ranges import first_visible
from dap_dotnet.symbols.async_methods import asks_for_element, code_run_by
from dap_dotnet.symbols.modules import LoadedModule

_log = logging.getLogger(__name__)

_MOST_STATEMENTS = 200
_MOST_FRAMES_BETWEEN = 16
"""The framework's, between the method and its code; there are two or three."""


class FirstRun:
    """The temporary breakpoints of one step. Session thread only."""

    def __init__(self) -> None:
        self._bound: list[BoundId] = []
        self._thread: ThreadId | None = None
        self._call = 0
        """Stack address of the call that runs the code."""

    def arm(self, debuggee: Debuggee, thread: ThreadId, module: LoadedModule, frame: Frame) -> bool:
        """Wait for the code that a method runs in whose frame a step has arrived. False where it is no such method."""
        self.clear(debuggee)
        code = code_run_by(module, frame.method) if module.is_optimized and frame.method is not None else None
        first = first_visible(module, code) if code is not None else None
        if code is None or frame.method is None or module.pdb is None or first is None:
            return False
        points = [first]
        if asks_for_element(module, frame.method):
            points = [point for point in module.pdb.sequence_points(code) if not point.is_hidden][:_MOST_STATEMENTS]
        places = [BreakpointLocation(module.id, code, point.il_offset) for point in points]
        for bound in debuggee.create_breakpoints(places):
            if isinstance(bound, RuntimeCallErrorInfo):
                _log.info("a step into this async method may go over it: %s", bound.hresult_name)
            else:
                self._bound.append(bound)
        self._thread, self._call = thread, frame.stack_address
        return bool(self._bound)

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of one of these breakpoints."""
        return event.bound in self._bound

    def has_arrived(self, debuggee: Debuggee, event: BreakpointHit) -> bool:
        """One was hit: whether by the code that was called, and not by another call, or another thread."""
        if event.thread != self._thread:
            return False
        above = debuggee.stack(event.thread, 1, _MOST_FRAMES_BETWEEN).frames
        return any(frame.stack_address == self._call for frame in above)

    def clear(self, debuggee: Debuggee) -> None:
        """Take all of them out of the runtime."""
        if self._bound:
            debuggee.remove_breakpoints(self._bound)
        self._bound = []
