"""Downloads PDBs from symbol servers into a cache. Blocks: for threads of its own."""

from __future__ import annotations

import os
import threading
import urllib.parse
from collections.abc import Callable

from msgspec import Struct

from dap_dotnet.startup.whole_files import keep
from dap_dotnet.symbols.fetching import FetchError, FetchProblem, fetch
from dap_dotnet.symbols.symbol_store import WantedPdb

TIMEOUT_S = 20.0
"""For one PDB of one server."""
_MAX_SIZE = 128 << 20


class Downloaded(Struct, frozen=True):
    """What became of a search: where the PDB is now (None: nowhere), and why each server did not do, in words."""

    path: str | None
    tried: tuple[str, ...] = ()


class SymbolServers:
    """The servers of a session, in the order in which they are asked. `download` may be called on any thread."""

    def __init__(self, servers: tuple[str, ...], cache: str, on_silence: Callable[[str], None]) -> None:
        """`on_silence` is told, in words, of a server that does not answer; it is not asked again."""
        self._servers = servers
        self.cache = cache
        self._on_silence = on_silence
        self._silent: dict[str, str] = {}
        """Server -> why."""
        self._lock = threading.Lock()

    def download(self, wanted: WantedPdb) -> Downloaded:
        """Ask the servers one after the other, until one has the PDB of exactly this build; it is kept in the cache."""
        tried: list[str] = []
        for server in self._servers:
            with self._lock:
                silent = self._silent.get(server)
            if silent is not None:
                tried.append(f"{shown(server)}: {silent}")
                continue
            try:
                content = _ask(server, wanted)
            except FetchError as error:
                if error.problem in (FetchProblem.LATE, FetchProblem.UNREACHABLE):
                    self._is_silent(server, str(error))
                tried.append(f"{shown(server)}: {'it has none' if error.status == 404 else error}")
                continue
            wrong = _what_is_wrong(content, wanted)
            if wrong is None:
                path = os.path.join(self.cache, *wanted.key.split("/"))
                try:
                    keep(path, [content])
                except OSError as error:
                    return Downloaded(None, (*tried, f"{path} cannot be written: {error.strerror}"))
                return Downloaded(path, tuple(tried))
            tried.append(f"{shown(server)}: {wrong}")
        return Downloaded(None, tuple(tried))

    def _is_silent(self, server: str, reason: str) -> None:
        with self._lock:
            is_news = server not in self._silent
            self._silent[server] = reason
        if is_news:
            self._on_silence(f"The symbol server {shown(server)} does not respond ({reason}), and is not asked again.")


def _ask(server: str, wanted: WantedPdb) -> bytes:
    """What it has under the key. Its address may have a user and a password. Raises `FetchError`."""
    parts = urllib.parse.urlsplit(server)
    user, _, host = parts.netloc.rpartition("@")
    url = parts._replace(netloc=host, path=f"{parts.path.rstrip('/')}/{wanted.url_path}", fragment="").geturl()
    sign_in = urllib.parse.unquote(user)
    return fetch(url, max_size=_MAX_SIZE, timeout_s=TIMEOUT_S, headers=wanted.headers, sign_in=sign_in)


def shown(server: str) -> str:
    """A server's address without what identifies its user."""
    parts = urllib.parse.urlsplit(server)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _what_is_wrong(content: bytes, wanted: WantedPdb) -> str | None:
    from portablepdb import Assembly, PortablePdb, PortablePdbError

    try:
        with PortablePdb.open(content) as pdb:
            if pdb.id != wanted.pdb_id:
                return "the PDB there is from another build"
        with Assembly.open(wanted.module_path) as assembly:
            is_right = assembly.verify_checksum(content)
    except (PortablePdbError, OSError) as error:
        return f"it is not a Portable PDB: {error}"
    return "the PDB there does not have the checksum in the module" if is_right is False else None
