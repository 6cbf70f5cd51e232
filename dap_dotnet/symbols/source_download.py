"""Downloads a source over HTTP, and keeps what was downloaded. Blocks: for a thread of its own."""

from __future__ import annotations

import hashlib
import http.client
import os
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from dap_dotnet.symbols.source_texts import SourceUnavailableError

TIMEOUT_S = 10.0
"""For a whole download, looking the address up not counted: whoever waits has a deadline of their own."""
_MAX_SIZE = 16 << 20
_CHUNK_SIZE = 64 << 10


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
    deadline = time.monotonic() + TIMEOUT_S
    try:
        with _opener().open(url, timeout=TIMEOUT_S / 2) as response:
            content = bytearray()
            while chunk := response.read1(_CHUNK_SIZE):
                content += chunk
                if len(content) > _MAX_SIZE:
                    raise SourceUnavailableError(f"The source at {url} is larger than {_MAX_SIZE >> 20} MB.")
                if time.monotonic() > deadline:
                    raise TimeoutError
            if response.length:  # of those that it has announced
                raise ConnectionError(f"it ended {response.length} bytes too early")
            return bytes(content)
    except urllib.error.HTTPError as error:
        hint = " Where one has to sign in there, it cannot be downloaded." if error.code in (401, 403, 404) else ""
        error.close()
        raise SourceUnavailableError(f"{url} was answered with {error.code} {error.reason}.{hint}") from error
    except TimeoutError as error:
        raise SourceUnavailableError(f"{url} did not answer within {TIMEOUT_S:g} s.") from error
    except (OSError, http.client.HTTPException, ValueError) as error:  # a URLError is an OSError
        reason = getattr(error, "reason", None) or error
        raise SourceUnavailableError(
            f"{url} cannot be reached: {reason}. Without a network, sourceLinkOptions switches downloads off."
        ) from error


def _opener() -> urllib.request.OpenerDirector:
    """HTTP and proxies by the environment; a redirection leads to no file of this machine."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    opener.addheaders = [("User-Agent", "dap-dotnet")]
    return opener


def _place(url: str) -> Path | None:
    """The file of the cache for an address; None for a user without a home."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(base):
        return None
    return Path(base, "dap-dotnet", "sources", hashlib.sha256(url.encode(errors="backslashreplace")).hexdigest())


def _keep(place: Path, content: bytes) -> None:
    """Written whole or not at all; a cache that cannot be written is none."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(dir=place.parent)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            os.replace(temporary, place)
        except OSError:
            os.unlink(temporary)
    except OSError:
        pass
