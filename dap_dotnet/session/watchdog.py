"""The last resort against calls that never return.

ICorDebug waits without end for a process that was killed in the middle of a call, or for a runtime that has got stuck;
no thread of ours can take that call back. When the process is known to be dead and the session thread does not come
back, the end is reported to the client, its requests are answered until it disconnects or for a short time, and this
process exits. It also exits when the client disconnects or is gone, and the session thread does not come back from
what it does: what was launched ends with it, and what was attached to goes on. Before that the user is told that the
runtime does not answer (`stall_notice`).
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from dap_dotnet.errors import DebuggeeGoneError
from dap_dotnet.protocol.messages.events import ExitedEventBody, OutputEventBody
from dap_dotnet.runtime.events import ProcessExited, ProcessReaped, RuntimeEvent
from dap_dotnet.server.interrupts import Interrupts
from dap_dotnet.session.stall_notice import StallNotice

_log = logging.getLogger(__name__)

PATIENCE_S = 5.0
"""How long the session thread may take for what it does when the process dies."""
END_PATIENCE_S = 20.0
"""How long letting go of a process, or coming back to do so, may take; a detach has its own, shorter, deadlines."""
_LINGER_S = 60.0
"""How long the client has to disconnect."""
_POLL_S = 0.02


class WatchedServer(Protocol):
    """What is needed of the server. Any thread."""

    @property
    def interrupts(self) -> Interrupts:
        """The requests without a response."""

    def post(self, action: Callable[[], None]) -> None:
        """Call `action` on the session thread."""

    def send_event(self, event: str, body: Any = None) -> None:
        """Send an event."""


class Watchdog:
    """See the module's docstring. Any thread."""

    def __init__(
        self,
        server: WatchedServer,
        *,
        patience_s: float = PATIENCE_S,
        linger_s: float = _LINGER_S,
        end_patience_s: float = END_PATIENCE_S,
        leave: Callable[[int], Any] = os._exit,
    ) -> None:
        """`leave` ends this process; only tests give another. Made on the session thread."""
        self._server = server
        self._session_thread = threading.get_ident()
        self._stall_notice: StallNotice | None = None
        self._patience_s = patience_s
        self._linger_s = linger_s
        self._end_patience_s = end_patience_s
        self._leave = leave
        self._is_over = False
        self._exit_code: int | None = None
        self._waited_for: list[threading.Event] = []

    def event_arrived(self, event: RuntimeEvent) -> None:
        """Look out for the end of the process among the runtime's events. On the thread that takes them."""
        if self._stall_notice is None and not self._is_over:
            interrupts = self._server.interrupts
            self._stall_notice = StallNotice(self._session_thread, self._tell, lambda: interrupts.disconnect_requested)
        if isinstance(event, ProcessReaped):
            self.process_is_gone(event.exit_code)
        elif isinstance(event, ProcessExited):
            self.process_is_gone()

    def process_is_gone(self, exit_code: int | None = None) -> None:
        """Watch that the session thread comes back to its inbox. `exit_code` is None as long as nobody knows it."""
        if exit_code is not None:
            self._exit_code = exit_code
        if self._is_over:
            return
        self._server.post(self._watch(self._patience_s, self._speak_for_the_session).set)

    def end_is_wanted(self) -> None:
        """The client wants the end of the session, or is gone: watch that the session thread comes back to see it."""
        if not self._is_over:
            self._server.post(self._watch(self._end_patience_s, self._end_for_the_session).set)

    def session_ends(self) -> None:
        """Watch that the session thread gets through its last calls, after which it calls `stand_down`."""
        self._watch(self._end_patience_s, self._end_for_the_session)

    def stand_down(self) -> None:
        """The session thread has ended properly: nobody looks into its inbox any more."""
        self._is_over = True
        if self._stall_notice is not None:
            self._stall_notice.end()
        for back in self._waited_for:
            back.set()

    def _tell(self, text: str) -> None:
        self._server.send_event("output", OutputEventBody(category="important", output=text + "\n"))

    def _watch(self, patience_s: float, give_up: Callable[[], None]) -> threading.Event:
        """Call `give_up` on a thread of its own unless the event is set in time; `stand_down` sets it too."""
        back = threading.Event()
        self._waited_for.append(back)
        if self._is_over:
            back.set()

        def watch() -> None:
            if not back.wait(patience_s):
                give_up()

        threading.Thread(target=watch, name="watchdog", daemon=True).start()
        return back

    def _end_for_the_session(self) -> None:
        _log.error("the session thread does not return from a call, and the session should end")
        self._answer_requests("The runtime does not respond; the session ends anyway.")
        self._leave(1)

    def _speak_for_the_session(self) -> None:
        _log.warning("the session thread does not return from a call about a process that has ended")
        self._answer_requests()
        if self._exit_code is not None:
            self._server.send_event("exited", ExitedEventBody(exit_code=self._exit_code))
        self._server.send_event("terminated", {})
        deadline = time.monotonic() + self._linger_s
        while time.monotonic() < deadline and not self._server.interrupts.client_gone:
            if self._answer_requests():
                self._leave(0)
                return
            time.sleep(_POLL_S)
        self._leave(1)

    def _answer_requests(self, reason: str = "The program ended during the request.") -> bool:
        """Answer all that wait; True when one was `disconnect`. `reason` is the error of the others."""
        is_disconnected = False
        for request in self._server.interrupts.open_requests():
            if request.command == "disconnect":
                request.respond()
                is_disconnected = True
            else:
                request.fail(DebuggeeGoneError(reason))
        return is_disconnected
