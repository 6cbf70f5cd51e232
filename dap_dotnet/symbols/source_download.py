"""Downloads a source over HTTP, and keeps what was downloaded. Blocks: for a thread of its own."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from dap_dotnet.startup.whole_files import cache_folder, keep
from dap_dotnet.symbols.fetching import FetchError, FetchProblem, fetch
from dap_dotnet.symbols.source_texts import SourceUnavailableError

TIMEOUT_S = 10.0
"""For a whole download, looking the address up not counted: whoever waits has a deadline of their own."""
_MAX_SIZE = 16 << 20


def download(url: str, is_right: Callable[[bytes], bool | None]) -> bytes:
    """The content at an address, out of the cache where it is there. Raises `SourceUnavailableError`.

    `is_right` compares a content with the checksum of the document, None where there is none. Only what it finds right
    is kept, and taken out of the cache again.
    """
    kept = _place(url)
    if kept is not None:
        try:
            content = kept.read_bytes()
            if is_right(content):
                return content
        except OSError:
            pass
    content = _fetch(url)
    if kept is not None and is_right(content):
        _keep(kept, content)
    return content


def _fetch(url: str) -> bytes:
    try:
        return fetch(url, max_size=_MAX_SIZE, timeout_s=TIMEOUT_S)
    except FetchError as error:
        raise SourceUnavailableError(_explained(url, error)) from error


def _explained(url: str, error: FetchError) -> str:
    if error.problem is FetchProblem.STATUS:
        hint = " If the server requires a sign-in, it cannot be downloaded." if error.status in (401, 403, 404) else ""
        return f"{url} was answered with {error}.{hint}"
    if error.problem is FetchProblem.TOO_LARGE:
        return f"The source at {url} is larger than {_MAX_SIZE >> 20} MB."
    if error.problem is FetchProblem.LATE:
        return f"{url} did not answer within {TIMEOUT_S:g} s."
    return f"{url} cannot be reached: {error}. Without a network, sourceLinkOptions switches downloads off."


def _place(url: str) -> Path | None:
    """The file of the cache for an address; None for a user without a home."""
    folder = cache_folder("sources")
    if not os.path.isabs(folder):
        return None
    return Path(folder, hashlib.sha256(url.encode(errors="backslashreplace")).hexdigest())


def _keep(place: Path, content: bytes) -> None:
    """A cache that cannot be written is none."""
    with contextlib.suppress(OSError):
        keep(str(place), [content])
