"""Bodies of DAP messages made from our objects, in the client's conventions: for events and for responses alike."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.breakpoints.data.field_names import NOT_SEEN, shown_field_of
from dap_dotnet.breakpoints.exceptions.exception_breakpoints import ExceptionBreakpoint
from dap_dotnet.breakpoints.model import (
    Bound,
    FieldPlace,
    InstructionPlace,
    LinePlace,
    LogicalBreakpoint,
    Pending,
    Place,
    Unbound,
)
from dap_dotnet.protocol.client_view import ClientView, file_name
from dap_dotnet.protocol.messages.breakpoints import Breakpoint
from dap_dotnet.protocol.messages.sources import Module, Source
from dap_dotnet.session.span_bodies import span_body
from dap_dotnet.symbols.il_addresses import il_address, reference_text
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.spans import Span


def module_body(loaded: LoadedModule) -> Module:
    """A loaded module."""
    info, status = loaded.info, loaded.symbol_status
    return Module(
        id=info.module,
        name=loaded.name,
        path=info.path or None,
        is_optimized=loaded.is_optimized,
        is_user_code=loaded.is_user_code,
        symbol_status=f"{status.state.value} {status.detail}".strip(),
        symbol_file_path=status.path,
        address_range=f"0x{info.base_address:x}-0x{info.base_address + info.size:x}" if info.size else None,
    )


def breakpoint_body(
    logical: LogicalBreakpoint,
    view: ClientView,
    reference_of: Callable[[str], int] = lambda path: 0,
    span_now: Callable[[str, Span], Span | None] = lambda path, span: span,
) -> Breakpoint:
    """A logical breakpoint, in the client's conventions.

    `reference_of` says the number of a source that is no file here, by its local path; 0 for others. `span_now` says
    where a statement is in the file as it is now.
    """
    state, place = logical.state, logical.place
    path = place.path if isinstance(place, LinePlace) else None
    if path is None and isinstance(state, Bound) and not isinstance(place, FieldPlace):
        path = state.sites[0].site.path
    source = Source(name=file_name(path), path=view.path_to_client(path)) if path else None
    if source is not None and path is not None:
        source.source_reference = reference_of(path) or None
    if isinstance(state, Bound):
        span = state.span if not isinstance(place, FieldPlace) else None  # it stands at many places
        span = span_now(path, span) if span is not None and path else span
        return Breakpoint(
            id=logical.id,
            verified=True,
            message=_note(place, state, view) or None,
            source=source,
            **span_body(span, view),
            instruction_reference=_reference(place, state),
        )
    wanted = place if isinstance(place, LinePlace) else None
    failed = isinstance(state, Pending) and state.failed
    return Breakpoint(
        id=logical.id,
        verified=False,
        message=state.reason if isinstance(state, (Pending, Unbound)) else "The breakpoint is disabled.",
        reason="failed" if failed else "pending",
        source=source,
        line=view.line_to_client(wanted.line) if wanted else None,
        column=view.column_to_client(wanted.column) if wanted and wanted.column is not None else None,
    )


def _note(place: Place, state: Bound, view: ClientView) -> str:
    """What is to be said of a bound breakpoint; of one on data also what the editor's list has no room for."""
    if not isinstance(place, FieldPlace) or not view.shows_short_names:
        return state.note
    return f"{shown_field_of(place.type_name, place.field)} ({NOT_SEEN}). {state.note}".strip()


def _reference(place: Place, state: Bound) -> str | None:
    """Where an instruction breakpoint stands."""
    address = il_address(state.sites[0].site.location) if isinstance(place, InstructionPlace) else None
    return None if address is None else reference_text(address)


def exception_breakpoint_body(chosen: ExceptionBreakpoint) -> Breakpoint:
    """An exception breakpoint."""
    message = chosen.message
    return Breakpoint(id=chosen.id, verified=message is None, message=message, reason="pending" if message else None)
