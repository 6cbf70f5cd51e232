"""A step through a library's method that takes a result and may call code of the user's with it."""

from __future__ import annotations

from typing_extensions import override

from dap_dotnet.runtime.events import StepCompleted
from dap_dotnet.runtime.model import Frame
from dap_dotnet.stepping.plan import Continue, Decision, Layer, News, Pass, StepEvent, StepPlan
from dap_dotnet.stepping.plans.out_of_call import found_again
from dap_dotnet.values.context import Program


class LibraryCallback(StepPlan):
    """End in what the library's method calls; what comes after that is nobody's."""

    layer = Layer.LIBRARY

    def __init__(self, frame: Frame) -> None:
        """`frame` is of the library's method."""
        super().__init__()
        self._frame = frame

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        return news is None and isinstance(event, StepCompleted)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        is_there = found_again(program.debuggee, event.thread, self._frame) is not None
        return Pass() if is_there else Continue(is_over=True)
