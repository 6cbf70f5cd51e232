"""What happens on other threads while a function evaluation runs. Session thread only.

The process runs for an evaluation, so other threads run into breakpoints and exceptions, and finish steps; what was on
its way already is even reported before the evaluation begins. None of it is lost: the thread is frozen where it is, and
the event is decided on as soon as the evaluation is over.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime import events
from dap_dotnet.runtime.api import Debuggee

_log = logging.getLogger(__name__)

Stopping = events.BreakpointHit | events.StepCompleted | events.ExceptionRaised | events.DebuggerBreak
"""The events after which the program may stand for the user."""


class DeferredEvents:
    """The events that wait, oldest first; their threads are frozen."""

    def __init__(self) -> None:
        self._events: list[Stopping] = []
        self._evaluations = 0

    def __bool__(self) -> bool:
        return bool(self._events)

    @contextlib.contextmanager
    def during_evaluation(self) -> Iterator[None]:
        """Nothing is taken as long as an evaluation runs."""
        self._evaluations += 1
        try:
            yield
        finally:
            self._evaluations -= 1

    def put(self, debuggee: Debuggee, event: Stopping) -> None:
        """Freeze the event's thread and give up its hold, so that the evaluation goes on."""
        try:
            debuggee.freeze(event.thread, True)
            self._events.append(event)
        except DapDotnetError as error:
            _log.warning("an event on thread %s is passed over: %s", event.thread, error.message)
        debuggee.resume(event)

    def take(self, debuggee: Debuggee) -> Stopping | None:
        """The next event, with its thread let go; None when nothing waits. The process must be held."""
        while self._events and not self._evaluations:
            event = self._events.pop(0)
            try:
                debuggee.freeze(event.thread, False)
                return event
            except DapDotnetError as error:
                _log.info("the thread of a deferred event: %s", error.message)
        return None

    def drop(self, debuggee: Debuggee) -> None:
        """Let all their threads go: nobody wants to know any more. The process must be held."""
        while self.take(debuggee) is not None:
            pass
