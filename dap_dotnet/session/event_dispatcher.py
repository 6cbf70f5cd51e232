"""The heart of a session: each runtime event meets its reaction, and then the program goes on or stands.

Session thread only.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Protocol

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import RuntimeEvent
from dap_dotnet.session.event_queue import EventQueue
from dap_dotnet.session.holds import Holds
from dap_dotnet.session.stops import Stop

_log = logging.getLogger(__name__)


class DispatchingSession(Protocol):
    """What is needed of the session."""

    @property
    def debuggee(self) -> Debuggee | None:
        """The program under control."""

    @property
    def holds(self) -> Holds:
        """What keeps the process stopped."""

    @property
    def event_queue(self) -> EventQueue:
        """Where the deferred events wait."""

    @property
    def current_stop(self) -> Stop | None:
        """The stop that the client knows of; None while the program runs."""

    @property
    def is_over(self) -> bool:
        """Whether the program has ended or was left."""


class EventDispatcher:
    """See the module's docstring."""

    def __init__(
        self,
        session: DispatchingSession,
        react: Callable[[RuntimeEvent], bool],
        post: Callable[[Callable[[], None]], None],
    ) -> None:
        """`react` does what an event asks for; True keeps its hold, because a stop was made of it.

        `post` calls something on the session thread, after what already waits there.
        """
        self._session = session
        self._react_to = react
        self._post = post

    def dispatch(self, event: RuntimeEvent) -> None:
        """Handle one event; the hold of a holding one is given up, unless a stop is made of it."""
        session = self._session
        if event.holds:
            session.holds.add(event)
        keep = self._react(event)
        if not event.holds or keep:
            return
        if session.current_stop is None and not session.holds.is_for_configuration:
            # A condition that called into the program has put the call's completion in the place of the event's hold.
            self.go_on()
        else:
            session.holds.release(event)

    def go_on(self) -> None:
        """Let the program run, unless there is a stop or a deferred event makes one: one event each turn."""
        session = self._session
        if session.current_stop is not None or session.debuggee is None:
            return
        event = session.event_queue.deferred.take(session.debuggee) if session.holds.is_held else None
        if event is None:
            session.holds.release_all()
        elif not self._react(event):
            self._post(self.go_on)

    def _react(self, event: RuntimeEvent) -> bool:
        try:
            # Once the client has heard of the end, it wants to hear no more.
            return not self._session.is_over and self._react_to(event)
        except DapDotnetError as error:
            _log.warning("while handling %s: %s", type(event).__name__, error.message)
        except Exception:
            _log.exception("while handling %s", event)
        return False
