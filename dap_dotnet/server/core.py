"""The server itself: one inbox, one consumer."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from pydantic import ValidationError

from dap_dotnet.errors import DapDotnetError, InternalError, NoSessionError, ProtocolError
from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.codec import MalformedMessage
from dap_dotnet.protocol.messages.base import Event, Request
from dap_dotnet.protocol.messages.initialize import Capabilities, InitializeRequestArguments
from dap_dotnet.protocol.transport import ByteReader, ByteWriter, MessageReader, MessageWriter
from dap_dotnet.server.arguments import describe_invalid_arguments, parse_arguments
from dap_dotnet.server.handlers import HandlerSpec, HandlerTable
from dap_dotnet.server.inbox import Inbox
from dap_dotnet.server.interrupts import Interrupts
from dap_dotnet.server.requests import Body, Deferred, PendingRequest, RequestCancelledError, error_response
from dap_dotnet.server.reverse import OnResponse, ReverseRequests
from dap_dotnet.server.timers import Timer, Timers

if TYPE_CHECKING:
    from dap_dotnet.protocol.messages.lifecycle import CancelArguments

_log = logging.getLogger(__name__)


class ServedSession(Protocol):
    """What the server asks of a session."""

    def on_disconnect(self) -> None:
        """The server ends; whatever is still to be ended or detached must be so when this returns.

        Called exactly once for a session that was opened, on the session thread, whether the client has sent
        `disconnect` or is simply gone. Events may still be sent; they are dropped when nobody listens.
        """


S = TypeVar("S", bound=ServedSession)


class Server(Generic[S]):
    """Serves one client for one session.

    Thread rule: `post`, `send_event` and `end` on any thread, `interrupts` as it says; all else on the session
    thread, which is the one that calls `run`.
    """

    def __init__(
        self, reader: ByteReader, writer: ByteWriter, handlers: Mapping[str, HandlerSpec], *, linger_s: float = 3.0
    ) -> None:
        """`linger_s`: how long after a `terminated` event to wait for the client's next request before ending."""
        self.interrupts = Interrupts()
        self.client = ClientView()
        """The client's conventions: the protocol's defaults, then what `initialize` says."""
        self._inbox = Inbox()
        self._timers = Timers()
        self._reverse = ReverseRequests()
        self._handlers = HandlerTable(handlers)
        self._writer = MessageWriter(writer, self._on_client_gone)
        self._reader = MessageReader(reader, self)
        self._linger_s = linger_s
        self._linger: Timer | None = None
        self._initialized = False
        self._notices: list[str] = []
        self._is_ending = False
        self._terminated_lock = threading.Lock()
        self._is_terminated = False
        self._current: PendingRequest | None = None
        self._session: S | None = None

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

    def post(self, action: Callable[[], None]) -> None:
        """Call `action` on the session thread, after what already waits there. Any thread, also signal handlers."""
        self._inbox.put_call(action)

    def call_later(self, delay_s: float, action: Callable[[], None]) -> Timer:
        """Call `action` on the session thread once `delay_s` have passed."""
        return self._timers.add(delay_s, action)

    def pump(self, until: Callable[[], bool], timeout_s: float) -> bool:
        """Run posted calls and timers, while requests wait, until `until()` holds or the time is over.

        For a handler that needs the program to run, such as a function evaluation. Returns `until()`, which is asked
        after each call and whenever a request comes in, so that it may look at `interrupts`.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            seen = self._inbox.arrivals  # before `until`: what comes after it must not be slept through
            if until():
                return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            due = self._timers.next_delay_s()
            call = self._inbox.take_call(left if due is None else min(left, due), seen)
            self._run(call or self._timers.take_due())

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
        self._writer.send(Event(seq=0, event=event, body=body).to_wire())
        if event == "terminated":
            self.post(self._start_lingering)

    def notify(self, text: str, *, category: str = "console") -> None:
        """Tell the user something, as an output event; before `initialize` is answered it is held back. Any thread."""
        self.post(lambda: self._notify(text, category))

    def send_request(self, command: str, arguments: Body, on_response: OnResponse, *, timeout_s: float) -> None:
        """Ask the client. `on_response` is called on the session thread, exactly once unless the session ends."""
        seq = self._writer.send(Request(seq=0, command=command, arguments=arguments).to_wire())
        deadline = self._timers.add(timeout_s, lambda: self._reverse.timed_out(seq))
        self._reverse.sent(seq, on_response, deadline)

    def end(self) -> None:
        """End after what is running now. Any thread, also signal handlers."""
        self._is_ending = True
        self.post(_nothing)

    def run(self, open_session: Callable[[], S]) -> None:
        """Serve until the client is gone, `end` is called, or nothing follows a `terminated` event.

        `open_session` is called once, on this thread: for the first request after `initialize`, or as soon as that is
        answered and nothing else is to be done. Importing the debugger takes longer than answering `initialize`.
        """
        self._reader.start()
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

    # for the reader; on its thread

    def on_message(self, message: dict[str, Any]) -> None:
        """Queue a message."""
        kind = message.get("type")
        if kind == "response":
            self.post(lambda: self._reverse.answered(message))
            return
        try:
            request = Request.model_validate(message)
        except ValidationError as error:
            self._refuse(message, describe_invalid_arguments("request", error))
            return
        pending = PendingRequest(request.seq, request.command, request.arguments, self._send_response, self._run)
        if request.command == "cancel":
            self._mark_cancelled(request.arguments)
        self.interrupts.opened(pending)
        self._inbox.put_request(pending)

    def on_malformed(self, problem: MalformedMessage) -> None:
        """Answer what can be answered."""
        if problem.request_seq is not None and problem.command is not None:
            self._writer.send(error_response(problem.request_seq, problem.command, ProtocolError(problem.message)))
        else:
            self.notify(f"dap-dotnet received something that is not a message: {problem.message}", category="important")

    def on_end(self) -> None:
        """The client has closed our input."""
        self._on_client_gone()

    # the session thread's loop

    def _step(self, open_session: Callable[[], S]) -> None:
        timeout_s = self._timers.next_delay_s()
        more_to_prepare = self._initialized and (self._session is None or self._handlers.has_unprepared)
        item = self._inbox.take(0 if more_to_prepare else timeout_s)
        if isinstance(item, PendingRequest):
            self._handle(item, open_session)
        elif item is not None:
            self._run(item)
        elif (due := self._timers.take_due()) is not None:
            self._run(due)
        elif self._initialized and self._session is None:
            self._opened(open_session)
        elif more_to_prepare:
            self._run(self._handlers.prepare_next)

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
        handler = self._handlers.get(command)
        if handler is None:
            raise ProtocolError(f"dap-dotnet does not support the request '{command}'.", code="UNKNOWN_REQUEST")
        arguments = handler.parse(request.arguments)
        return handler.call(self._opened(open_session), arguments)

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
        request.fail(error)

    # details

    def _on_initialized(self) -> None:
        self._initialized = True
        notices, self._notices = self._notices, []
        for text in notices:
            self._notify(text, "important")
        self.send_event("initialized")

    def _notify(self, text: str, category: str) -> None:
        if self._initialized:
            from dap_dotnet.protocol.messages.events import OutputEventBody

            self.send_event("output", OutputEventBody(category=category, output=text + "\n"))
        else:
            self._notices.append(text)

    def _send_response(self, message: dict[str, Any]) -> None:
        self._writer.send(message)

    def _refuse(self, message: dict[str, Any], text: str) -> None:
        """Answer a message that is not a valid request, as far as its `seq` and command can be read."""
        seq, command = message.get("seq"), message.get("command")
        if isinstance(seq, int) and message.get("type") in (None, "request"):
            self._writer.send(error_response(seq, str(command or "unknown"), ProtocolError(text)))
        else:
            self.notify(f"dap-dotnet received a message that is not a valid request. {text}", category="important")

    def _mark_cancelled(self, arguments: Any) -> None:
        wanted = _cancel_arguments(arguments)
        if wanted.request_id is not None:
            self.interrupts.cancel_request(wanted.request_id)
        if wanted.progress_id is not None:
            self.interrupts.cancel_progress(wanted.progress_id)

    def _cancel(self, arguments: Any) -> None:
        """The `cancel` request: what waited in the inbox has been refused by now; a deferred one learns of it here."""
        request_id = _cancel_arguments(arguments).request_id
        request = self.interrupts.cancel_request(request_id) if request_id is not None else None
        if request is not None and request.on_cancel is not None:
            self._run(request.on_cancel)

    def _on_client_gone(self) -> None:
        self.interrupts.mark_client_gone()
        self._inbox.put_last(
            self.end
        )  # after a `disconnect` that is still queued, which says what is to become of the program

    def _start_lingering(self) -> None:
        if self._linger is not None:
            self._linger.cancel()
        self._linger = self._timers.add(self._linger_s, self.end)


def _cancel_arguments(arguments: Any) -> CancelArguments:
    """Of the request `cancel`, which is never refused: what cannot be understood names nothing. Any thread."""
    from dap_dotnet.protocol.messages.lifecycle import CancelArguments

    try:
        return parse_arguments(CancelArguments, "cancel", arguments)
    except ProtocolError:
        return CancelArguments()


def _nothing() -> None:
    """Wakes the loop."""
