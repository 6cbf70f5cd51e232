"""`locations`: where in the source a variable is declared, or what it calls is."""

from __future__ import annotations

from dap_dotnet.breakpoints.functions.first_statement import first_statement
from dap_dotnet.errors import EvaluationError
from dap_dotnet.handlers.sources import placed
from dap_dotnet.protocol.messages.variables import LocationsArguments, LocationsResponseBody
from dap_dotnet.session.session import Session


def locations(session: Session, arguments: LocationsArguments) -> LocationsResponseBody:
    """The place in the source that a location reference of a variable means."""
    session.need_stopped()
    declared = session.stop_state.locations.get(arguments.location_reference)
    loaded = session.program().modules.get(declared.module)
    first = first_statement(loaded, declared.method) if loaded is not None else None
    if first is None or first.span is None or first.path is None:
        raise EvaluationError("The symbols have no line for it")
    path = session.modules.source_map.local_path(first.path)
    source, place = placed(session, path, first.span, declared.module)
    return LocationsResponseBody(source=source, **place)
