"""Files of the user's caches, which are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable


def cache_folder(name: str) -> str:
    """Where files of one kind are: in XDG_CACHE_HOME or ~/.cache. Not absolute for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "dap-dotnet", name)


def keep(place: str, content: Iterable[bytes], *, lasts: bool = False) -> None:
    """Write a file of the pieces of its content, with its folders; only this user may read or write it.

    `lasts`: it is on the disk before it takes its place, so that it is whole also after the machine has crashed. Raises
    `OSError`.
    """
    import tempfile  # hardly a start writes one

    folder = os.path.dirname(place)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.writelines(content)
            if lasts:
                stream.flush()
                os.fsync(stream.fileno())
        os.replace(temporary, place)
    except BaseException:
        os.unlink(temporary)
        raise
