"""Steps of threads that the runtime has interrupted anywhere: another thread has stopped, or the user has paused.

The runtime may lose the stepper of such a thread where it has just returned from a call (measured, .NET 8 to 10: in the
midst of a statement one step in about 240 ran on). A thread that stands at a breakpoint keeps it. Therefore one waits
at the very instruction with which the thread goes on; there the step begins once more. Only in the user's code: in the
code of the framework that takes a lock, such a breakpoint has stopped the runtime for good.
"""

from __future__ import annotations

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import AT_FRAME, MAPPING_EXACT, Frame, FrameKind, StepKind, ThreadId
from dap_dotnet.stepping.frame_breakpoints import FrameBreakpoint


class InterruptedThread(FrameBreakpoint):
    """The temporary breakpoint of one step. Session thread only."""

    def arm(self, debuggee: Debuggee, thread: ThreadId, frame: Frame | None, kind: StepKind) -> None:
        """A thread steps whose top frame is `frame`, in the user's code (None: not known).

        Nothing is done at the beginning of a statement, nor for a frame that is no method's.
        """
        self.clear(debuggee)
        if frame is not None and frame.kind is FrameKind.IL and not frame.mapping & MAPPING_EXACT:
            self.set(debuggee, thread, frame, AT_FRAME, kind)
