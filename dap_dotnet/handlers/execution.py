"""`continue`, the steps and `pause`."""

from __future__ import annotations

from dap_dotnet.errors import UserError
from dap_dotnet.protocol.messages.execution import (
    ContinueArguments,
    ContinueResponseBody,
    NextArguments,
    PauseArguments,
    StepInArguments,
    StepInTarget,
    StepInTargetsArguments,
    StepInTargetsResponseBody,
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
    """Step into the next call of a statement, or into the one that `stepInTargets` has named."""
    if not arguments.target_id:  # 0 is what typed clients send for none
        _step(session, arguments.thread_id, StepKind.INTO)
        return
    thread = session.thread_id(arguments.thread_id)
    target = session.stop_state.step_in_targets.get(arguments.target_id)
    if target.thread != thread:
        raise UserError(f"The target is not of thread {thread}: ask for the targets of its top frame.")
    session.prepare_step(thread, StepKind.INTO, target.target)
    session.server.after_response(session.resume)


def list_step_in_targets(session: Session, arguments: StepInTargetsArguments) -> StepInTargetsResponseBody:
    """The calls that the statement of a top frame has still to make; none for other frames."""
    from dap_dotnet.session.stop_state import ThreadTarget
    from dap_dotnet.stepping.step_in_targets import step_in_targets

    session.need_resumable()
    context = session.stop_state.frames.get(arguments.frame_id)
    top = session.stack(context.thread).top()
    if top is None or top.index != context.frame.index:
        return StepInTargetsResponseBody(targets=[])
    add = session.stop_state.step_in_targets.add
    found = step_in_targets(session.modules, top)
    targets = [StepInTarget(id=add(ThreadTarget(context.thread, one)), label=one.label) for one in found]
    return StepInTargetsResponseBody(targets=targets)


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
