"""Calls of expressions that did not end in time and cannot be aborted: each waits on its thread until it can end.

The runtime has been asked to abort it, and does so as soon as it stops waiting. Until then the thread stands where it
stood for the user: the frames of the call are not shown. When the program goes on so does the call, and then the
thread; a step of the thread begins when the call has ended. Session thread only.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import EvalId, Frame, ThreadId
from dap_dotnet.session.stops import Stop, StopReason

if TYPE_CHECKING:
    from dap_dotnet.runtime.api import Debuggee
    from dap_dotnet.session.event_queue import DeferredEvents
    from dap_dotnet.session.holds import Holds

IS_BUSY = (
    "The thread is still inside a call that could not be aborted, and can make no other before that has ended. It ends "
    "when the program goes on; what needs no call can be evaluated"
)
"""Why an expression may not call into the program."""


class _Call(Struct, frozen=True):
    evaluation: EvalId
    stop: Stop | None
    """The one that it was made at; None for a condition's call."""


class UnfinishedCalls:
    """Of the whole program, one on each thread."""

    def __init__(self, holds: Holds, deferred: DeferredEvents) -> None:
        self._deferred = deferred
        self._debuggee: Debuggee | None = None
        self._calls: dict[ThreadId, _Call] = {}
        self._steps: dict[ThreadId, Callable[[], None]] = {}
        self._lost: dict[EvalId, Stop] = {}
        holds.before_running.append(self._program_runs)

    def add(
        self, debuggee: Debuggee, thread: ThreadId, evaluation: EvalId, stop: Stop | None, known: Frame | None
    ) -> None:
        """The process was stopped in the middle of a call that was made at `stop`; None: at none.

        `known`: see `Debuggee.hide_call`.
        """
        self._debuggee = debuggee
        self._calls[thread] = _Call(evaluation, stop)
        debuggee.hide_call(thread, known)

    def lose(self, debuggee: Debuggee, thread: ThreadId, evaluation: EvalId, stop: Stop) -> None:
        """Not even the process could be stopped: it runs, and `stop` is to come back when the call has ended."""
        self._debuggee = debuggee
        self._calls[thread] = _Call(evaluation, None)
        self._lost[evaluation] = stop

    def hides_frames(self, thread: ThreadId, stop: Stop | None) -> bool:
        """Whether what a thread has called is not for the user's eyes: no breakpoint, exception or step was in it."""
        call = self._calls.get(thread)
        if call is None:
            return False
        return stop is None or stop is call.stop or stop.thread != thread or stop.reason is StopReason.PAUSE

    def step_when_ended(self, thread: ThreadId, start: Callable[[], None]) -> None:
        """Begin a step of the thread by `start` when its call has ended, unless the program stops before."""
        self._steps[thread] = start

    def program_stopped(self, stop: Stop) -> None:
        """No step is wanted any more. The process is held."""
        self._steps.clear()
        self._lost.clear()
        for thread in self._calls:
            if self._debuggee is not None and self.hides_frames(thread, stop):
                self._debuggee.hide_call(thread, None)

    def goes_on(self) -> None:
        """The stop is over: whatever comes of the threads is of the calls that they are in. The process is held."""
        for thread in self._calls:
            self._show(thread)

    def ended(self, evaluation: EvalId) -> Stop | None:
        """A call has ended: the step that waits for it begins. Raises as what begins it.

        Returns the stop that it had taken away with it, if it did, which is to come back.
        """
        thread = next((thread for thread, call in self._calls.items() if call.evaluation == evaluation), None)
        if thread is None:
            return None
        self._show(thread)
        del self._calls[thread]
        lost = self._lost.pop(evaluation, None)
        start = self._steps.pop(thread, None)
        if start is not None:
            start()
        return lost

    def forget(self) -> None:
        """The process is gone."""
        self._calls.clear()
        self._steps.clear()
        self._lost.clear()

    def _program_runs(self) -> None:
        if not self._deferred.is_evaluating:  # the stop stays over an evaluation on another thread
            self.goes_on()

    def _show(self, thread: ThreadId) -> None:
        if self._debuggee is not None:
            with contextlib.suppress(DapDotnetError):  # it has ended
                self._debuggee.show_call(thread)
