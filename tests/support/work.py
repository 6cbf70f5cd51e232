"""How much work a piece of code does: a number that a busy machine does not change, as it changes times."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType


class Work:
    """Counts the calls of functions, Python's and C's, that were made where `count` profiles it."""

    def __init__(self) -> None:
        self.calls = 0

    def count(self, frame: FrameType, event: str, argument: object) -> None:
        """A profile function: see `sys.setprofile`."""
        if event in ("call", "c_call"):
            self.calls += 1


@contextlib.contextmanager
def counted() -> Iterator[Work]:
    """Count the calls of what runs in this thread until the end of the block."""
    work = Work()
    before = sys.getprofile()
    sys.setprofile(work.count)
    try:
        yield work
    finally:
        sys.setprofile(before)
