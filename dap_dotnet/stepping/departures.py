"""Steps that leave a method which is one single statement, as lambdas often are.

The runtime takes a call for a part of the step in progress where the same caller made it and it begins within the
native offsets of the ranges that are stepped over. The ranges of such a method are all of its code, so that the next
call of the same caller is never stopped in: that of the next lambda of a query, or of the same one for the next
element. Therefore a breakpoint waits where the method is about to return; from there the step goes on without ranges.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import AT_RETURN, Frame, FrameKind, StepKind, ThreadId
from dap_dotnet.stepping.frame_breakpoints import FrameBreakpoint
from dap_dotnet.stepping.ranges import is_whole_method
from dap_dotnet.symbols.modules import ModuleCatalog


class Departure(FrameBreakpoint):
    """The temporary breakpoint of one step. Session thread only."""

    def __init__(self, modules: ModuleCatalog) -> None:
        super().__init__()
        self._modules = modules

    def arm(
        self, debuggee: Debuggee, thread: ThreadId, frame: Frame, ranges: Sequence[tuple[int, int]], kind: StepKind
    ) -> None:
        """A step with Just My Code leaves `ranges` of a frame, the thread's top one; nothing is done for most."""
        self.clear(debuggee)
        if is_whole_method(ranges) and self._is_called_by_others(debuggee, thread):
            self.set(debuggee, thread, frame, AT_RETURN, kind)

    def _is_called_by_others(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """Whether the top frame's caller is not the user's: from such a one a step ends right behind the call."""
        callers = debuggee.stack(thread, 1, 1).frames
        module = self._modules.get(callers[0].module) if callers and callers[0].kind is FrameKind.IL else None
        return module is None or not module.is_user_code
