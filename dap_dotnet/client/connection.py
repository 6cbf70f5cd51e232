"""Requests, responses and events between a client and an adapter, regardless of their meaning."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from dap_dotnet.client.adapter import AdapterProcess
from dap_dotnet.client.errors import AdapterGoneError, ClientError, DapRequestError, DapTimeoutError
from dap_dotnet.protocol.codec import MalformedMessage
from dap_dotnet.protocol.messages.base import ErrorResponseBody, WireModel
from dap_dotnet.protocol.messages.base import Message as ErrorMessage
from dap_dotnet.protocol.transport import ByteReader, ByteWriter, MessageReader, MessageWriter

if TYPE_CHECKING:
    from typing_extensions import Self

Message = dict[str, Any]
Arguments = Mapping[str, Any] | WireModel | None
"""Of a request: a model of the protocol, or its members by their wire names."""
ReverseHandler = Callable[[Message], "Message | None"]
"""Takes the arguments of a request from the adapter and returns the response's body, or raises `ClientError`."""


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """A message that passed, in either direction. `time_s` is `time.monotonic` then."""

    sender: Literal["client", "adapter"]
    message: Message
    time_s: float


@dataclass(frozen=True, slots=True)
class DapEvent:
    """An event of the adapter."""

    event: str
    body: Message
    seq: int


@dataclass(slots=True)
class PendingResponse:
    """A request that was sent. `result` waits for its response."""

    seq: int
    command: str
    _connection: Connection
    _response: Message | None = field(default=None)

    @property
    def is_answered(self) -> bool:
        """Whether the response is there."""
        return self._response is not None

    def result(self, timeout_s: float | None = None) -> Message:
        """The response's body, empty if it has none.

        Raises `DapRequestError` when the adapter refused, `DapTimeoutError`, `AdapterGoneError`.
        """
        self._connection.wait_until(lambda: self.is_answered, f"the response to {self.command!r}", timeout_s)
        assert self._response is not None
        if not self._response.get("success"):
            raise DapRequestError(self.command, self._response)
        return self._response.get("body") or {}

    def answered(self, response: Message) -> None:
        """The response came in. For the connection only."""
        self._response = response


