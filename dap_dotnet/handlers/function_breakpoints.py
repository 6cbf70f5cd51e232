"""`setFunctionBreakpoints`."""

from __future__ import annotations

from dap_dotnet.breakpoints.model import FunctionGroup, FunctionPlace, Settings, Wanted
from dap_dotnet.handlers.breakpoints import replace, with_trigger
from dap_dotnet.protocol.messages.breakpoints import (
    SetFunctionBreakpointsArguments,
    SetFunctionBreakpointsResponseBody,
)
from dap_dotnet.server import Deferred
from dap_dotnet.session import Session


def set_function_breakpoints(
    session: Session, arguments: SetFunctionBreakpointsArguments
) -> Deferred | SetFunctionBreakpointsResponseBody:
    """Replace all function breakpoints. While the program runs it is stopped for a moment, unnoticed."""
    wanted = [
        Wanted(
            FunctionPlace(entry.name.strip()),
            with_trigger(
                Settings(entry.condition or None, entry.hit_condition or None, entry.log_message or None), entry.mode
            ),
        )
        for entry in arguments.breakpoints
    ]
    return replace(session, FunctionGroup(), wanted, SetFunctionBreakpointsResponseBody)
