"""The one queue between the threads that have news and the session thread that acts on them."""

from __future__ import annotations

import queue
from collections.abc import Callable

from dap_dotnet.server.requests import PendingRequest

Call = Callable[[], None]


class Inbox:
    """First in, first out, over requests and calls. `put` on any thread, `take` on the session thread."""

    def __init__(self) -> None:
        # Its `put` is reentrant: a signal handler may interrupt a `take`, or another `put`.
        self._items: queue.SimpleQueue[PendingRequest | Call] = queue.SimpleQueue()

    def put(self, item: PendingRequest | Call) -> None:
        """Queue a request, or something to be called on the session thread."""
        self._items.put(item)

    def take(self, timeout_s: float | None) -> PendingRequest | Call | None:
        """The oldest item; None when none came in time. A timeout of None waits forever."""
        try:
            return self._items.get_nowait() if timeout_s == 0 else self._items.get(timeout=timeout_s)
        except queue.Empty:
            return None
