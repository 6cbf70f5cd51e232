"""Requests from the adapter to the client."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dap_dotnet.errors import ProtocolError
from dap_dotnet.protocol.messages.base import Response
from dap_dotnet.server.arguments import parse_arguments
from dap_dotnet.server.timers import Timer

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReverseResponse:
    """What the client answered. `timed_out`: nothing, in the time it had; then `success` is False."""

    success: bool
    message: str = ""
    body: Mapping[str, Any] | None = None
    timed_out: bool = False


OnResponse = Callable[[ReverseResponse], None]


class ReverseRequests:
    """The requests that the client has not answered yet. Session thread only."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[OnResponse, Timer]] = {}

    def sent(self, seq: int, on_response: OnResponse, deadline: Timer) -> None:
        """A request went out; `deadline` is the timer that will call `timed_out`."""
        self._waiting[seq] = on_response, deadline

    def answered(self, message: dict[str, Any]) -> None:
        """A response came in. Late and unknown ones are ignored."""
        try:
            response = parse_arguments(Response, "response", message)
        except ProtocolError as error:
            _log.warning("malformed response from the client: %s", error)
            return
        on_response, deadline = self._waiting.pop(response.request_seq, (None, None))
        if on_response is None or deadline is None:
            _log.warning("response to a request that was never sent: %s", message)
            return
        deadline.cancel()
        body = response.body if isinstance(response.body, dict) else None
        on_response(ReverseResponse(response.success, response.message or "", body))

    def timed_out(self, seq: int) -> None:
        """The deadline of a request passed."""
        on_response, _ = self._waiting.pop(seq, (None, None))
        if on_response is not None:
            on_response(ReverseResponse(False, "The client did not answer.", timed_out=True))
