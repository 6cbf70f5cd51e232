"""The server itself: one inbox, one consumer."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from dap_dotnet.errors import DapDotnetError, InternalError, NoSessionError, ProtocolError, UserError
from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.messages.base import Event, Request
from dap_dotnet.protocol.messages.initialize import Capabilities, InitializeRequestArguments
from dap_dotnet.protocol.transport import ByteReader, ByteWriter, MessageReader, MessageWriter
from dap_dotnet.server.admission import ADMISSION_DEADLINE_S, Admission
from dap_dotnet.server.arguments import parse_arguments
from dap_dotnet.server.handlers import HandlerSpec, HandlerTable
from dap_dotnet.server.inbox import Inbox
from dap_dotnet.server.interrupts import Interrupts
from dap_dotnet.server.receiver import Receiver, cancel_arguments
from dap_dotnet.server.requests import Body, Deferred, PendingRequest, RequestCancelledError
from dap_dotnet.server.reverse import OnResponse, ReverseRequests
from dap_dotnet.server.timers import Timer, Timers

if TYPE_CHECKING:
    from dap_dotnet.server.trace import ProtocolTrace

_log = logging.getLogger(__name__)


class ServedSession(Protocol):
    """What the server asks of a session."""

    @property
    def shown(self) -> object:
        """What handlers that only read get in its place: itself, or a moment of its past."""

    def on_disconnect(self) -> None:
        """The server ends; whatever is still to be ended or detached must be so when this returns.

        Called exactly once for a session that was opened and not replaced, on the session thread, whether the client
        has sent `disconnect` or is simply gone. Events may still be sent; they are dropped when nobody listens.
        """


S = TypeVar("S", bound=ServedSession)
MAX_REQUEST_SIZE = 16 * 1024 * 1024
"""Bytes of the largest message that a client may send; parsed, it may take twenty times as many."""
_LAST_WORDS_S = 1.0
"""How long a client that does not read may keep a server from ending that is told to."""
_MAX_NOTICES = 100
"""Complaints that are kept for a client which does not say `initialize`."""


class Server(Generic[S]):
    """Serves one client for one session.

    Thread rule: `post`, `send_event` and `end` on any thread, `interrupts` as it says; all else on the session
    thread, which is the one that calls `run`.
    """

    def __init__(
        self,
        reader: ByteReader,
        writer: ByteWriter,
        handlers: Mapping[str, HandlerSpec],
        *,
        usual: Sequence[str] = (),
        when_prepared: Callable[[], None] | None = None,
        linger_s: float = 60.0,
        token: str | None = None,
    ) -> None:
        """`linger_s`: how long after a `terminated` event to wait for the client's next request before ending.

        With a `token` only a client that knows it is served (`Admission`): `initialized`, at which clients send their
        breakpoints, waits for it.

        The handlers of the `usual` commands are imported while nothing else is to be done, and when that is complete
        `when_prepared` is called once.
        """
        self.interrupts = Interrupts()
        self.client = ClientView()
        """The client's conventions: the protocol's defaults, then what `initialize` says."""
        self._inbox = Inbox()
        self._timers = Timers()
        self._reverse = ReverseRequests()
        self._handlers = HandlerTable(handlers, usual)
        self._writer = MessageWriter(writer, self._on_client_gone)
        receiver = Receiver(
            self._inbox,
            self.interrupts,
            self._reverse,
            observe=self._observe,
            send=self._send,
            run=self._run,
            notify=lambda text: self.notify(text, category="important"),
            on_end=self._on_client_gone,
        )
        self._reader = MessageReader(reader, receiver, max_body_size=MAX_REQUEST_SIZE)
        self._linger_s = linger_s
        self._linger: Timer | None = None
        self._initialized = False
        self._notices: list[str] = []
        self._is_ending = False
        self._terminated_lock = threading.Lock()
        self._is_terminated = False
        self._current: PendingRequest | None = None
        self._session: S | None = None
        self._when_prepared = when_prepared
        self._trace: ProtocolTrace | None = None
        self._admission = Admission(token) if token is not None else None

    # for the session

    @property
    def current_request(self) -> PendingRequest:
        """The request whose handler runs. Raises `InternalError` outside of handlers."""
        if self._current is None:
            raise InternalError("No request is being handled.")
        return self._current

    def after_response(self, action: Callable[[], None]) -> None:
        """Run `action` right after the current request's response was written, unless it is an error."""
        self.current_request.after_response(action)

    def replace_session(self, session: S) -> None:
        """Requests go to another session from now on; the one before has ended. Session thread."""
        self._session = session

    def post(self, action: Callable[[], None]) -> None:
        """Call `action` on the session thread, after what already waits there. Any thread, also signal handlers."""
        self._inbox.put(action)

    def call_later(self, delay_s: float, action: Callable[[], None]) -> Timer:
        """Call `action` on the session thread once `delay_s` have passed."""
        return self._timers.add(delay_s, action)

    def send_event(self, event: str, body: Body = None) -> None:
        """Send an event. Any thread. After `terminated` the server ends by itself unless the client goes on.

        `terminated` is sent once, and no `exited` after it: the watchdog sends them for a session that may come back
        after all.
        """
        if event in ("exited", "terminated"):
            with self._terminated_lock:
                if self._is_terminated:
                    return
                self._is_terminated = event == "terminated"
        self._send(Event(seq=0, event=event, body=body).to_wire())
        if event == "terminated":
            self.post(self._start_lingering)

    def notify(self, text: str, *, category: str = "console") -> None:
        """Tell the user something, as an output event; before `initialize` is answered it is held back. Any thread."""
        self.post(lambda: self._notify(text, category))

    def trace(self, request: PendingRequest, *, messages: bool, times: bool) -> None:
        """Show every message from now on in the client's console, and how long each request takes from `request` on.

        Session thread. Without either, nothing is shown any more.
        """
        if self._trace is None and (messages or times):
            from dap_dotnet.server.trace import ProtocolTrace  # rarely asked for

            self._trace = ProtocolTrace(self._show, self.post)
        if self._trace is not None:
            self._trace.begin(messages=messages, times=times, request=request)

    def send_request(self, command: str, arguments: Body, on_response: OnResponse, *, timeout_s: float) -> None:
        """Ask the client. `on_response` is called on the session thread, exactly once unless the session ends."""
        seq = self._send(Request(seq=0, command=command, arguments=arguments).to_wire())
        deadline = self._timers.add(timeout_s, lambda: self._reverse.timed_out(seq))
        self._reverse.sent(seq, on_response, deadline)

    def end(self) -> None:
        """End after what is running now. Any thread, also signal handlers."""
        self._is_ending = True
        self.post(_nothing)

    @property
    def is_over(self) -> bool:
        """Whether the client has been told of the end of its session, or has gone. Any thread."""
        return self._is_terminated or self.interrupts.client_gone

    def end_at_once(self) -> None:
        """End whatever the client wants: what runs is interrupted, what waits is refused. Any thread."""
        self._writer.expire(_LAST_WORDS_S)
        self.interrupts.mark_client_gone()
        self.end()

    def run(self, open_session: Callable[[], S]) -> None:
        """Serve until the client is gone, `end` is called, or nothing follows a `terminated` event.

        `open_session` is called once, on this thread: for the first request after `initialize`, or as soon as that is
        answered and nothing else is to be done. Importing the debugger takes longer than answering `initialize`.
        """
        self._reader.start()
        if self._admission is not None:
            self._timers.add(ADMISSION_DEADLINE_S, self._end_unless_admitted)
        try:
            while not self._is_ending:
                self._step(open_session)
        finally:
            try:
                if self._session is not None:
                    self._session.on_disconnect()
            except Exception:
                _log.exception("the session did not end cleanly")
            for request in self.interrupts.open_requests():
                request.fail(NoSessionError(f"The session ended before '{request.command}' was answered."))

    # the session thread's loop

    def _step(self, open_session: Callable[[], S]) -> None:
        timeout_s = self._timers.next_delay_s()
        is_served = self._initialized and self._is_admitted
        more_to_prepare = is_served and (self._session is None or self._handlers.has_unprepared)
        item = self._inbox.take(0 if more_to_prepare else timeout_s)
        if isinstance(item, PendingRequest):
            self._handle(item, open_session)
        elif item is not None:
            self._run(item)
        elif (due := self._timers.take_due()) is not None:
            self._run(due)
        elif is_served and self._session is None:
            self._opened(open_session)
        elif more_to_prepare:
            self._run(self._handlers.prepare_next)
            if not self._handlers.has_unprepared:
                self._run(self._when_prepared)

    def _opened(self, open_session: Callable[[], S]) -> S:
        if self._session is None:
            self._session = open_session()
        return self._session

    def _run(self, call: Callable[[], None] | None) -> None:
        if call is None:
            return
        try:
            call()
        except DapDotnetError as error:
            _log.warning("%s", error, exc_info=True)
            self._notify(error.message, "important")
        except Exception as error:
            _log.exception("a call on the session thread failed")
            self._notify(f"Internal error: {error!r}. See the log for details (--log FILE).", "important")

    def _handle(self, request: PendingRequest, open_session: Callable[[], S]) -> None:
        if self._linger is not None:
            self._start_lingering()
        self._current = request
        self.interrupts.runs(request)
        try:
            result = self._answer(request, open_session)
            if not isinstance(result, Deferred):
                request.respond(result)
        except DapDotnetError as error:
            self._fail(request, error)
        except Exception as error:
            _log.exception("the handler of %s failed", request.command)
            text = f"Internal error in '{request.command}': {error!r}. See the log for details (--log FILE)."
            self._fail(request, InternalError(text))
        finally:
            self._current = None
            self.interrupts.runs(None)

    def _answer(self, request: PendingRequest, open_session: Callable[[], S]) -> Any:
        if request.is_cancelled:
            raise RequestCancelledError
        command = request.command
        if command == "cancel":
            return self._cancel(request.arguments)
        if command == "initialize":
            return self._initialize(request.arguments)
        if command != "disconnect" and not self._initialized:
            raise ProtocolError(f"'{command}' was sent before 'initialize'. Send 'initialize' first.")
        self._admit(request)
        handler = self._handlers.get(command)
        if handler is None:
            raise ProtocolError(f"dap-dotnet does not support the request '{command}'.", code="UNKNOWN_REQUEST")
        arguments = handler.parse(request.arguments)
        session = self._opened(open_session)
        return handler.call(session.shown if handler.only_reads else session, arguments)

    def _admit(self, request: PendingRequest) -> None:
        """Raises `UserError`, after which this server ends, when a client that does not know the token asks."""
        if self._admission is None:
            return
        try:
            if self._admission.check(request.command, request.arguments):
                self.send_event("initialized")
        except UserError:
            self.end()  # one guess for a connection
            raise

    def _end_unless_admitted(self) -> None:
        if not self._is_admitted:
            _log.warning("no token arrived within %g s", ADMISSION_DEADLINE_S)
            self.end()

    @property
    def _is_admitted(self) -> bool:
        return self._admission is None or self._admission.is_granted

    def _initialize(self, arguments: Any) -> Capabilities:
        """Answer `initialize`. `initialized` follows at once: breakpoints may be set before there is a program."""
        if self._initialized:
            raise ProtocolError("'initialize' was already sent; it may be sent only once.")
        self.client = ClientView(parse_arguments(InitializeRequestArguments, "initialize", arguments))
        self.after_response(self._on_initialized)
        return self._handlers.capabilities()

    def _fail(self, request: PendingRequest, error: DapDotnetError) -> None:
        if request.is_answered:
            _log.error("after the response to %s: %s", request.command, error)
            return
        request.fail(RequestCancelledError() if request.is_cancelled else error)

    # details

    def _observe(self, message: Mapping[str, Any]) -> None:
        if self._trace is not None:
            self._trace.received(message)

    def _send(self, message: dict[str, Any]) -> int:
        seq = self._writer.send(message)
        if self._trace is not None:
            self._trace.sent(message)
        return seq

    def _show(self, text: str, category: str = "console") -> None:
        from dap_dotnet.protocol.messages.events import OutputEventBody

        self.send_event("output", OutputEventBody(category=category, output=text + "\n"))

    def _on_initialized(self) -> None:
        self._initialized = True
        notices, self._notices = self._notices, []
        for text in notices:
            self._notify(text, "important")
        if self._is_admitted:
            self.send_event("initialized")

    def _notify(self, text: str, category: str) -> None:
        if self._initialized:
            self._show(text, category)
        elif len(self._notices) < _MAX_NOTICES:  # the log has all
            self._notices.append(text)

    def _cancel(self, arguments: Any) -> None:
        """The `cancel` request: what waited in the inbox has been refused by now; a deferred one learns of it here."""
        request_id = cancel_arguments(arguments).request_id
        request = self.interrupts.cancel_request(request_id) if request_id is not None else None
        if request is not None and request.on_cancel is not None:
            self._run(request.on_cancel)

    def _on_client_gone(self) -> None:
        self.interrupts.mark_client_gone()
        # After a `disconnect` that is still queued: it says what is to become of the program.
        self._inbox.put(self.end)

    def _start_lingering(self) -> None:
        if self._linger is not None:
            self._linger.cancel()
        self._linger = self._timers.add(self._linger_s, self.end)


def _nothing() -> None:
    """Wakes the loop."""
