"""Steps that leave a method which code of others has called, as lambdas often are.

Two things take such a step past what that code calls next: the next lambda of a query, or the same one for the next
element. The runtime takes a call for a part of the step in progress where the same caller made it and it begins within
the native offsets of the ranges that are stepped over, and those of a method of one single statement are all of its
code. And optimised code has places that belong to no IL: a step over that returns to one goes on from instruction to
instruction, over calls. Therefore a breakpoint waits where the method is about to return; from there the step goes
on into whatever comes next, without ranges.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import AT_RETURN, Frame, FrameKind, StepKind, ThreadId
from dap_dotnet.stepping.frame_breakpoints import FrameBreakpoint
from dap_dotnet.stepping.ranges import reaches_end
from dap_dotnet.symbols.modules import ModuleCatalog


class Departure(FrameBreakpoint):
    """The temporary breakpoint of one step. Session thread only."""

    def __init__(self, modules: ModuleCatalog) -> None:
        super().__init__()
        self._modules = modules

    def arm(self, debuggee: Debuggee, thread: ThreadId, frame: Frame, ranges: Sequence[tuple[int, int]]) -> None:
        """A step with Just My Code leaves `ranges` of a frame, the thread's top one; nothing is done for most."""
        self.clear(debuggee)
        if reaches_end(ranges) and self._is_called_by_others(debuggee, thread):
            self.set(debuggee, thread, frame, AT_RETURN, StepKind.INTO)

    def _is_called_by_others(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """Whether the top frame's caller is not the user's: from such a one a step ends right behind the call."""
        callers = debuggee.stack(thread, 1, 1).frames
        module = self._modules.get(callers[0].module) if callers and callers[0].kind is FrameKind.IL else None
        return module is None or not module.is_user_code
