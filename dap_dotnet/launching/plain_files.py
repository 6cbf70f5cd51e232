"""Opening files that a configuration names, which may be anything: a pipe that nobody writes to must not hold us up."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def open_to_read(path: Path) -> BinaryIO:
    """Open a file or a device for reading. Raises OSError, also for a pipe or a socket."""
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
    if stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "It is a pipe, not a file", str(path))
    return file


def open_to_write(path: Path) -> BinaryIO:
    """Empty or make a file, unbuffered. Raises OSError, also for a pipe that nobody reads."""
    file = open(path, "wb", buffering=0, opener=_without_waiting)  # noqa: SIM115
    os.set_blocking(file.fileno(), True)
    return file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
