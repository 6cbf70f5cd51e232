"""PDBs from symbol servers: asked for when a module is loaded that has none here, and taken in when they are there.

The program runs on meanwhile: nothing waits for a server.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.session.breakpoint_updates import update_watched_data
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.symbol_servers import Downloaded, SymbolServers
from dap_dotnet.symbols.symbol_store import WantedPdb

if TYPE_CHECKING:
    from dap_dotnet.session.session_facts import SessionFacts

_log = logging.getLogger(__name__)
_MOST_AT_ONCE = 4


class _Order(Struct, frozen=True):
    """A PDB that servers are asked for; `on_end` is called, on the session thread, when that is over."""

    loaded: LoadedModule
    wanted: WantedPdb
    servers: SymbolServers
    on_end: Callable[[], None] | None = None


class SymbolDownloads:
    """The downloads of one session. Session thread only, but for `_work`."""

    def __init__(self, session: SessionFacts) -> None:
        self._session = session
        self._servers: SymbolServers | None = None
        self._waiting: deque[_Order] = deque()
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
        self._add(_Order(loaded, wanted, self._servers))

    def load(self, loaded: LoadedModule, servers: tuple[str, ...], on_end: Callable[[], None]) -> None:
        """Ask servers for the PDB of a module because the user wants it; those that were silent before, too.

        `on_end` is called when the module has its symbols, or its status says why it has none. Raises `UserError` for
        a module whose PDB no server can have.
        """
        search = self._session.modules.symbol_search
        wanted = loaded.wanted_pdb
        if wanted is None or not wanted.module_path:
            raise UserError(f"{loaded.name} names no PDB that a symbol server could have.", code="NO_SYMBOLS")
        if not search.cache:
            raise UserError(
                "There is no folder for downloaded symbols: set symbolOptions.cachePath.", code="NO_SYMBOL_SERVER"
            )
        asked = SymbolServers(servers, search.cache, self._session.server.notify)
        self._add(_Order(loaded, wanted, asked, on_end))

    def _add(self, order: _Order) -> None:
        with self._lock:
            self._waiting.append(order)
            if self._workers >= _MOST_AT_ONCE:
                return
            self._workers += 1
        threading.Thread(target=self._work, name="symbols", daemon=True).start()

    def _work(self) -> None:
        """One download after the other, until none waits. On a thread of its own."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._workers -= 1
                    return
                order = self._waiting.popleft()
            try:
                done = order.servers.download(order.wanted)
            except Exception as error:
                _log.exception("the symbols of %s could not be downloaded", order.wanted.name)
                done = Downloaded(None, (f"Internal error: {error!r}",))
            self._session.server.post(partial(self._arrived, order, done))

    def _arrived(self, order: _Order, done: Downloaded) -> None:
        loaded, on_end = order.loaded, order.on_end or _nothing
        if not self._is_there(loaded):
            on_end()
        elif done.path is None:
            loaded.servers_tried(done.tried)
            self._session.client_events.module("changed", loaded)
            on_end()
        else:
            loaded.downloaded_to(order.servers.cache)
            # The runtime's breakpoints are set while it is held; a stop of the user's serves as well.
            self._session.holds.when_held(partial(self._take, loaded, on_end))

    def _take(self, loaded: LoadedModule, on_end: Callable[[], None]) -> None:
        session = self._session
        if session.debuggee is None or not self._is_there(loaded):
            on_end()
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
        on_end()

    def _is_there(self, loaded: LoadedModule) -> bool:
        return not self._session.is_over and self._session.modules.get(loaded.id) is loaded


def _nothing() -> None:
    """Nobody waits for the end of a download that the module's loading began."""
