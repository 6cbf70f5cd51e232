"""`exceptionInfo`."""

from __future__ import annotations

from dap_dotnet.breakpoints.exceptions.rules import (
    STAGE_DESCRIPTIONS,
    ExceptionStage,
)
from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.protocol.messages.exception_info import (
    ExceptionDetails,
    ExceptionInfoArguments,
    ExceptionInfoResponseBody,
)
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.frames import FrameDescription, describe_frame
from dap_dotnet.values import exceptions, implicit_calls
from dap_dotnet.values.context import Program
from dap_dotnet.values.rendering import render
from dap_dotnet.values.typenames import shown_type_name

_TRACE_FRAMES = 100


def exception_info(session: Session, arguments: ExceptionInfoArguments) -> ExceptionInfoResponseBody:
    """The exception that a thread stopped for."""
    program = session.program()
    stop = session.current_stop
    stage = stop.exception_stage if stop is not None else None
    thread = session.thread_id(arguments.thread_id)
    thrown = implicit_calls.thrown(program, thread)
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
    """What Message says; if it throws, did not finish, or nothing may run, how to ask for it."""
    return thrown.message if thrown.is_message_known else f"<needs code of the program to run: evaluate {path}.Message>"


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
