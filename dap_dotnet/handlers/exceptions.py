"""`setExceptionBreakpoints` and `exceptionInfo`."""

from __future__ import annotations

from dap_dotnet.breakpoints.exceptions.rules import (
    STAGE_DESCRIPTIONS,
    STAGE_OF_FILTER,
    STAGES_OF_MODE,
    ExceptionStage,
    TypeCondition,
    parse_condition,
)
from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.protocol.messages.breakpoints import (
    Breakpoint,
    ExceptionDetails,
    ExceptionInfoArguments,
    ExceptionInfoResponseBody,
    ExceptionOptions,
    SetExceptionBreakpointsArguments,
    SetExceptionBreakpointsResponseBody,
)
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session.bodies import exception_breakpoint_body
from dap_dotnet.session.breakpoint_updates import apply_exception_rule
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.frames import FrameDescription, describe_frame
from dap_dotnet.values import exceptions
from dap_dotnet.values.context import Program
from dap_dotnet.values.rendering import render
from dap_dotnet.values.typenames import shown_type_name

_TRACE_FRAMES = 100
_Wanted = tuple[tuple[ExceptionStage, ...], TypeCondition]


def set_exception_breakpoints(
    session: Session, arguments: SetExceptionBreakpointsArguments
) -> SetExceptionBreakpointsResponseBody:
    """Choose which exceptions stop. One answer for each filter, filter option and exception option, in this order."""
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
        return UserError(f"There is no exception filter '{name}'; there are {', '.join(STAGE_OF_FILTER)}.")
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


def exception_info(session: Session, arguments: ExceptionInfoArguments) -> ExceptionInfoResponseBody:
    """The exception that a thread stopped for."""
    program = session.program()
    stop = session.current_stop
    stage = stop.exception_stage if stop is not None else None
    thread = session.thread_id(arguments.thread_id)
    thrown = exceptions.current(program, thread)
    if thrown is None or stage is None:
        raise UserError(f"Thread {arguments.thread_id} has not stopped for an exception.")
    thrown = session.last_words.explained(thrown)
    details = _details(session, thrown, "$exception")
    details.stack_trace = _stack_trace(session, thread)
    return ExceptionInfoResponseBody(
        exception_id=f"CLR/{thrown.type_name}",
        description=_description(program, stage, thrown),
        break_mode=stage.value,
        details=details,
    )


def _description(program: Program, stage: ExceptionStage, thrown: exceptions.ExceptionDescription) -> str:
    """What DAP has no members for, in words: the HRESULT, the source, and what is in Data."""
    source = f", source {thrown.source}" if thrown.source else ""
    text = f"{STAGE_DESCRIPTIONS[stage]}: {_message(thrown, '$exception')} (HRESULT 0x{thrown.hresult:08X}{source})"
    pairs, count = exceptions.data_of(program, thrown.value)
    for key, value in pairs:
        text += f"\nData[{render(program, key).text}] = {render(program, value).text}"
    return text + (f"\nData: {count - len(pairs)} more" if count > len(pairs) else "")


def _message(thrown: exceptions.ExceptionDescription, path: str) -> str:
    """What Message says. A getter that does more than read is not run: editors ask at each stop, and it may not end."""
    return thrown.message if thrown.is_message_known else f"<only the program knows it: evaluate {path}.Message>"


def _details(session: Session, thrown: exceptions.ExceptionDescription, path: str) -> ExceptionDetails:
    """An exception and its inner ones; `path` is the expression that means it."""
    inner = []
    for number, one in enumerate(thrown.inner):
        member = f"InnerExceptions[{number}]" if thrown.is_aggregate else "InnerException"
        inner.append(_details(session, one, f"{path}.{member}"))
    if thrown.inner_count > len(inner):  # too many, too deep, or one that this one is inside of
        member = "InnerExceptions" if thrown.is_aggregate else "InnerException"
        inner.append(ExceptionDetails(message=f"… {thrown.inner_count - len(inner)} more: {path}.{member}"))
    return ExceptionDetails(
        message=_message(thrown, path),
        type_name=shown_type_name(session.program(), thrown.value.type),
        full_type_name=thrown.type_name,
        evaluate_name=path,
        stack_trace=_own_trace(session, thrown),
        inner_exception=inner or None,
    )


def _own_trace(session: Session, thrown: exceptions.ExceptionDescription) -> str | None:
    """Where an exception was thrown and what it came through, as its object remembers it; None where it does not."""
    if thrown.value.handle is None:
        return None
    try:
        frames = session.program().debuggee.exception_frames(thrown.value.handle)
    except DapDotnetError:
        return None
    lines = [_trace_line(describe_frame(session.modules, frame)) for frame in frames]
    return "\n".join(line for line in lines if line is not None) or None


def _stack_trace(session: Session, thread: ThreadId) -> str:
    """The stack as .NET writes it; the exception is in flight, so that it is that of the throw."""
    lines = []
    for entry in session.stack(thread).page(0, _TRACE_FRAMES)[0]:
        shown = describe_frame(session.modules, entry.frame)
        if entry.is_async:
            break
        line = _trace_line(shown)
        if line is not None:
            lines.append(line)
    return "\n".join(lines)


def _trace_line(shown: FrameDescription) -> str | None:
    """As .NET writes it; None for what is not a method."""
    if shown.is_marker:
        return None
    place = f" in {shown.path}:line {shown.span.line}" if shown.path and shown.span else ""
    return f"   at {shown.name}{place}"
