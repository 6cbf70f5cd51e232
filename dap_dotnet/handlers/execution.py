"""`continue`, the steps and `pause`."""

from __future__ import annotations

from dap_dotnet.protocol.messages.execution import (
    ContinueArguments,
    ContinueResponseBody,
    NextArguments,
    PauseArguments,
    StepInArguments,
    StepOutArguments,
)
from dap_dotnet.runtime.model import StepKind
from dap_dotnet.session.session import Session


def continue_(session: Session, arguments: ContinueArguments) -> ContinueResponseBody:
    """Let all threads run."""
    session.need_resumable()
    session.server.after_response(session.resume)
    return ContinueResponseBody(all_threads_continued=True)


def next_(session: Session, arguments: NextArguments) -> None:
    """Step over a statement."""
    _step(session, arguments.thread_id, StepKind.OVER)


def step_in(session: Session, arguments: StepInArguments) -> None:
    """Step into the next call of a statement."""
    _step(session, arguments.thread_id, StepKind.INTO)


def step_out(session: Session, arguments: StepOutArguments) -> None:
    """Step out of the method."""
    _step(session, arguments.thread_id, StepKind.OUT)


def _step(session: Session, thread_id: int, kind: StepKind) -> None:
    session.prepare_step(session.thread_id(thread_id), kind)
    session.server.after_response(session.resume)


def pause(session: Session, arguments: PauseArguments) -> None:
    """Stop all threads."""
    session.need_debuggee()
    session.server.after_response(session.pause)
