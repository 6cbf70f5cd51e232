"""Whether a program may be run that another process has named: only one that nobody else could have written."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def who_else_may_write(path: str) -> str | None:
    """Why a file is not only root's and this user's, with the folders above it; None: it is. Raises OSError.

    As the shim has it for the libraries that it loads (`trust_linux.cpp`).
    """
    file = Path(os.path.realpath(path, strict=True))
    for part in (file, *file.parents):
        status = os.lstat(part)
        if status.st_uid not in (0, os.geteuid()):
            return f"{part} belongs to user {status.st_uid}"
        if part != file and status.st_mode & stat.S_ISVTX:
            continue  # nobody can replace what belongs to another there
        is_own_group = status.st_gid == 0 or status.st_gid == os.getegid() == os.geteuid()
        if status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and not is_own_group):
            return f"others may write to {part}"
    return None
