"""`threads`, `modules` and `loadedSources`: what the program consists of."""

from __future__ import annotations

from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.execution import Thread, ThreadsResponseBody
from dap_dotnet.protocol.messages.sources import (
    LoadedSourcesResponseBody,
    ModulesArguments,
    ModulesResponseBody,
    Source,
)
from dap_dotnet.server import DEFERRED, Deferred
from dap_dotnet.session.bodies import module_body
from dap_dotnet.session.session import Session

_PATIENCE_S = 0.5
"""How long a client waits for names that only the program has, which may be hard to stop."""
_PAUSE_S = 1.0
"""How often a running program is stopped for the names of its new threads, at most."""


def threads(session: Session) -> ThreadsResponseBody | Deferred:
    """All managed threads. A program that runs is stopped for a moment, without an event, for the names of new ones."""
    if session.debuggee is None or session.is_over or session.holds.is_held or not session.threads.has_new:
        return _threads(session)
    request = session.server.current_request

    def answer() -> None:
        if not request.is_answered:
            request.respond(_threads(session, are_read=True))

    def read() -> None:
        if session.debuggee is not None and session.holds.is_held:
            session.threads.read_new(session.program())
        answer()

    def ask() -> None:
        if not session.threads.has_new:
            answer()
            return
        session.holds.when_held(read, quietly=True)
        session.server.call_later(_PATIENCE_S, answer)

    session.server.call_later(session.threads.delay_s(_PAUSE_S), ask)
    return DEFERRED


def _threads(session: Session, *, are_read: bool = False) -> ThreadsResponseBody:
    names = session.thread_names(are_read=are_read)
    return ThreadsResponseBody(threads=[Thread(id=thread, name=name) for thread, name in names.items()])


def modules(session: Session, arguments: ModulesArguments) -> ModulesResponseBody:
    """A page of the loaded modules, in load order."""
    loaded = list(session.modules)
    start = max(arguments.start_module or 0, 0)
    count = arguments.module_count or 0
    end = start + count if count > 0 else len(loaded)
    return ModulesResponseBody(modules=[module_body(module) for module in loaded[start:end]], total_modules=len(loaded))


def loaded_sources(session: Session) -> LoadedSourcesResponseBody:
    """The source files that the PDBs of loaded modules name."""
    local = session.modules.source_map.local_path
    pdbs = [module.pdb for module in session.modules if module.pdb is not None]
    names = {local(document.name) for pdb in pdbs for document in pdb.documents}
    return LoadedSourcesResponseBody(
        sources=[Source(name=file_name(name), path=session.view.path_to_client(name)) for name in sorted(names)]
    )
