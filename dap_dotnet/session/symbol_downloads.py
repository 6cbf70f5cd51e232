"""PDBs from symbol servers: asked for when a module is loaded that has none here, and taken in when they are there.

The program runs on meanwhile: nothing waits for a server.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from typing import TYPE_CHECKING

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.session.breakpoint_updates import update_watched_data
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.symbol_servers import Downloaded, SymbolServers
from dap_dotnet.symbols.symbol_store import WantedPdb

if TYPE_CHECKING:
    from dap_dotnet.session.session_facts import SessionFacts

_log = logging.getLogger(__name__)
_MOST_AT_ONCE = 4


class SymbolDownloads:
    """The downloads of one session. Session thread only, but for `_work`."""

    def __init__(self, session: SessionFacts) -> None:
        self._session = session
        self._servers: SymbolServers | None = None
        self._waiting: deque[tuple[LoadedModule, WantedPdb]] = deque()
        self._lock = threading.Lock()
        self._workers = 0

    def module_loaded(self, loaded: LoadedModule) -> None:
        """Ask the servers for a module's PDB, if they are to be asked and it has none.

        With Just My Code the ones of optimised modules are not wanted: nothing of them is shown.
        """
        search, options = self._session.modules.symbol_search, self._session.options
        if not search.servers_for(loaded.name) or loaded.pdb is not None:
            return
        if options.just_my_code and loaded.is_optimized and not options.disable_optimizations:
            return
        wanted = loaded.wanted_pdb
        if wanted is None or not wanted.module_path:
            return
        if self._servers is None:
            self._servers = SymbolServers(search.servers, search.cache, self._session.server.notify)
        with self._lock:
            self._waiting.append((loaded, wanted))
            if self._workers >= _MOST_AT_ONCE:
                return
            self._workers += 1
        threading.Thread(target=self._work, args=(self._servers,), name="symbols", daemon=True).start()

    def _work(self, servers: SymbolServers) -> None:
        """One download after the other, until none waits. On a thread of its own."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._workers -= 1
                    return
                loaded, wanted = self._waiting.popleft()
            try:
                done = servers.download(wanted)
            except Exception:
                _log.exception("the symbols of %s could not be downloaded", wanted.name)
                continue
            self._session.server.post(lambda loaded=loaded, done=done: self._arrived(loaded, done))  # type: ignore[misc]

    def _arrived(self, loaded: LoadedModule, done: Downloaded) -> None:
        if not self._is_there(loaded):
            return
        if done.path is None:
            loaded.servers_tried(done.tried)
            self._session.client_events.module("changed", loaded)
        else:
            # The runtime's breakpoints are set while it is held; a stop of the user's serves as well.
            self._session.holds.when_held(lambda: self._take(loaded))

    def _take(self, loaded: LoadedModule) -> None:
        session = self._session
        if session.debuggee is None or not self._is_there(loaded):
            return
        session.breakpoints.resolver.forget(loaded.id)
        session.modules.symbols_changed(loaded)
        session.client_events.module("changed", loaded)
        if session.options.reports.module_load:
            session.client_events.console(f"Loaded symbols of '{loaded.name}' from {loaded.symbol_status.path}.")
        try:
            session.breakpoints.registry.module_loaded(loaded.id, session.debuggee)
            update_watched_data(session)
        except DapDotnetError as error:
            _log.warning("breakpoints in %s: %s", loaded.name, error)

    def _is_there(self, loaded: LoadedModule) -> bool:
        return not self._session.is_over and self._session.modules.get(loaded.id) is loaded
