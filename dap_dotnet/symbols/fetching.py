"""What lies at an address, over HTTP. Blocks: for a thread of its own."""

from __future__ import annotations

import base64
import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from enum import Enum

_CHUNK_SIZE = 64 << 10


class FetchProblem(Enum):
    """Why there is no content."""

    STATUS = "an answer other than 200"
    TOO_LARGE = "more than was allowed"
    LATE = "no whole answer in time"
    UNREACHABLE = "no answer"


class FetchError(Exception):
    """`status` is that of the answer, 0 where there was none; the message is the reason alone, without the address."""

    def __init__(self, problem: FetchProblem, reason: str, status: int = 0) -> None:
        super().__init__(reason)
        self.problem = problem
        self.status = status


def fetch(
    url: str, *, max_size: int, timeout_s: float, headers: Mapping[str, str] | None = None, sign_in: str = ""
) -> bytes:
    """The content at an address; `timeout_s` is for all of it, looking the address up not counted.

    `sign_in` is USER:PASSWORD for that address, and not for one that it leads to.

    Raises `FetchError`.
    """
    deadline = time.monotonic() + timeout_s
    try:
        with _opener().open(_request(url, headers or {}, sign_in), timeout=timeout_s / 2) as response:
            content = bytearray()
            while chunk := response.read1(_CHUNK_SIZE):
                content += chunk
                if len(content) > max_size:
                    raise FetchError(FetchProblem.TOO_LARGE, f"it is larger than {max_size >> 20} MB")
                if time.monotonic() > deadline:
                    raise TimeoutError
            if response.length:  # of those that it has announced
                raise ConnectionError(f"it ended {response.length} bytes too early")
            return bytes(content)
    except urllib.error.HTTPError as error:
        error.close()
        raise FetchError(FetchProblem.STATUS, f"{error.code} {error.reason}", error.code) from error
    except TimeoutError as error:
        raise FetchError(FetchProblem.LATE, f"no answer within {timeout_s:g} s") from error
    except (OSError, http.client.HTTPException, ValueError) as error:  # a URLError is an OSError
        reason = getattr(error, "reason", None) or error
        late = FetchProblem.LATE if isinstance(reason, TimeoutError) else FetchProblem.UNREACHABLE
        raise FetchError(late, str(reason)) from error


def _request(url: str, headers: Mapping[str, str], sign_in: str) -> urllib.request.Request:
    request = urllib.request.Request(url, headers=dict(headers))
    if sign_in:
        encoded = base64.b64encode(sign_in.encode(errors="replace")).decode()
        request.add_unredirected_header("Authorization", f"Basic {encoded}")
    return request


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
