"""`threads`, `modules` and `loadedSources`: what the program consists of."""

from __future__ import annotations

from dap_dotnet.bodies import file_name, module_body
from dap_dotnet.protocol.messages.execution import Thread, ThreadsResponseBody
from dap_dotnet.protocol.messages.sources import (
    LoadedSourcesResponseBody,
    ModulesArguments,
    ModulesResponseBody,
    Source,
)
from dap_dotnet.session.session import Session
from dap_dotnet.values.threads import thread_name


def threads(session: Session) -> ThreadsResponseBody:
    """All managed threads; while the program runs, those that were known at the last stop."""
    if session.debuggee is not None and session.holds.is_held:
        program = session.program()
        main = program.debuggee.process_id  # first: some clients take the first thread for the program's
        found = sorted(program.debuggee.threads(), key=lambda info: info.thread != main)
        session.known_threads = {info.thread: thread_name(program, info.thread, info.user_state) for info in found}
    return ThreadsResponseBody(threads=[Thread(id=thread, name=name) for thread, name in session.known_threads.items()])


def modules(session: Session, arguments: ModulesArguments) -> ModulesResponseBody:
    """A page of the loaded modules, in load order."""
    loaded = list(session.modules)
    start = max(arguments.start_module or 0, 0)
    end = start + arguments.module_count if arguments.module_count else len(loaded)
    return ModulesResponseBody(modules=[module_body(module) for module in loaded[start:end]], total_modules=len(loaded))


def loaded_sources(session: Session) -> LoadedSourcesResponseBody:
    """The source files that the PDBs of loaded modules name."""
    local = session.modules.source_map.local_path
    pdbs = [module.pdb for module in session.modules if module.pdb is not None]
    names = {local(document.name) for pdb in pdbs for document in pdb.documents}
    return LoadedSourcesResponseBody(
        sources=[Source(name=file_name(name), path=session.view.path_to_client(name)) for name in sorted(names)]
    )
