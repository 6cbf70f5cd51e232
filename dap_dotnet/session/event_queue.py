"""Runtime events between the threads that report them and the session thread: what waits, where, and in which order.

Events are handled in the order in which the runtime reported them, and each takes its turn among the client's requests:
a request that arrived before an event is answered before the event is handled, and an event before a later request.
Events wait in three places:

1. *incoming*: reported, and not yet handled. One call in the server's inbox stands for each;
2. *early*: they arrived before launch or attach had handed over the debuggee. `open` handles them, in order, and
   before anything that is still incoming;
3. *deferred*: a function evaluation was running when another thread hit a breakpoint or threw. `DeferredEvents` keeps
   the thread frozen, and the event is decided on when the evaluation is over and the program would run again.

A function evaluation is the one exception to the turns: it takes early and incoming events past the requests that
wait, since its own completion is one of them.
"""

from __future__ import annotations

import contextlib
import logging
import queue
from collections import deque
from collections.abc import Callable, Iterator

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime import events
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import ThreadId

_log = logging.getLogger(__name__)

StoppingEvent = events.BreakpointHit | events.StepCompleted | events.ExceptionRaised | events.DebuggerBreak
"""The events after which the program may stand for the user."""


class EventQueue:
    """See the module's docstring. `put` on any thread; everything else on the session thread."""

    def __init__(
        self,
        post: Callable[[Callable[[], None]], None],
        handle: Callable[[events.RuntimeEvent], None],
        on_arrival: Callable[[events.RuntimeEvent], None],
    ) -> None:
        """`handle` takes one event, on the session thread. `post` puts a call into the server's inbox, on any thread.

        `on_arrival` sees each event at once, on the thread that reports it.
        """
        self._post = post
        self._handle = handle
        self._on_arrival = on_arrival
        self._incoming: queue.SimpleQueue[events.RuntimeEvent] = queue.SimpleQueue()
        self._early: deque[events.RuntimeEvent] = deque()
        self._is_open = False
        self._taken_ahead = 0
        """Events that were taken past the inbox: as many of the calls there have nothing left to do."""
        self.deferred = DeferredEvents()

    def put(self, event: events.RuntimeEvent) -> None:
        """Queue an event. Any thread."""
        self._incoming.put(event)
        self._post(self._take_turn)
        self._on_arrival(event)

    def open(self) -> None:
        """Handle what arrived early; from now on each event is handled in its turn."""
        self._is_open = True
        while self._early:
            self._handle(self._early.popleft())

    def take(self, timeout_s: float) -> events.RuntimeEvent | None:
        """The next event, ahead of its turn, for a function evaluation; None when none comes within `timeout_s`."""
        if self._early:
            return self._early.popleft()
        try:
            event = self._incoming.get(timeout=timeout_s) if timeout_s > 0 else self._incoming.get_nowait()
        except queue.Empty:
            return None
        self._taken_ahead += 1
        return event

    def _take_turn(self) -> None:
        if self._taken_ahead:
            self._taken_ahead -= 1
            return
        event = self._incoming.get_nowait()
        if self._is_open:
            self._handle(event)
        else:
            self._early.append(event)


class DeferredEvents:
    """What other threads ran into during a function evaluation, oldest first; the threads are frozen. Session thread.

    The process runs for an evaluation, so other threads reach breakpoints, throw, and finish steps; some of it was on
    its way before the evaluation began. None of it is lost.
    """

    def __init__(self) -> None:
        self._events: list[StoppingEvent] = []
        self._evaluations = 0

    def __bool__(self) -> bool:
        return bool(self._events)

    @property
    def threads(self) -> set[ThreadId]:
        """The threads that are frozen for their events."""
        return {event.thread for event in self._events}

    @contextlib.contextmanager
    def during_evaluation(self) -> Iterator[None]:
        """`take` gives nothing as long as an evaluation runs."""
        self._evaluations += 1
        try:
            yield
        finally:
            self._evaluations -= 1

    @property
    def is_evaluating(self) -> bool:
        """Whether a function evaluation runs."""
        return self._evaluations > 0

    def add(self, debuggee: Debuggee, event: StoppingEvent) -> None:
        """Freeze the event's thread and keep the event; the caller gives up its hold, so that the evaluation goes on.

        An event whose thread cannot be frozen is passed over.
        """
        try:
            debuggee.freeze(event.thread, True)
        except DapDotnetError as error:
            _log.warning("an event on thread %s is passed over: %s", event.thread, error.message)
            return
        self._events.append(event)

    def take(self, debuggee: Debuggee) -> StoppingEvent | None:
        """The next event, with its thread thawed; None when nothing waits. The process must be held."""
        while self._events and not self._evaluations:
            event = self._events.pop(0)
            try:
                debuggee.freeze(event.thread, False)
                return event
            except DapDotnetError as error:
                _log.info("the thread of a deferred event: %s", error.message)
        return None

    def drop(self, debuggee: Debuggee) -> None:
        """Thaw all the threads and forget their events: the session is ending. The process must be held."""
        while self.take(debuggee) is not None:
            pass
