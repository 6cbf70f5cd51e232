"""The one queue between the threads that have news and the session thread that acts on them."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable

from dap_dotnet.server.requests import PendingRequest

Call = Callable[[], None]


class Inbox:
    """First in, first out, over requests and calls; but calls can be taken past waiting requests.

    `put` on any thread, also in a signal handler; `take` and `take_call` on the session thread.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()  # reentrant: a signal handler may interrupt a `take`
        self._numbers = itertools.count()
        self._requests: deque[tuple[int, PendingRequest | Call]] = deque()
        self._calls: deque[tuple[int, Call]] = deque()
        self._arrivals = 0

    def put_request(self, request: PendingRequest) -> None:
        """Queue a request."""
        self._put_in_order(request)

    def put_last(self, call: Call) -> None:
        """Queue something to be called after all requests that came before it; `take_call` leaves it."""
        self._put_in_order(call)

    def put_call(self, call: Call) -> None:
        """Queue something to be called on the session thread."""
        with self._changed:
            self._calls.append((next(self._numbers), call))
            self._changed.notify()

    def take(self, timeout_s: float | None) -> PendingRequest | Call | None:
        """The oldest item; None when none came in time. A timeout of None waits forever."""
        with self._changed:
            if not (self._requests or self._calls):
                self._changed.wait(timeout_s)
            if self._requests and (not self._calls or self._requests[0][0] < self._calls[0][0]):
                return self._requests.popleft()[1]
            return self._calls.popleft()[1] if self._calls else None

    def take_call(self, timeout_s: float | None, seen_arrivals: int) -> Call | None:
        """The oldest call; requests stay. None when `arrivals` is past `seen_arrivals`, or nothing came in time."""
        with self._changed:
            if not self._calls and self._arrivals == seen_arrivals:
                self._changed.wait(timeout_s)
            return self._calls.popleft()[1] if self._calls else None

    @property
    def arrivals(self) -> int:
        """How many requests came so far."""
        return self._arrivals

    def _put_in_order(self, item: PendingRequest | Call) -> None:
        with self._changed:
            self._requests.append((next(self._numbers), item))
            self._arrivals += 1
            self._changed.notify()
