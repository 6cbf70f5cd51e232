"""The piece of work that a thread of the pool runs: a delegate that was queued, the callback of a timer.

A step that leaves it has nothing to go on in: what the thread runs next is somebody else's.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, StepKind, ThreadId
from dap_dotnet.stepping.plan import Continue, Decision, GiveUp, Layer, News, StepEvent, StepPlan
from dap_dotnet.symbols.frames import method_of
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)

_RUNS_ITEMS = ("System.Threading.ThreadPoolWorkQueue", "Dispatch")
_LOOK_AT_FRAMES = 48


class EndOfPoolItem(StepPlan):
    """The step is given up where what the pool's thread runs has returned to the pool."""

    layer = Layer.POOL_ITEM

    def __init__(self, thread: ThreadId, item: Frame, goes_on_elsewhere: Callable[[Program], bool]) -> None:
        """`item` is the frame nearest to the pool. `goes_on_elsewhere`: whether the step needs no thread of its own."""
        super().__init__()
        self._thread = thread
        self._item = item
        self._step_goes_on = goes_on_elsewhere

    @override
    def arm(self, program: Program) -> None:
        try:
            out = program.debuggee.step(self._thread, StepKind.OUT, just_my_code=False, frame_index=self._item.index)
        except DapDotnetError as error:
            _log.info("the end of what the pool runs is not known: %s", error.message)
            return
        self._steppers.append(out)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        return Continue(is_over=True) if self._step_goes_on(program) else GiveUp()


def end_of_pool_item(
    program: Program, thread: ThreadId, goes_on_elsewhere: Callable[[Program], bool]
) -> EndOfPoolItem | None:
    """For a step that may leave a thread's top frame; None where code of the user's has called that."""
    above, *below = StackView(program.debuggee, thread).page(0, _LOOK_AT_FRAMES)[0]
    for frame in below:
        module = program.modules.get(frame.module)
        if module is not None and module.is_user_code:
            return None
        if method_of(program.modules, frame) == _RUNS_ITEMS:
            return EndOfPoolItem(thread, above, goes_on_elsewhere)
        above = frame
    return None
