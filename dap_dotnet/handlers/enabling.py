"""`dap-dotnet/enableBreakpoints`, our own request: disables breakpoints, which stay known, and enables them again."""

from __future__ import annotations

from dap_dotnet.breakpoints.model import BreakpointId
from dap_dotnet.errors import UserError
from dap_dotnet.handlers.breakpoints import answer_when_applied
from dap_dotnet.protocol.messages.breakpoints import EnableBreakpointsArguments, SetBreakpointsResponseBody
from dap_dotnet.server import Deferred
from dap_dotnet.session import Session


def enable_breakpoints(session: Session, arguments: EnableBreakpointsArguments) -> Deferred:
    """Source, function and data breakpoints by id, all or, when one is unknown, none of them. Hit counts are kept."""
    registry = session.breakpoints
    found = []
    for number in arguments.breakpoint_ids:
        entry = registry.get(BreakpointId(number))
        if entry is None:
            text = f"There is no source, function or data breakpoint {number}: it was removed, or never set."
            raise UserError(text, code="BREAKPOINT_NOT_FOUND")
        found.append(entry)
    for entry in found:
        registry.set_enabled(entry.id, arguments.enabled)
    return answer_when_applied(session, found, SetBreakpointsResponseBody)
