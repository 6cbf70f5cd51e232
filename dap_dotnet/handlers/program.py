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
from dap_dotnet.session.bodies import module_body
from dap_dotnet.session.session import Session


def threads(session: Session) -> ThreadsResponseBody:
    """All managed threads; while the program runs, those known at the last stop."""
    names = session.thread_names()
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
