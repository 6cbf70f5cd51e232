"""`dataBreakpointInfo` and `setDataBreakpoints`: stop when a field changes."""

from __future__ import annotations

from dap_dotnet.breakpoints.data.field_names import NOT_SEEN, data_id, parse_data_id, shown_field_of
from dap_dotnet.breakpoints.model import DataGroup, FieldPlace, Wanted
from dap_dotnet.errors import UserError
from dap_dotnet.handlers.breakpoints import answer_when_applied, settings_of
from dap_dotnet.handlers.watchable import place_of_child, place_of_expression
from dap_dotnet.protocol.messages.data_breakpoints import (
    DataBreakpoint,
    DataBreakpointInfoArguments,
    DataBreakpointInfoResponseBody,
    SetDataBreakpointsArguments,
    SetDataBreakpointsResponseBody,
)
from dap_dotnet.server import Deferred
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.short_names import short_type_name


def data_breakpoint_info(session: Session, arguments: DataBreakpointInfoArguments) -> DataBreakpointInfoResponseBody:
    """Whether a child of a container, or an expression, is a field that can be watched, and its `dataId`.

    A variable stands for the field of its own object, the name of a field (`Ns.Type.Field`) for that of all objects.
    """
    try:
        if arguments.as_address or arguments.bytes:
            raise UserError("Only fields can be watched, not memory addresses: ask for a variable or a field by name.")
        if arguments.variables_reference:
            place, of = place_of_child(session, arguments.variables_reference, arguments.name)
        else:
            place, of = place_of_expression(session, arguments.name, arguments.frame_id or None)
    except UserError as error:
        return DataBreakpointInfoResponseBody(data_id=None, description=error.message)
    if session.view.shows_short_names:
        name = shown_field_of(short_type_name(session.modules, place.type_name), place.field)
        shown = f"{name} {of}"  # the tooltip of the breakpoint says the rest
    else:
        shown = f"{shown_field_of(place.type_name, place.field)} {of} ({NOT_SEEN})"
    return DataBreakpointInfoResponseBody(
        data_id=data_id(place),
        description=shown,
        access_types=["write"],
        can_persist=not place.instance,
    )


def set_data_breakpoints(session: Session, arguments: SetDataBreakpointsArguments) -> Deferred:
    """Replace all data breakpoints. A running program is stopped for a moment, without an event."""
    _ = session.breakpoints.data  # from now on values are taken when breakpoints are bound
    asked = [_wanted(session, sent) for sent in arguments.breakpoints]
    wanted = [one for one in asked if isinstance(one, Wanted)]
    made = iter(session.breakpoints.registry.replace(DataGroup(), wanted))
    logical = [next(made) if isinstance(one, Wanted) else one for one in asked]
    return answer_when_applied(session, logical, SetDataBreakpointsResponseBody)


def _wanted(session: Session, sent: DataBreakpoint) -> Wanted | UserError:
    try:
        if sent.access_type not in (None, "write"):
            raise UserError("Only writes can be watched: ask for accessType 'write'.", code="INVALID_FIELD")
        place = _parsed(sent.data_id)
        _check(session, place)
    except UserError as error:
        return error
    return Wanted(place, settings_of(sent))


def _parsed(text: str) -> FieldPlace:
    """The place of a `dataId`; for one that cannot be understood, a place that is refused with the reason."""
    try:
        return parse_data_id(text)
    except UserError:
        return FieldPlace(text, "")


def _check(session: Session, place: FieldPlace) -> None:
    if place.instance and not session.breakpoints.data.instances.is_known(place.instance):
        raise UserError(
            "The object belongs to an earlier session: ask dataBreakpointInfo for it again.", code="INVALID_FIELD"
        )
