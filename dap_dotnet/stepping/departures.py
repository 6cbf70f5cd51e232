"""Steps that leave a method which is one single statement, as lambdas often are.

The runtime takes a call for a part of the step in progress where the same caller made it and it begins within the
native offsets of the ranges that are stepped over. The ranges of such a method are all of its code, so that the next
call of the same caller is never stopped in: that of the next lambda of a query, or of the same one for the next
element. Therefore a breakpoint waits where the method is about to return; from there the step goes on without ranges.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import AT_RETURN, BoundId, Frame, FrameKind, RuntimeCallErrorInfo, StepKind, ThreadId
from dap_dotnet.stepping.ranges import is_whole_method
from dap_dotnet.symbols.modules import ModuleCatalog

_log = logging.getLogger(__name__)

_MOST_FOREIGN_HITS = 16
"""Of other threads and of calls that the method makes of itself; then the step does without."""


class Departure:
    """The temporary breakpoint of one step. Session thread only."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._bound: BoundId | None = None
        self._call: tuple[ThreadId, int] | None = None
        """The thread, and the stack address of the frame that is to be left."""
        self._foreign_hits = 0
        self.kind = StepKind.OVER
        """How the step goes on from there."""

    def arm(
        self, debuggee: Debuggee, thread: ThreadId, frame: Frame, ranges: Sequence[tuple[int, int]], kind: StepKind
    ) -> None:
        """A step with Just My Code leaves `ranges` of a frame, the thread's top one; nothing is done for most."""
        self.clear(debuggee)
        self.kind = kind
        if not is_whole_method(ranges) or not self._is_called_by_others(debuggee, thread):
            return
        try:
            (bound,) = debuggee.create_return_breakpoints(thread, frame.index, [AT_RETURN])
        except DapDotnetError as error:
            _log.info("where this method returns is not known: %s", error.message)
            return
        if not isinstance(bound, RuntimeCallErrorInfo):
            self._bound, self._call, self._foreign_hits = bound, (thread, frame.stack_address), 0

    def _is_called_by_others(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """Whether the top frame's caller is not the user's: from such a one a step ends right behind the call."""
        callers = debuggee.stack(thread, 1, 1).frames
        module = self._modules.get(callers[0].module) if callers and callers[0].kind is FrameKind.IL else None
        return module is None or not module.is_user_code

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of this breakpoint."""
        return self._bound is not None and event.bound == self._bound

    def has_come(self, debuggee: Debuggee, event: BreakpointHit) -> bool:
        """It was hit: whether by the call that is stepped in, which is about to return. Then it is done with."""
        frames = debuggee.stack(event.thread, 0, 1).frames
        if frames and (event.thread, frames[0].stack_address) == self._call:
            self.clear(debuggee)
            return True
        self._foreign_hits += 1
        if self._foreign_hits >= _MOST_FOREIGN_HITS:
            self.clear(debuggee)
        return False

    def clear(self, debuggee: Debuggee) -> None:
        """Take it out of the runtime."""
        if self._bound is not None:
            debuggee.remove_breakpoints([self._bound])
        self._bound = self._call = None
