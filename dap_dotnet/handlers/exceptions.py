"""`setExceptionBreakpoints`."""

from __future__ import annotations

from dap_dotnet.breakpoints.exceptions.rules import (
    DUMP_FILTER,
    STAGE_OF_FILTER,
    STAGES_OF_MODE,
    AskedExceptions,
    ExceptionStage,
    TypeCondition,
    dumps_asked,
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


def set_exception_breakpoints(
    session: Session, arguments: SetExceptionBreakpointsArguments
) -> SetExceptionBreakpointsResponseBody:
    """Choose which exceptions stop. The response has an entry for each filter, filter option and exception option."""
    asked: list[AskedExceptions | UserError] = [_filter(name, None) for name in arguments.filters]
    asked += [_filter(option.filter_id, option.condition) for option in arguments.filter_options or ()]
    asked += [_option(option) for option in arguments.exception_options or ()]
    wanted = [one for one in asked if not isinstance(one, UserError)]
    breakpoints = session.breakpoints
    names_unhandled = any(ExceptionStage.UNHANDLED in one.stages for one in wanted if not one.saves_dump)
    breakpoints.exceptions.set_unhandled_by_default(not names_unhandled)
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


def _filter(name: str, condition: str | None) -> AskedExceptions | UserError:
    stage = STAGE_OF_FILTER.get(name)
    if stage is None and name != DUMP_FILTER:
        return UserError(f"Unknown exception filter '{name}'; there are {', '.join((*STAGE_OF_FILTER, DUMP_FILTER))}.")
    try:
        parsed = parse_condition(condition)
        return dumps_asked(parsed) if stage is None else AskedExceptions((stage,), parsed)
    except UserError as error:
        return error


def _option(option: ExceptionOptions) -> AskedExceptions | UserError:
    """A path of exception types, as older clients send: the names of its last segment count."""
    stages = STAGES_OF_MODE[option.break_mode]
    segment = option.path[-1] if option.path else None
    if segment is None or not segment.names:
        return AskedExceptions(stages)
    try:
        condition = parse_condition(", ".join(segment.names))
    except UserError as error:
        return error
    return AskedExceptions(stages, TypeCondition(excluded=condition.included) if segment.negate else condition)
