"""Many open files: those that come after them have numbers that select() cannot take."""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator

_OF_SELECT = 1024


@contextlib.contextmanager
def low_descriptors_taken() -> Iterator[None]:
    """What is opened inside has a number of 1024 or more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * _OF_SELECT
    if soft < wanted and soft != resource.RLIM_INFINITY:
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
        )
    opened: list[int] = []
    try:
        while not opened or opened[-1] < _OF_SELECT:
            opened.append(os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        for descriptor in opened:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