class Connection:
    """A connection to an adapter; a context manager that ends the adapter in any case.

    Requests may be sent and awaited on several threads; waiting for events is for one thread at a time. A deadline in
    seconds is None for the connection's own default.
    """

    def __init__(
        self,
        reader: ByteReader,
        writer: ByteWriter,
        *,
        timeout_s: float = 30.0,
        on_message: Callable[[RecordedMessage], None] | None = None,
        reverse_handlers: Mapping[str, ReverseHandler] | None = None,
        beside: Connection | None = None,
    ) -> None:
        """`on_message` sees each message, the adapter's on another thread; what it raises is raised by the next wait.

        `reverse_handlers` answer requests of the adapter, by command, on another thread; others are refused. What
        happens here lets waits of the connection `beside` ask their conditions, too.
        """
        self.timeout_s = timeout_s
        self.messages: list[RecordedMessage] = []
        self.process: AdapterProcess | None = None
        self._on_message = on_message
        self._reverse_handlers = dict(reverse_handlers or {})
        self._changed: threading.Condition = threading.Condition() if beside is None else beside._changed
        self._events: list[DapEvent] = []
        self._pending: dict[int, PendingResponse] = {}
        self._ended = False
        self._failure: BaseException | None = None
        self._writer = MessageWriter(writer, lambda: None)
        self._send_lock = threading.Lock()
        self._reader = MessageReader(reader, _Sink(self), name="client-reader", max_values=None)
        self._reader.start()

    @classmethod
    def spawn(
        cls, command: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None, **options: Any
    ) -> Self:
        """Start an adapter and connect to it. `options` are those of the constructor. Raises `OSError`."""
        process = AdapterProcess(command, cwd=cwd, env=env)
        connection = cls(process.reader, process.writer, **options)
        connection.process = process
        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        if error is None and self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """End the adapter if it was spawned here, by force if need be. Idempotent."""
        if self.process is not None:
            self.process.end()
            self._reader.join(1.0)

    # requests

    def answers(self, command: str) -> bool:
        """Whether there is a handler for this request of the adapter."""
        return command in self._reverse_handlers

    def send(self, command: str, arguments: Arguments = None) -> PendingResponse:
        """Send a request and do not wait."""
        message: Message = {"seq": 0, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments.to_wire() if isinstance(arguments, WireModel) else dict(arguments)
        return self.send_message(message)

    def cancel_pending(self) -> None:
        """Ask the adapter to give up what it has not answered yet. Those answers come all the same."""
        with self._changed:
            waiting = list(self._pending)
        sent = [self.send("cancel", {"requestId": seq}) for seq in waiting]
        for one in sent:  # only now: the adapter takes them in order, behind what is to be given up
            one.result()

    def send_message(self, message: Message) -> PendingResponse:
        """Send any message; `seq` is set. For tests of what adapters do with bad ones."""
        with self._send_lock:
            # Registered before it is sent: the answer may come before `send` returns.
            pending = PendingResponse(self._writer.next_seq, str(message.get("command")), self)
            message["seq"] = pending.seq
            with self._changed:
                self._pending[pending.seq] = pending
            self._record("client", message)
            self._writer.send(message)
        return pending

    def request(self, command: str, arguments: Arguments = None, *, timeout_s: float | None = None) -> Message:
        """Send a request and return the body of its response. Raises as `PendingResponse.result` does."""
        return self.send(command, arguments).result(timeout_s)

    # events

    def wait_for(
        self,
        event: str | Collection[str],
        *,
        where: Callable[[Message], bool] | None = None,
        timeout_s: float | None = None,
    ) -> DapEvent:
        """Take the oldest event of that name (or one of those names; none: any) whose body is wanted.

        Each event is taken once; those that are passed over stay for later calls. Raises `DapTimeoutError`,
        `AdapterGoneError`.
        """
        names = {event} if isinstance(event, str) else set(event)
        found: list[DapEvent] = []

        def take() -> bool:
            for index, known in enumerate(self._events):
                if (not names or known.event in names) and (where is None or where(known.body)):
                    found.append(self._events.pop(index))
                    return True
            return False

        self.wait_until(take, f"the event {' or '.join(sorted(names)) or 'of any name'}", timeout_s)
        return found[0]

    def next_event(self, *, timeout_s: float | None = None) -> DapEvent:
        """Take the oldest event."""
        return self.wait_for((), timeout_s=timeout_s)

    def next_event_before(self, answer: PendingResponse, event: str, timeout_s: float | None = None) -> DapEvent | None:
        """Take the oldest event if it has that name and is there before the answer; None: the answer came.

        An event of another name, and those after it, are left for later. Raises `DapTimeoutError`, `AdapterGoneError`.
        """
        found: list[DapEvent] = []

        def take() -> bool:
            if self._events and self._events[0].event == event:
                found.append(self._events.pop(0))
            return bool(found) or answer.is_answered

        self.wait_until(take, f"the response to {answer.command!r}", timeout_s)
        return found[0] if found else None

    def events(self, name: str) -> list[Message]:
        """The bodies of all events of that name so far, whether taken or not."""
        return [
            recorded.message.get("body") or {}
            for recorded in tuple(self.messages)
            if recorded.sender == "adapter" and recorded.message.get("event") == name
        ]

    @property
    def has_news(self) -> bool:
        """Whether `next_event` would return, or raise, at once. For a condition of `wait_until`."""
        return bool(self._events) or self._ended or self._failure is not None

    def stir(self) -> None:
        """Let waits ask their conditions again. Any thread."""
        with self._changed:
            self._changed.notify_all()

    def wait_until(self, condition: Callable[[], bool], what: str, timeout_s: float | None = None) -> None:
        """Wait until `condition()` holds; it is asked after each message. `what` names it in errors.

        Raises `DapTimeoutError`, `AdapterGoneError`, and what `on_message` has raised.
        """
        timeout_s = self.timeout_s if timeout_s is None else timeout_s
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while True:
                if self._failure is not None:
                    failure, self._failure = self._failure, None
                    raise failure
                if condition():
                    return
                if self._ended:
                    break
                left = deadline - time.monotonic()
                if left <= 0:
                    raise DapTimeoutError(f"{what} did not arrive within {timeout_s:g} s.\n{self.describe()}")
                self._changed.wait(min(left, threading.TIMEOUT_MAX))
        code = self.process.wait(1.0) if self.process is not None else None
        ending = "closed the connection" if code is None else f"ended with exit code {code}"
        raise AdapterGoneError(f"The adapter {ending} before {what} arrived.\n{self.describe()}")

    def interrupt(self, error: BaseException) -> None:
        """Let the current wait, or the next one, raise `error`; no effect while another is to be raised. Any thread."""
        self.ended(error)

    def withdraw_interrupt(self, error: BaseException) -> bool:
        """Take it back; False when it has been raised, or was without effect. Any thread."""
        with self._changed:
            is_waiting = self._failure is error
            if is_waiting:
                self._failure = None
            return is_waiting

    def describe(self, count: int = 10) -> str:
        """The last messages and the adapter's error output, for error texts."""
        lines = [f"The last of {len(self.messages)} messages:"]
        for recorded in self.messages[-count:]:
            text = json.dumps(recorded.message, ensure_ascii=True)
            lines.append(f"  {'->' if recorded.sender == 'client' else '<-'} {text[:400]}")
        if self.process is not None and self.process.error_output:
            lines.append("Error output of the adapter:")
            lines += [f"  {line}" for line in self.process.error_output.splitlines()[-20:]]
        return "\n".join(lines)

    # on the reader's thread

    def received(self, message: Message) -> None:
        """A message came in. For the reader only."""
        self._record("adapter", message)
        kind = message.get("type")
        if kind == "request":
            self._answer(message)
            return
        with self._changed:
            if kind == "event":
                body = message.get("body")
                seq = message.get("seq")
                self._events.append(
                    DapEvent(
                        str(message.get("event")),
                        body if isinstance(body, dict) else {},
                        seq if isinstance(seq, int) else 0,
                    )
                )
            elif kind == "response":
                pending = self._pending.pop(int(message.get("request_seq") or 0), None)
                if pending is not None:
                    pending.answered(message)
            self._changed.notify_all()

    def ended(self, failure: BaseException | None = None) -> None:
        """Nothing more will come, or (with `failure`) something came that is not a message. For the reader only."""
        with self._changed:
            if failure is None:
                self._ended = True
            else:
                self._failure = self._failure or failure
            self._changed.notify_all()

    def _answer(self, request: Message) -> None:
        response: Message = {
            "seq": 0,
            "type": "response",
            "request_seq": request.get("seq"),
            "command": request.get("command"),
            "success": True,
        }
        handler = self._reverse_handlers.get(str(request.get("command")))
        try:
            if handler is None:
                raise ClientError(f"This client does not handle {request.get('command')!r}.")
            body = handler(request.get("arguments") or {})
            if body is not None:
                response["body"] = body
        except ClientError as error:
            failed = ErrorResponseBody(error=ErrorMessage(id=1, format=str(error), show_user=False))
            response.update(success=False, message=str(error), body=failed.to_wire())
        with self._send_lock:
            response["seq"] = self._writer.next_seq
            self._record("client", response)
            self._writer.send(response)

    def _record(self, sender: Literal["client", "adapter"], message: Message) -> None:
        recorded = RecordedMessage(sender, message, time.monotonic())
        self.messages.append(recorded)
        if self._on_message is not None:
            try:
                self._on_message(recorded)
            except Exception as error:
                self.ended(error)


class _Sink:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def on_message(self, message: Message) -> None:
        self._connection.received(message)

    def on_malformed(self, problem: MalformedMessage) -> None:
        self._connection.ended(ClientError(f"The adapter sent something that is not a message: {problem.message}"))

    def on_end(self) -> None:
        self._connection.ended()
