"""What the session does when a module is loaded or unloaded. Session thread only."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.model import LinePlace
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.session.breakpoint_updates import apply_exception_rule, update_watched_data
from dap_dotnet.session.session import Session
from dap_dotnet.symbols import runtime_async

if TYPE_CHECKING:
    from dap_dotnet.runtime import events
    from dap_dotnet.symbols.modules import LoadedModule

_CORE = "System.Private.CoreLib.dll"
_NOT_DEBUGGED = (
    "{name} has async methods that the runtime itself suspends (runtime-async). The debugging support of .NET 10 does "
    "not know them: breakpoints in them are refused, their variables cannot be read, and a step over an await in one "
    "ends in its caller. Build the program without that feature to debug them."
)


def module_loaded(session: Session, event: events.ModuleLoaded) -> bool:
    """Take a module up, and bind breakpoints in it; before Main wait for the client's. As the other reactions."""
    assert session.debuggee is not None
    goes_on = _goes_on_at_once(session, event)
    if goes_on:
        session.holds.release(event)
    had_user_code = session.modules.have_user_code
    loaded = session.modules.add(event.module, session.debuggee.read_memory, session.debuggee.module_metadata)
    if not goes_on:
        _mark(session, loaded)
    session.client_events.module("new", loaded)
    if session.options.reports.module_load:
        session.client_events.console(f"Loaded '{loaded.info.path or loaded.name}'. {loaded.symbol_status.state.value}")
    if not goes_on:
        _bind(session, loaded)
    elif loaded.pdb is not None:  # where it was built, on this machine
        session.holds.when_held(partial(_mark, session, loaded))
        session.holds.when_held(partial(_bind, session, loaded))
    session.breakpoints.exceptions.module_loaded(loaded)
    if not had_user_code and loaded.is_user_code:
        apply_exception_rule(session)  # the runtime tells from now on what comes to the user's code
    _warn(session, loaded)
    if session.modules.symbol_search.servers:
        session.symbol_downloads.module_loaded(loaded)
    if len(session.modules) == 1:  # CoreLib
        return False
    session.program_loaded()
    if session.is_configured or not session.options.begins_with_main:
        return False
    session.holds.keep_for_configuration(event)  # after CoreLib, before Main: wait here for the client's breakpoints
    return True


def _goes_on_at_once(session: Session, event: events.ModuleLoaded) -> bool:
    """Whether the program need not stand while its first module, the framework's core, is looked at.

    The runtime goes on with its start for 10 ms and more until the next module is loaded. Nothing of the user's can be
    in this one: it has no symbols, and only breakpoints at lines are wanted.
    """
    path, search, registry = event.module.path, session.modules.symbol_search, session.breakpoints.registry
    return (
        len(session.modules) == 0
        and session.options.begins_with_main
        and file_name(path) == _CORE
        and os.path.isfile(path)
        and not os.path.exists(path.removesuffix(".dll") + ".pdb")
        and not (search.folders or search.servers or session.options.stop_at_entry or registry.has_changes)
        and all(isinstance(logical.place, LinePlace) for logical in registry.all())
    )


def _mark(session: Session, loaded: LoadedModule) -> None:
    """Tell the runtime what the user has of a module; while the program is held."""
    disable = session.options.disable_optimizations and loaded.pdb is not None
    if session.debuggee is not None and (loaded.is_user_code or disable):
        session.debuggee.set_module_flags(loaded.id, just_my_code=loaded.is_user_code, disable_optimizations=disable)


def _bind(session: Session, loaded: LoadedModule) -> None:
    """Set the breakpoints that belong into a module; while the program is held."""
    if session.debuggee is None:
        return
    if session.options.stop_at_entry:
        session.breakpoints.entry_point.arm(loaded, session.debuggee)
    session.breakpoints.registry.module_loaded(loaded.id, session.debuggee)
    update_watched_data(session)


def _warn(session: Session, loaded: LoadedModule) -> None:
    """Say what cannot be debugged of a module with methods that the runtime suspends."""
    if loaded.pdb is not None and session.has_runtime_async and runtime_async.has_such_methods(loaded):
        session.client_events.warning(_NOT_DEBUGGED.format(name=loaded.name))


def module_unloaded(session: Session, event: events.ModuleUnloaded) -> bool:
    """Forget a module, and unbind breakpoints in it. As the other reactions."""
    session.breakpoints.registry.module_unloaded(event.module)
    session.breakpoints.resolver.forget(event.module)
    removed = session.modules.remove(event.module)
    if removed is not None:
        session.client_events.module("removed", removed)
    return False
