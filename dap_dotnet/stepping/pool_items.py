"""The piece of work that a thread of the pool runs: a delegate that was queued, the callback of a timer.

A step that leaves it has nothing to go on in: what the thread runs next is somebody else's.
"""

from __future__ import annotations

import logging

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import StepCompleted
from dap_dotnet.runtime.model import StepKind, StepperId, ThreadId
from dap_dotnet.stepping.tasks.running import method_of
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)

_RUNS_ITEMS = ("System.Threading.ThreadPoolWorkQueue", "Dispatch")
_LOOK_AT_FRAMES = 48


class PoolItem:
    """The item in which one step began. Session thread only."""

    def __init__(self) -> None:
        self._stepper: StepperId | None = None
        """Completes where the item has returned to the pool."""

    def begin(self, program: Program, thread: ThreadId) -> None:
        """A step may leave a thread's top frame. Nothing is done where code of the user's has called that."""
        self.forget(program.debuggee)
        above, *below = StackView(program.debuggee, thread).page(0, _LOOK_AT_FRAMES)[0]
        for frame in below:
            module = program.modules.get(frame.module)
            if module is not None and module.is_user_code:
                return
            if method_of(program, frame) == _RUNS_ITEMS:
                break
            above = frame
        else:
            return
        try:
            self._stepper = program.debuggee.step(thread, StepKind.OUT, just_my_code=False, frame_index=above.index)
        except DapDotnetError as error:
            _log.info("the end of what the pool runs is not known: %s", error.message)

    def is_over(self, event: StepCompleted) -> bool:
        """Whether the item has ended."""
        return self._stepper is not None and event.stepper == self._stepper

    def forget(self, debuggee: Debuggee, *, completed: bool = False) -> None:
        """Wait for its end no longer. Idempotent. `completed`: the stepper is gone already."""
        stepper, self._stepper = self._stepper, None
        if stepper is not None and not completed:
            debuggee.cancel_step(stepper)
