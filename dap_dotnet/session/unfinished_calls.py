"""Calls of expressions that did not end in time and cannot be aborted: each waits on its thread until it can end.

The runtime has been asked to abort it, and does so as soon as it stops waiting. Until then the thread stands where it
stood for the user: the frames of the call are not shown. When the program goes on so does the call, and then the
thread; a step of the thread begins when the call has ended. Session thread only.
"""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.runtime.model import EvalId, ThreadId
from dap_dotnet.session.stops import Stop, StopReason

IS_BUSY = (
    "The thread is still inside a call that could not be aborted, and can make no other before that has ended. It ends "
    "when the program goes on; what needs no call can be evaluated"
)
"""Why an expression may not call into the program."""


class UnfinishedCalls:
    """Of the whole program, one on each thread."""

    def __init__(self) -> None:
        self._threads: dict[ThreadId, EvalId] = {}
        self._steps: dict[ThreadId, Callable[[], None]] = {}
        self._lost: set[EvalId] = set()

    def add(self, thread: ThreadId, evaluation: EvalId) -> None:
        """The process was stopped in the middle of a call."""
        self._threads[thread] = evaluation

    def lose(self, thread: ThreadId, evaluation: EvalId) -> None:
        """Not even the process could be stopped: it runs, and is to stop when the call has ended."""
        self.add(thread, evaluation)
        self._lost.add(evaluation)

    def hides_frames(self, thread: ThreadId, stop: Stop | None) -> bool:
        """Whether what a thread has called is not for the user's eyes: no breakpoint, exception or step was in it."""
        if thread not in self._threads:
            return False
        return stop is None or stop.thread != thread or stop.reason is StopReason.PAUSE

    def step_when_ended(self, thread: ThreadId, start: Callable[[], None]) -> None:
        """Begin a step of the thread by `start` when its call has ended, unless the program stops before."""
        self._steps[thread] = start

    def program_stopped(self) -> None:
        """No step is wanted any more."""
        self._steps.clear()
        self._lost.clear()

    def ended(self, evaluation: EvalId) -> bool:
        """A call has ended: the step that waits for it begins. Raises as what begins it.

        Returns whether it had taken the stop away with it, which is to come back.
        """
        thread = next((thread for thread, known in self._threads.items() if known == evaluation), None)
        if thread is None:
            return False
        is_lost = evaluation in self._lost
        self._lost.discard(evaluation)
        del self._threads[thread]
        start = self._steps.pop(thread, None)
        if start is not None:
            start()
        return is_lost

    def forget(self) -> None:
        """The process is gone."""
        self._threads.clear()
        self._steps.clear()
        self._lost.clear()
