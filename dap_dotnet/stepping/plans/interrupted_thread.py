"""Steps of threads that the runtime has interrupted anywhere: another thread has stopped, or the user has paused.

The runtime may lose the stepper of such a thread where it has just returned from a call (measured, .NET 8 to 10: in the
midst of a statement one step in about 240 ran on). A thread that stands at a breakpoint keeps it. So the step waits
at the very instruction with which the thread goes on; there the step begins once more. Only in the user's code: in the
code of the framework that takes a lock, such a breakpoint has stopped the runtime for good.
"""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.runtime.events import StepCompleted
from dap_dotnet.runtime.model import AT_FRAME, MAPPING_EXACT, Frame, FrameKind, ThreadId
from dap_dotnet.stepping.plan import Decision, Done, Layer, News, StepEvent, StepPlan
from dap_dotnet.stepping.plans.run_to import RunToAddress
from dap_dotnet.values.context import Program


class InterruptedThread(RunToAddress):
    """Begin once more at the very instruction with which the interrupted thread goes on."""

    layer = Layer.INTERRUPTED

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        return isinstance(event, StepCompleted) or super().explains(program, event, news)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        if isinstance(event, StepCompleted):
            return Done(news)  # the stepper was not lost
        return super().should_stop(program, event, news)


def interrupted(thread: ThreadId, frame: Frame, move: StepPlan) -> InterruptedThread | None:
    """For a thread whose top frame is `frame`, in the user's code.

    None at the beginning of a statement, and for a frame that is no method's.
    """
    if frame.kind is not FrameKind.IL or frame.mapping & MAPPING_EXACT:
        return None
    return InterruptedThread(thread, frame, AT_FRAME, move)
