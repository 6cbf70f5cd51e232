"""`setBreakpoints`, `setFunctionBreakpoints` and `breakpointLocations`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from dap_dotnet.breakpoints.model import (
    BreakpointId,
    FunctionGroup,
    FunctionPlace,
    Group,
    LinePlace,
    LogicalBreakpoint,
    Pending,
    Settings,
    SourceGroup,
    Wanted,
)
from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.messages.breakpoints import (
    Breakpoint,
    BreakpointLocation,
    BreakpointLocationsArguments,
    BreakpointLocationsResponseBody,
    FunctionBreakpoint,
    SetBreakpointsArguments,
    SetBreakpointsResponseBody,
    SetFunctionBreakpointsArguments,
    SetFunctionBreakpointsResponseBody,
    SourceBreakpoint,
)
from dap_dotnet.protocol.messages.sources import Source
from dap_dotnet.server import DEFERRED, Deferred
from dap_dotnet.session.bodies import breakpoint_body
from dap_dotnet.session.breakpoint_updates import apply_breakpoints
from dap_dotnet.session.session import Session
from dap_dotnet.session.span_bodies import span_body

if TYPE_CHECKING:  # each is imported with the first request of its kind
    from dap_dotnet.protocol.messages.data_breakpoints import DataBreakpoint, SetDataBreakpointsResponseBody
    from dap_dotnet.protocol.messages.instruction_breakpoints import (
        InstructionBreakpoint,
        SetInstructionBreakpointsResponseBody,
    )

LAST_COLUMN = 0xFFFF
"""No sequence point is beyond it (Portable PDB)."""

_Body: TypeAlias = (
    "SetBreakpointsResponseBody | SetFunctionBreakpointsResponseBody"
    " | SetDataBreakpointsResponseBody | SetInstructionBreakpointsResponseBody"
)

_AFTER = re.compile(r"after:(\d{1,9})")


def set_breakpoints(session: Session, arguments: SetBreakpointsArguments) -> Deferred | SetBreakpointsResponseBody:
    """Replace the breakpoints of a file. A running program is stopped for a moment, without an event."""
    path = _path(session, arguments.source)
    view = session.view
    moved = session.breakpoints.resolver.lines.paths.ask(path)
    if moved is not None:
        session.breakpoints.registry.move(SourceGroup(path), moved)
    if arguments.breakpoints is None:
        wanted = [Wanted(LinePlace(path, view.line_from_client(line))) for line in arguments.lines or ()]
    else:
        wanted = [_wanted(view, path, sent) for sent in arguments.breakpoints]
    return replace(session, SourceGroup(path), wanted, SetBreakpointsResponseBody)


def replace(
    session: Session,
    group: Group,
    wanted: Sequence[Wanted],
    body: type[SetBreakpointsResponseBody] | type[SetFunctionBreakpointsResponseBody],
) -> Deferred:
    """Make `wanted` the breakpoints of a group, and answer the current request when the runtime has them."""
    return answer_when_applied(session, session.breakpoints.registry.replace(group, wanted), body)


def answer_when_applied(
    session: Session,
    logical: Sequence[LogicalBreakpoint | UserError],
    body: type[_Body],
) -> Deferred:
    """Answer the current request with breakpoints as they are when the runtime has all that has changed.

    While a launch is under way, pending ones are awaited until the program is loaded. An error stands for a breakpoint
    that was refused at once.
    """
    request = session.server.current_request

    def answer(error: DapDotnetError | None) -> None:
        if request.is_answered:
            return
        if error is not None:
            request.fail(error)
        else:
            request.respond(body(breakpoints=[_body(session, one) for one in logical]))

    def applied(error: DapDotnetError | None) -> None:
        pending = [one.id for one in logical if not isinstance(one, UserError) and _may_bind_soon(one)]
        if error is None and pending and session.is_loading and not session.view.stands_until_answered:
            session.breakpoints.early_answers.wait(pending, lambda: answer(None))
        else:
            answer(error)

    apply_breakpoints(session, applied)
    return DEFERRED


def _may_bind_soon(logical: LogicalBreakpoint) -> bool:
    return isinstance(logical.state, Pending) and not logical.state.failed


def _body(session: Session, logical: LogicalBreakpoint | UserError) -> Breakpoint:
    if isinstance(logical, UserError):
        return Breakpoint(verified=False, reason="failed", message=logical.message)
    return breakpoint_body(
        logical, session.view, session.source_texts.given, session.breakpoints.resolver.lines.span_now
    )


def _wanted(view: ClientView, path: str, sent: SourceBreakpoint) -> Wanted:
    column = None if sent.column is None else view.column_from_client(sent.column)
    return Wanted(LinePlace(path, view.line_from_client(sent.line), column), settings_of(sent))


def settings_of(sent: SourceBreakpoint | FunctionBreakpoint | DataBreakpoint | InstructionBreakpoint) -> Settings:
    """What a breakpoint does when it is hit.

    DAP's `mode` ``after:ID`` is our way to name the breakpoint that has to act before. Other modes mean nothing to us:
    `breakpointModes` offers none, for it could not offer ids that come later.
    """
    after = _AFTER.fullmatch(sent.mode or "")
    return Settings(
        sent.condition or None,
        sent.hit_condition or None,
        sent.log_message or None,
        after=BreakpointId(int(after[1])) if after else None,
    )


def breakpoint_locations(session: Session, arguments: BreakpointLocationsArguments) -> BreakpointLocationsResponseBody:
    """Where breakpoints can be set in a range, in the modules loaded now: at the statements that start in it."""
    view = session.view
    path = _path(session, arguments.source)
    first = view.line_from_client(arguments.line)
    if first < 1:
        raise UserError(f"There is no line {arguments.line}: ask for a line of the file.", code="INVALID_LINE")
    last = first if arguments.end_line is None else view.line_from_client(arguments.end_line)
    from_column = 0 if arguments.column is None else view.column_from_client(arguments.column)
    if arguments.column is not None and from_column < 1:
        raise UserError(f"There is no column {arguments.column}: leave it out for all.", code="INVALID_COLUMN")
    to_column = LAST_COLUMN if arguments.end_column is None else view.column_from_client(arguments.end_column)
    return BreakpointLocationsResponseBody(
        breakpoints=[
            BreakpointLocation(**span_body(span, view))
            for span in session.breakpoints.resolver.lines.spans(path, (first, from_column), (last, to_column))
        ]
    )


def _path(session: Session, source: Source) -> str:
    if not source.path:
        raise UserError("The source has no path: breakpoints can be set in files only.", code="INVALID_FILE")
    return session.view.path_from_client(source.path)


def set_function_breakpoints(
    session: Session, arguments: SetFunctionBreakpointsArguments
) -> Deferred | SetFunctionBreakpointsResponseBody:
    """Replace all function breakpoints. A running program is stopped for a moment, without an event."""
    wanted = [Wanted(FunctionPlace(sent.name.strip()), settings_of(sent)) for sent in arguments.breakpoints]
    return replace(session, FunctionGroup(), wanted, SetFunctionBreakpointsResponseBody)
