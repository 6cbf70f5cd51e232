"""`exceptionInfo`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.handlers.sources import described_now
from dap_dotnet.protocol.messages.exception_info import (
    ExceptionDetails,
    ExceptionInfoArguments,
    ExceptionInfoResponseBody,
)
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session.external_code import EXTERNAL_CODE
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.frames import FrameDescription, describe_frame
from dap_dotnet.values import exceptions, implicit_calls
from dap_dotnet.values.context import Program
from dap_dotnet.values.rendering import render
from dap_dotnet.values.typenames import shown_type_name

_TRACE_FRAMES = 100
_EXTERNAL = f"   {EXTERNAL_CODE}"
_FACILITY_URT = 0x8013
_OF_TYPES = frozenset({
    0x80004001, 0x80004002, 0x80004003, 0x80004005, 0x80020012, 0x80070002, 0x80070003, 0x80070005, 0x8007000B,
    0x8007000E, 0x80070026, 0x80070057, 0x800703E9,
})  # fmt: skip
"""E_NOTIMPL, E_NOINTERFACE, E_POINTER, E_FAIL, DISP_E_DIVBYZERO, and of the errors of Windows those of .NET's types."""


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
        description=_description(program, thrown),
        break_mode=stage.value,
        details=details,
    )


def _description(program: Program, thrown: exceptions.ExceptionDescription) -> str:
    """Type and message, those of the inner exceptions, an HRESULT that is not that of the type, and what is in Data."""
    lines = _types_and_messages(thrown, "$exception", "")
    if _says_something(thrown.hresult):
        lines.append(f"HRESULT 0x{thrown.hresult:08X}")
    pairs, count = exceptions.data_of(program, thrown.value)
    lines += [f"Data[{render(program, key).text}] = {render(program, value).text}" for key, value in pairs]
    if count > len(pairs):
        lines.append(f"Data: {count - len(pairs)} more")
    return "\n".join(lines)


def _types_and_messages(thrown: exceptions.ExceptionDescription, path: str, before: str) -> list[str]:
    message = _message(thrown, path)
    lines = [f"{before}{thrown.type_name}: {message}" if message else f"{before}{thrown.type_name}"]
    for one, inner in _inner(thrown, path):
        lines += _types_and_messages(one, inner, " ---> ")
    return lines


def _says_something(hresult: int) -> bool:
    """Whether an HRESULT tells more than the type: .NET gives each type its own, of the facility 0x13 or of Windows."""
    return bool(hresult) and hresult >> 16 != _FACILITY_URT and hresult not in _OF_TYPES


def _message(thrown: exceptions.ExceptionDescription, path: str) -> str:
    """What Message says; if it throws, did not finish, or nothing may run, how to ask for it."""
    return thrown.message if thrown.is_message_known else f"<needs code of the program to run: evaluate {path}.Message>"


def _details(session: Session, thrown: exceptions.ExceptionDescription, path: str) -> ExceptionDetails:
    """An exception and its inner ones; `path` is the expression that means it."""
    inner = [_details(session, one, inner_path) for one, inner_path in _inner(thrown, path)]
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


def _inner(thrown: exceptions.ExceptionDescription, path: str) -> Iterator[tuple[exceptions.ExceptionDescription, str]]:
    """The inner exceptions, each with the expression that means it."""
    for number, one in enumerate(thrown.inner):
        yield one, f"{path}.InnerExceptions[{number}]" if thrown.is_aggregate else f"{path}.InnerException"


def _own_trace(session: Session, thrown: exceptions.ExceptionDescription) -> str | None:
    """Where an exception was thrown and what it came through, as its object remembers it; None where it does not."""
    if thrown.value.handle is None:
        return None
    try:
        frames = session.program().debuggee.exception_frames(thrown.value.handle)
    except DapDotnetError:
        return None
    hides = session.options.just_my_code and session.modules.have_user_code
    described = [described_now(session, describe_frame(session.modules, frame)) for frame in frames]
    return _trace(_EXTERNAL if hides and not one.is_user_code else _trace_line(one) for one in described) or None


def _stack_trace(session: Session, thread: ThreadId) -> str:
    """The call stack as .NET writes it, with the methods that await: that of the throw."""
    return _trace(
        _EXTERNAL
        if entry.is_external
        else _trace_line(described_now(session, describe_frame(session.modules, entry.frame)))
        for entry in session.stack(thread).page(0, _TRACE_FRAMES, collapsed=True)[0]
    )


def _trace(lines: Iterable[str | None]) -> str:
    """Runs of code that is not the user's are one line, and none at the end."""
    shown = [line for line, _ in groupby(line for line in lines if line is not None)]
    if len(shown) > 1 and shown[-1] == _EXTERNAL:
        shown.pop()
    return "\n".join(shown)


def _trace_line(shown: FrameDescription) -> str | None:
    """As .NET writes it; None for what is not a method."""
    if shown.is_marker:
        return None
    place = f" in {shown.path}:line {shown.span.line}" if shown.path and shown.span else ""
    return f"   at {shown.name}{place}"
