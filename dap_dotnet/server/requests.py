"""A request on its way to its one response."""

from __future__ import annotations

import enum
import logging
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import BaseModel

from dap_dotnet.errors import (
    DapDotnetError,
    EvaluationError,
    InternalError,
    NotStoppedError,
    RuntimeCallError,
    UserError,
)
from dap_dotnet.protocol.bulk import BulkModel
from dap_dotnet.protocol.messages.base import CANCELLED, NOT_STOPPED, ErrorResponseBody, Message, Response

_log = logging.getLogger(__name__)
Body = BaseModel | BulkModel | Mapping[str, Any] | None
"""What responses and events carry."""


class Deferred(enum.Enum):
    """See `DEFERRED`."""

    DEFERRED = "deferred"


DEFERRED: Final = Deferred.DEFERRED
"""Returned by a handler that has taken `Server.current_request` and answers it later."""


class RequestCancelledError(UserError):
    """The client cancelled the request. Raised by a handler that saw `PendingRequest.is_cancelled`."""

    code = "CANCELLED"
    show_user = False

    def __init__(self, message: str = "The request was cancelled.") -> None:
        super().__init__(message)


class PendingRequest:
    """A request that has no response yet.

    Thread rule: `respond`, `fail`, `after_response` and `on_cancel` on the session thread; `is_cancelled` and
    `is_answered` on any.
    """

    def __init__(
        self,
        seq: int,
        command: str,
        arguments: Any,
        send: Callable[[dict[str, Any]], object],
        run: Callable[[Callable[[], None]], object],
    ) -> None:
        """`send` writes a response; `run` calls what follows it and reports what that raises."""
        self.seq = seq
        self.command = command
        self.arguments = arguments
        """As received, until the handler's model reads them and mends them in place."""
        self.received_at = time.monotonic()
        self.on_cancel: Callable[[], None] | None = None
        """For a deferred request: called when the client cancels it. It may answer, or leave things as they are."""
        self._send = send
        self._run = run
        self._lock = threading.Lock()
        self._answered = False
        self._cancelled = False
        self._followers: list[Callable[[], None]] = []

    @property
    def is_answered(self) -> bool:
        """Whether the response was sent."""
        return self._answered

    @property
    def is_cancelled(self) -> bool:
        """Whether the client has asked to cancel it. The response is still owed."""
        return self._cancelled

    def mark_cancelled(self) -> None:
        """Note that the client does not want the answer. Any thread."""
        self._cancelled = True

    def after_response(self, action: Callable[[], None]) -> None:
        """Run `action` right after the response was written, unless it was an error."""
        self._followers.append(action)

    def respond(self, body: Body = None) -> None:
        """Send the response. Raises `InternalError` if the request was answered before."""
        wire = self._wire(body)
        self._answer()
        try:
            self._send(wire)
        except (ValueError, TypeError) as error:
            _log.exception("the response to %s cannot be written", self.command)
            self._send_error(InternalError(f"The response to '{self.command}' cannot be written: {error}."))
            return
        for action in self._followers:
            self._run(action)

    def _wire(self, body: Body) -> dict[str, Any]:
        if not isinstance(body, BulkModel):
            return Response(seq=0, request_seq=self.seq, success=True, command=self.command, body=body).to_wire()
        head = {"seq": 0, "type": "response", "request_seq": self.seq, "success": True, "command": self.command}
        return {**head, "body": body}

    def fail(self, error: DapDotnetError) -> None:
        """Send an error response. Raises `InternalError` if the request was answered before."""
        self._answer()
        self._send_error(error)

    def _answer(self) -> None:
        with self._lock:
            if self._answered:
                raise InternalError(f"The request '{self.command}' (seq {self.seq}) was answered twice.")
            self._answered = True

    def _send_error(self, error: DapDotnetError) -> None:
        self._send(error_response(self.seq, self.command, error))


def error_response(request_seq: int, command: str, error: DapDotnetError) -> dict[str, Any]:
    """The failed response for `error`, without its `seq`."""
    variables = {"code": error.code}
    if isinstance(error, RuntimeCallError):
        variables["hresult"] = error.hresult_name
    if isinstance(error, EvaluationError) and error.line is not None and error.column is not None:
        # Not "line": a client puts them in where the format has `{line}`, which a user's text may.
        variables |= {"errorLine": str(error.line), "errorColumn": str(error.column)}
    message = Message(
        id=zlib.crc32(error.code.encode()) & 0x7FFFFFFF,  # stable for each code
        format=error.told,
        variables=variables,
        show_user=error.show_user,
    )
    return Response(
        seq=0,
        request_seq=request_seq,
        success=False,
        command=command,
        message=_short(error),
        body=ErrorResponseBody(error=message),
    ).to_wire()


def _short(error: DapDotnetError) -> str:
    """`message` of a failed response: the protocol's word where it has one, else the first line."""
    if isinstance(error, RequestCancelledError):
        return CANCELLED
    if isinstance(error, NotStoppedError):
        return NOT_STOPPED
    return error.told.partition("\n")[0]
