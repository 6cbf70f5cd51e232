"""The messages of the protocol, and how long requests take, as lines in the client's own console.

What `logging.engineLogging` and `logging.elapsedTiming` ask for. The log (`--log FILE`) has every message without it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from dap_dotnet.protocol.codec import plain
from dap_dotnet.protocol.transport import without_secrets
from dap_dotnet.server.requests import PendingRequest

_MAX_CHARACTERS = 8192
"""Of a message; a larger one is cut, for the console of an editor is no file."""


class ProtocolTrace:
    """Thread rule: `received` on the reader's thread, `sent` on any, the others on the session thread."""

    def __init__(self, show: Callable[[str], None], post: Callable[[Callable[[], None]], None]) -> None:
        """`show` sends the client a line, on any thread; `post` calls something on the session thread, in order."""
        self._show = show
        self._post = post
        self._has_messages = False
        self._has_times = False
        self._began: dict[int, float] = {}
        """`seq` of each request that is open -> when it came."""

    def begin(self, *, messages: bool, times: bool, request: PendingRequest) -> None:
        """Show messages, or the times that requests take, or both, or neither, from now on.

        `request` is the one that asks for it.
        """
        self._has_messages = messages
        self._has_times = times
        self._began = {request.seq: request.received_at} if times else {}

    def received(self, message: Mapping[str, Any]) -> None:
        """The client has sent a message. Shown in its turn: this thread must not wait for a client that writes."""
        seq = message.get("seq")
        if self._has_times and isinstance(seq, int):
            self._began[seq] = time.monotonic()
        if self._has_messages:
            text = _text("<-", message)
            self._post(lambda: self._show(text))

    def sent(self, message: Mapping[str, Any]) -> None:
        """The client has been sent a message. Text for its console is not shown once more."""
        if message.get("event") == "output":
            return
        if self._has_messages:
            self._show(_text("->", message))
        if self._has_times and message.get("type") == "response":
            began = self._began.pop(message["request_seq"], None)
            if began is not None:
                took_ms = (time.monotonic() - began) * 1000
                self._show(f"'{message['command']}' took {took_ms:.1f} ms")


def _text(direction: str, message: Mapping[str, Any]) -> str:
    text = without_secrets(json.dumps(message, ensure_ascii=False, default=plain))
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[:_MAX_CHARACTERS]}… ({len(text)} characters)"
    return f"{direction} {text}"
