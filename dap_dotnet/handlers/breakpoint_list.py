"""Requests of our own: the breakpoints with all that is known of them, and switching them on and off."""

from __future__ import annotations

from typing import Literal

from dap_dotnet.breakpoints.data.field_names import data_id
from dap_dotnet.breakpoints.exceptions.exception_breakpoints import ExceptionBreakpoint
from dap_dotnet.breakpoints.exceptions.rules import DUMP_FILTER, STAGE_OF_FILTER
from dap_dotnet.breakpoints.model import (
    Bound,
    BreakpointId,
    FieldPlace,
    FunctionPlace,
    InstructionPlace,
    LinePlace,
    LogicalBreakpoint,
    Pending,
    Place,
    Site,
    Unbound,
)
from dap_dotnet.breakpoints.verdicts import TIMEOUT
from dap_dotnet.errors import UserError
from dap_dotnet.handlers.breakpoints import answer_when_applied
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.breakpoint_list import (
    EnableBreakpointsArguments,
    ListBreakpointsArguments,
    ListBreakpointsResponseBody,
    ListedBreakpoint,
    ListedLocation,
)
from dap_dotnet.protocol.messages.breakpoints import SetBreakpointsResponseBody
from dap_dotnet.protocol.messages.sources import Source
from dap_dotnet.server import Deferred
from dap_dotnet.session.session import Session
from dap_dotnet.session.span_bodies import span_body
from dap_dotnet.symbols.il_addresses import il_address, reference_text


def list_breakpoints(session: Session, arguments: ListBreakpointsArguments) -> ListBreakpointsResponseBody:
    """Breakpoints of all kinds by id, at any time of the session; unknown ids are left out."""
    wanted = None if arguments.breakpoint_ids is None else set(arguments.breakpoint_ids)
    found = [_listed(session, logical) for logical in session.breakpoints.registry.all()]
    found += [_exception(chosen) for chosen in session.breakpoints.exceptions.breakpoints]
    asked = [listed for listed in found if wanted is None or listed.id in wanted]
    return ListBreakpointsResponseBody(breakpoints=sorted(asked, key=lambda listed: listed.id))


def _listed(session: Session, logical: LogicalBreakpoint) -> ListedBreakpoint:
    view, place, settings = session.view, logical.place, logical.settings
    message, code = _said(session, logical)
    listed = ListedBreakpoint(
        id=logical.id,
        kind=_KINDS[type(place)],
        state=_state(logical),
        locations=[_location(session, site) for site in _shown_sites(session, logical)],
        condition=settings.condition,
        hit_condition=settings.hit_condition,
        log_message=settings.log_message,
        after=settings.after,
        is_armed=session.breakpoints.verdicts.is_armed(settings) if settings.after is not None else None,
        hit_count=logical.hit_count,
        message=message or None,
        code=code or None,
    )
    match place:
        case LinePlace(path=path, line=line, column=column):
            listed.source = Source(name=file_name(path), path=view.path_to_client(path))
            listed.line = view.line_to_client(line)
            listed.column = None if column is None else view.column_to_client(column)
        case FunctionPlace(name=name):
            listed.function = name
        case FieldPlace():
            listed.field = place.text
            listed.data_id = data_id(place)
        case InstructionPlace(location=location):
            address = il_address(location)
            listed.instruction_reference = None if address is None else reference_text(address)
    return listed


_KINDS: dict[type[Place], Literal["source", "function", "data", "instruction"]] = {
    LinePlace: "source",
    FunctionPlace: "function",
    FieldPlace: "data",
    InstructionPlace: "instruction",
}


def _shown_sites(session: Session, logical: LogicalBreakpoint) -> list[Site]:
    """Where it is in the runtime; for a field, the instructions that store to it."""
    sites = [bound_site.site for bound_site in logical.sites]
    if not isinstance(logical.place, FieldPlace):
        return sites
    bound = {site.location for site in sites}
    stores = session.breakpoints.resolver.fields.stores_watched_at(logical.place, bound)
    local_path = session.modules.source_map.local_path
    return [
        Site(store.location, store.span, local_path(store.path) if store.path is not None else None) for store in stores
    ]


def _state(logical: LogicalBreakpoint) -> Literal["pending", "bound", "unbound", "disabled"]:
    match logical.state:
        case Pending():
            return "pending"
        case Bound():
            return "bound"
        case Unbound():
            return "unbound"
    return "disabled"


def _said(session: Session, logical: LogicalBreakpoint) -> tuple[str, str]:
    """Message and code: a condition that failed matters more than a place that was moved."""
    tally = session.breakpoints.tally(logical)
    if tally.first_failure:
        # Whatever the reason, for the condition it is that it has no value; but that it took too long is worth telling.
        code = TIMEOUT if tally.failure_code == TIMEOUT else "EVAL_FAILED"
        return f"The condition failed, and the program continues: {tally.first_failure}", code
    match logical.state:
        case Pending(reason=reason, failed=failed, code=code):
            return reason, code or ("" if failed else "MODULE_NOT_LOADED")
        case Bound(note=note, code=code):
            return note, code
        case Unbound(reason=reason):
            return reason, "MODULE_NOT_LOADED"
    return "The breakpoint is disabled.", ""


def _location(session: Session, site: Site) -> ListedLocation:
    view, location = session.view, site.location
    module = session.modules.get(location.module)
    return ListedLocation(
        module=module.name if module is not None else "",
        module_id=location.module,
        method_token=f"0x{location.method:08x}",
        il_offset=location.il_offset,
        source=Source(name=file_name(site.path), path=view.path_to_client(site.path)) if site.path else None,
        **span_body(session.span_now(site.path, site.span) if site.path and site.span else site.span, view),
    )


def _exception(chosen: ExceptionBreakpoint) -> ListedBreakpoint:
    asked = chosen.asked
    condition = asked.condition
    names = "!" + ", ".join(condition.excluded) if condition.excluded else ", ".join(condition.included)
    return ListedBreakpoint(
        id=chosen.id,
        kind="exception",
        state="pending" if chosen.unknown else "bound",
        filters=[DUMP_FILTER]
        if asked.saves_dump
        else [name for name, stage in STAGE_OF_FILTER.items() if stage in asked.stages],
        locations=[],
        condition=names or None,
        message=chosen.message,
        code="MODULE_NOT_LOADED" if chosen.unknown else None,
    )


def enable_breakpoints(session: Session, arguments: EnableBreakpointsArguments) -> Deferred:
    """All but exception breakpoints, by id: all or, when one is unknown, none of them. Hit counts are kept."""
    registry = session.breakpoints.registry
    found = []
    for number in arguments.breakpoint_ids:
        logical = registry.get(BreakpointId(number))
        if logical is None:
            text = f"There is no source, function or data breakpoint {number}: it was removed, or never set."
            raise UserError(text, code="BREAKPOINT_NOT_FOUND")
        found.append(logical)
    for logical in found:
        registry.set_enabled(logical.id, arguments.enabled)
    return answer_when_applied(session, found, SetBreakpointsResponseBody)
