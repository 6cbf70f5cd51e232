"""A breakpoint in the code of one frame, which counts for that very call alone: run to that address."""

from __future__ import annotations

import logging

from typing_extensions import override

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, RuntimeCallErrorInfo, ThreadId
from dap_dotnet.stepping.plan import Continue, Decision, News, Replace, StepEvent, StepPlan
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)

_MOST_FOREIGN_HITS = 16
"""Of other threads, and of other calls of the method; then the step does without."""


class RunToAddress(StepPlan):
    """Run to a place of a frame, the thread's top one; another move goes on from there."""

    def __init__(self, thread: ThreadId, frame: Frame, address: int, move: StepPlan) -> None:
        """`address` is AT_FRAME or AT_RETURN, or an IL offset behind a call."""
        super().__init__()
        self._frame = frame
        self._address = address
        self._call = thread, frame.stack_address
        self._move = move
        self._foreign_hits = 0

    @override
    def arm(self, program: Program) -> None:
        thread, _ = self._call
        try:
            (bound,) = program.debuggee.create_return_breakpoints(thread, self._frame.index, [self._address])
        except DapDotnetError as error:
            _log.info("a place in the code of this frame is not known: %s", error.message)
            return
        if not isinstance(bound, RuntimeCallErrorInfo):
            self._bound = [bound]

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        top = program.debuggee.top_frame(event.thread)
        if top is not None and (event.thread, top.stack_address) == self._call:
            self.disarm(program.debuggee)
            return Replace(self._move)
        self._foreign_hits += 1
        return Continue(is_over=self._foreign_hits > _MOST_FOREIGN_HITS)
