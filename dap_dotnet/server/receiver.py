"""What the reader hands on: requests into the inbox, the client's responses to whom they are for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dap_dotnet.errors import ProtocolError
from dap_dotnet.protocol.codec import MalformedMessage
from dap_dotnet.protocol.messages.base import Request
from dap_dotnet.server.arguments import parse_arguments
from dap_dotnet.server.inbox import Inbox
from dap_dotnet.server.interrupts import Interrupts
from dap_dotnet.server.requests import PendingRequest, error_response
from dap_dotnet.server.reverse import ReverseRequests

if TYPE_CHECKING:
    from dap_dotnet.protocol.messages.lifecycle import CancelArguments


class Receiver:
    """Implements `protocol.transport.MessageSink`. On the reader's thread."""

    def __init__(
        self,
        inbox: Inbox,
        interrupts: Interrupts,
        reverse: ReverseRequests,
        *,
        observe: Callable[[dict[str, Any]], None],
        send: Callable[[dict[str, Any]], object],
        run: Callable[[Callable[[], None]], object],
        notify: Callable[[str], None],
        on_end: Callable[[], None],
    ) -> None:
        """`observe` sees every message first. `send` writes a response. `run` calls what follows a response, on the
        session thread, and reports errors.

        `notify` reports to the user what cannot be answered; `on_end` is called when the client closes our input.
        """
        self._inbox = inbox
        self._interrupts = interrupts
        self._reverse = reverse
        self._observe = observe
        self._send = send
        self._run = run
        self._notify = notify
        self._on_end = on_end

    def on_message(self, message: dict[str, Any]) -> None:
        """Queue a message."""
        self._observe(message)
        if str(message.get("type")).lower() == "response":
            self._inbox.put(lambda: self._reverse.answered(message))
            return
        try:
            request = parse_arguments(Request, "request", message)
        except ProtocolError as error:
            self._refuse(message, error)
            return
        if request.command == "cancel":
            self._mark_cancelled(request.arguments)
        pending = PendingRequest(request.seq, request.command, request.arguments, self._send, self._run)
        self._interrupts.opened(pending)
        self._inbox.put(pending)

    def on_malformed(self, problem: MalformedMessage) -> None:
        """Answer what can be answered."""
        if problem.request_seq is not None and problem.command is not None:
            self._send(error_response(problem.request_seq, problem.command, ProtocolError(problem.message)))
        else:
            self._notify(f"dap-dotnet received something that is not a message: {problem.message}")

    def on_end(self) -> None:
        """The client has closed our input."""
        self._on_end()

    def _refuse(self, message: dict[str, Any], error: ProtocolError) -> None:
        """Answer a message that is not a valid request, as far as its `seq` and command can be read."""
        seq, command = message.get("seq"), message.get("command")
        if isinstance(seq, int) and str(message.get("type") or "request").lower() == "request":
            named = command if isinstance(command, str) and command else "unknown"
            self._send(error_response(seq, named, error))
        else:
            self._notify(f"dap-dotnet received a message that is not a valid request. {error.message}")

    def _mark_cancelled(self, arguments: Any) -> None:
        wanted = cancel_arguments(arguments)
        if wanted.request_id is not None:
            self._interrupts.cancel_request(wanted.request_id)
        if wanted.progress_id is not None:
            self._interrupts.cancel_progress(wanted.progress_id)


def cancel_arguments(arguments: Any) -> CancelArguments:
    """Of the request `cancel`, which is never refused: what cannot be understood names nothing. Any thread."""
    from dap_dotnet.protocol.messages.lifecycle import CancelArguments

    return parse_arguments(CancelArguments, "cancel", arguments)
