"""Where a step into an async method of optimised code arrives: at the beginning of what the user has written.

The method itself has no source: it makes a state machine and has the framework run it, under itself on the stack. In
code that is not optimised Just My Code leads a step through all that; optimised code knows no Just My Code, so that a
breakpoint waits where the user's code begins, and counts on this thread, under this very call. An async iterator goes
on where it has been left: there are breakpoints at all its statements.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from dap_dotnet.runtime.model import BreakpointLocation, Frame, ThreadId
from dap_dotnet.stepping.plan import Continue, Decision, Layer, News, Pass, StepEvent, StepPlan
from dap_dotnet.symbols.async_methods import asks_for_element, code_run_by
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.statements import first_visible
from dap_dotnet.values.context import Program

_MOST_STATEMENTS = 200
_MOST_FRAMES_BETWEEN = 16
"""The framework's, between the method and its code; there are two or three."""


class AsyncEntry(StepPlan):
    """Wait for the code of an async method that has just been called, in optimised code."""

    layer = Layer.ASYNC_ENTRY

    def __init__(self, thread: ThreadId, frame: Frame, places: Sequence[BreakpointLocation]) -> None:
        """`frame` is of the method that runs the code; `places` are where that may go on."""
        super().__init__()
        self._thread = thread
        self._call = frame.stack_address
        self._places = places

    @override
    def arm(self, program: Program) -> None:
        self._set_breakpoints(program.debuggee, self._places)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        if event.thread != self._thread:
            return Continue()
        above = program.debuggee.stack(event.thread, 1, _MOST_FRAMES_BETWEEN).frames
        is_own = any(frame.stack_address == self._call for frame in above)
        return Pass(News.ARRIVED) if is_own else Continue()


def async_entry(thread: ThreadId, module: LoadedModule, frame: Frame) -> AsyncEntry | None:
    """For a method in whose frame a step has arrived; None where that starts no async method of optimised code."""
    code = code_run_by(module, frame.method) if module.is_optimized and frame.method is not None else None
    first = first_visible(module, code) if code is not None else None
    if code is None or frame.method is None or module.pdb is None or first is None:
        return None
    points = [first]
    if asks_for_element(module, frame.method):
        points = [point for point in module.pdb.sequence_points(code) if not point.is_hidden][:_MOST_STATEMENTS]
    places = [BreakpointLocation(module.id, code, point.il_offset) for point in points]
    return AsyncEntry(thread, frame, places)
