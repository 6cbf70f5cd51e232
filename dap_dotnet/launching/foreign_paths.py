"""Paths in configurations that were written on Windows, which the whole team shares."""

from __future__ import annotations

import os
from pathlib import Path


def local_path(path: str, folder: str | None = None) -> str:
    """The path with this system's separators, if nothing is found by its own spelling. Looks at the disk.

    A file may well have a backslash in its name here, and then it is the one that is meant. `folder`: what the path is
    relative to; None: our own.
    """
    if os.sep == "\\" or "\\" not in path or "\0" in path:
        return path
    spelled = os.path.join(folder or os.curdir, os.path.expanduser(path))
    return path if os.path.lexists(spelled) else path.replace("\\", "/")


def local_program(path: Path) -> Path:
    """What `App.exe` is called here, if it does not exist: `App`, or else `App.dll`; any other path as it is."""
    if path.suffix.lower() != ".exe" or os.path.lexists(path):
        return path
    found = (path.with_suffix(suffix) for suffix in ("", ".dll"))
    return next((one for one in found if os.path.isfile(one)), path)
