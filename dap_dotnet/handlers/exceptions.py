"""`setExceptionBreakpoints`."""

from __future__ import annotations

from dap_dotnet.breakpoints.exceptions.rules import (
    STAGE_OF_FILTER,
    STAGES_OF_MODE,
    ExceptionStage,
    TypeCondition,
    parse_condition,
)
from dap_dotnet.errors import UserError
from dap_dotnet.protocol.messages.breakpoints import (
    Breakpoint,
    ExceptionOptions,
    SetExceptionBreakpointsArguments,
    SetExceptionBreakpointsResponseBody,
)
from dap_dotnet.session.bodies import exception_breakpoint_body
from dap_dotnet.session.breakpoint_updates import apply_exception_rule
from dap_dotnet.session.session import Session

_Wanted = tuple[tuple[ExceptionStage, ...], TypeCondition]


def set_exception_breakpoints(
    session: Session, arguments: SetExceptionBreakpointsArguments
) -> SetExceptionBreakpointsResponseBody:
    """Choose which exceptions stop. The response has an entry for each filter, filter option and exception option."""
    asked: list[_Wanted | UserError] = [_filter(name, None) for name in arguments.filters]
    asked += [_filter(option.filter_id, option.condition) for option in arguments.filter_options or ()]
    asked += [_option(option) for option in arguments.exception_options or ()]
    wanted = [one for one in asked if not isinstance(one, UserError)]
    breakpoints = session.breakpoints
    breakpoints.exceptions.set_unhandled_by_default(not any(ExceptionStage.UNHANDLED in stages for stages, _ in wanted))
    made = iter(breakpoints.exceptions.replace(wanted, breakpoints.registry.new_id))
    apply_exception_rule(session)
    return SetExceptionBreakpointsResponseBody(
        breakpoints=[
            Breakpoint(verified=False, reason="failed", message=one.message)
            if isinstance(one, UserError)
            else exception_breakpoint_body(next(made))
            for one in asked
        ]
    )


def _filter(name: str, condition: str | None) -> _Wanted | UserError:
    stage = STAGE_OF_FILTER.get(name)
    if stage is None:
        return UserError(f"Unknown exception filter '{name}'; there are {', '.join(STAGE_OF_FILTER)}.")
    try:
        return (stage,), parse_condition(condition)
    except UserError as error:
        return error


def _option(option: ExceptionOptions) -> _Wanted | UserError:
    """A path of exception types, as older clients send: the names of its last segment count."""
    stages = STAGES_OF_MODE[option.break_mode]
    segment = option.path[-1] if option.path else None
    if segment is None or not segment.names:
        return stages, TypeCondition()
    try:
        condition = parse_condition(", ".join(segment.names))
    except UserError as error:
        return error
    return stages, TypeCondition(excluded=condition.included) if segment.negate else condition
