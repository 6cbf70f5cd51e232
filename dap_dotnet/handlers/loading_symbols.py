"""`dap-dotnet/loadSymbols`, a request of our own: the symbols of one module, when the user asks for them."""

from __future__ import annotations

from dap_dotnet.errors import UserError
from dap_dotnet.protocol.messages.symbols import LoadSymbolsArguments, LoadSymbolsResponseBody
from dap_dotnet.runtime.model import ModuleId
from dap_dotnet.server import DEFERRED, Deferred, RequestCancelledError
from dap_dotnet.session.bodies import module_body
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.symbol_search import MICROSOFT


def load_symbols(session: Session, arguments: LoadSymbolsArguments) -> LoadSymbolsResponseBody | Deferred:
    """Search for the PDB of a module again, then ask symbol servers for it, with Just My Code as well.

    The response waits for the servers. It fails, with what was tried, if there is none.
    """
    session.need_debuggee()
    loaded = _module(session, arguments)
    if loaded.pdb is None:
        session.modules.symbols_changed(loaded)  # the user may have put it there
    if loaded.pdb is not None:
        return LoadSymbolsResponseBody(module=module_body(loaded))
    search, request = session.modules.symbol_search, session.server.current_request
    if search.folders_for(loaded.name) is None:
        raise UserError(_why(loaded), code="NO_SYMBOLS")
    servers = search.servers or ((MICROSOFT,) if arguments.search_microsoft_symbol_server else ())
    if not servers:
        raise UserError(
            f"{_why(loaded)} No symbol server is named either: set symbolOptions.searchMicrosoftSymbolServer, or "
            "name one in symbolOptions.searchPaths.",
            code="NO_SYMBOL_SERVER",
        )

    def end() -> None:
        if request.is_answered:
            return
        if loaded.pdb is None:
            request.fail(UserError(_why(loaded), code="NO_SYMBOLS"))
            return
        request.respond(LoadSymbolsResponseBody(module=module_body(loaded)))
        if session.current_stop is not None and session.view.supports_invalidated_event:
            session.client_events.stacks_invalidated()

    request.on_cancel = lambda: None if request.is_answered else request.fail(RequestCancelledError())
    session.symbol_downloads.load(loaded, servers, end)
    return DEFERRED


def _module(session: Session, arguments: LoadSymbolsArguments) -> LoadedModule:
    module: ModuleId | None = None
    if arguments.frame_id is not None:
        module = session.shown.known_module(session.stop_state.frames.get(arguments.frame_id).frame.module)
    elif arguments.module_id is not None and str(arguments.module_id).isdecimal():
        module = ModuleId(int(arguments.module_id))
    loaded = session.modules.get(module)
    if loaded is None:
        raise UserError(
            "There is no such module: name one by its moduleId, as `modules` gives it, or by the frameId of a frame "
            "with a method.",
            code="NO_MODULE",
        )
    return loaded


def _why(loaded: LoadedModule) -> str:
    return f"There are no symbols for {loaded.name}: {loaded.symbol_status.detail.rstrip('.')}."
