"""Calls that the session thread makes at their time."""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable


class Timer:
    """A call to be made later. `cancel` on the session thread."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action: Callable[[], None] | None = action

    @property
    def is_cancelled(self) -> bool:
        """Whether it will not run, or has run."""
        return self._action is None

    def cancel(self) -> None:
        """Do not run it. Harmless when it has run."""
        self._action = None

    def take(self) -> Callable[[], None] | None:
        """The action, once."""
        action, self._action = self._action, None
        return action


class Timers:
    """Timers in the order of their time. Session thread only."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._queue: list[tuple[float, int, Timer]] = []

    def add(self, delay_s: float, action: Callable[[], None]) -> Timer:
        """Run `action` once `delay_s` have passed."""
        timer = Timer(action)
        heapq.heappush(self._queue, (time.monotonic() + delay_s, next(self._numbers), timer))
        return timer

    def next_delay_s(self) -> float | None:
        """Seconds until the next timer is due, 0 if one is; None without timers."""
        while self._queue and self._queue[0][2].is_cancelled:
            heapq.heappop(self._queue)
        return max(0.0, self._queue[0][0] - time.monotonic()) if self._queue else None

    def take_due(self) -> Callable[[], None] | None:
        """The action of a timer whose time has come; None when there is none."""
        while self._queue and self._queue[0][0] <= time.monotonic():
            action = heapq.heappop(self._queue)[2].take()
            if action is not None:
                return action
        return None
