"""Who asked: whether the answer is still wanted, and where progress goes."""

from __future__ import annotations

import threading
from collections.abc import Callable

Report = Callable[[float, "float | None", str], None]
"""Takes what is done, of how much (None: unknown), and words; any thread."""


class Cancelled(Exception):
    """The caller no longer wants the answer."""


class Caller:
    """A call, as long work sees it."""

    def __init__(self, report: Report | None = None) -> None:
        self._report = report
        self._cancelled = threading.Event()
        self.on_cancel: Callable[[], None] | None = None
        """Called by `cancel`, on its thread; ends work that cannot ask."""

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Nobody waits for the answer any more. Any thread."""
        self._cancelled.set()
        on_cancel = self.on_cancel
        if on_cancel is not None:
            on_cancel()

    def progress(self, done: float, total: float | None, text: str) -> None:
        """Tell how far the call is. Raises `Cancelled`."""
        if self.is_cancelled:
            raise Cancelled
        if self._report is not None:
            self._report(done, total, text)
