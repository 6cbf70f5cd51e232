"""`continue`, the steps and `pause`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.errors import UserError
from dap_dotnet.protocol.messages.execution import (
    ContinueArguments,
    ContinueResponseBody,
    FrozenThreadsResponseBody,
    NextArguments,
    PauseArguments,
    StepInArguments,
    StepInTarget,
    StepInTargetsArguments,
    StepInTargetsResponseBody,
    StepOutArguments,
    ThreadArguments,
)
from dap_dotnet.runtime.model import Frame, StepKind, ThreadId
from dap_dotnet.session.session import Session
from dap_dotnet.session.span_bodies import span_body
from dap_dotnet.stepping.ranges import StepUnit
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.spans import Span

if TYPE_CHECKING:
    from dap_dotnet.stepping.step_in_targets import StepInTarget as FoundTarget


def continue_(session: Session, arguments: ContinueArguments) -> ContinueResponseBody:
    """Let all threads run, or only one."""
    if session.history is not None and session.history.forward_to_breakpoint():
        return ContinueResponseBody(all_threads_continued=True)
    session.need_resumable()
    alone = _alone(session, arguments.thread_id, arguments.single_thread)
    session.resume(alone)
    return ContinueResponseBody(all_threads_continued=alone is None)


def _alone(session: Session, thread_id: int | None, wanted: bool | None) -> ThreadId | None:
    """The thread that is to run while the others stay. Raises `UserError` where there is none, or it is frozen."""
    if not wanted:
        return None
    thread = session.thread_id(thread_id or 0)
    session.frozen.need_runnable(session.need_resumable(), thread)
    return thread


def next_(session: Session, arguments: NextArguments) -> None:
    """Step over a statement."""
    _step(session, arguments, StepKind.OVER)


def step_in(session: Session, arguments: StepInArguments) -> None:
    """Step into the next call of a statement, or into the one that `stepInTargets` has named."""
    if not arguments.target_id or session.stands_still_as:  # 0 is what typed clients send for none
        _step(session, arguments, StepKind.INTO)
        return
    thread = session.thread_id(arguments.thread_id)
    target = session.stop_state.step_in_targets.get(arguments.target_id)
    if target.thread != thread:
        raise UserError(f"The target does not belong to thread {thread}: ask for the targets of its top frame.")
    alone = _alone(session, thread, arguments.single_thread)
    _need_thawed(session, thread)
    session.prepare_step(thread, StepKind.INTO, target.target, unit=StepUnit.STATEMENT)
    session.resume(alone)


def list_step_in_targets(session: Session, arguments: StepInTargetsArguments) -> StepInTargetsResponseBody:
    """The calls that the statement of a top frame has yet to make; none for other frames."""
    from dap_dotnet.session.stop_state import ThreadTarget
    from dap_dotnet.stepping.step_in_targets import step_in_targets

    session.need_stop()
    context = session.stop_state.frames.get(arguments.frame_id)
    top = session.stack(context.thread).top()
    if top is None or top.index != context.frame.index:
        return StepInTargetsResponseBody(targets=[])
    add = session.stop_state.step_in_targets.add
    found = step_in_targets(session.modules, top)
    return StepInTargetsResponseBody(
        targets=[_target(session, add(ThreadTarget(context.thread, one)), top, one) for one in found]
    )


def _now(session: Session, top: Frame, place: Span | None) -> Span | None:
    path = describe_frame(session.modules, top).path if place is not None else None
    return session.span_now(path, place) if path is not None and place is not None else place


def _target(session: Session, target_id: int, top: Frame, found: FoundTarget) -> StepInTarget:
    return StepInTarget(
        id=target_id,
        label=found.label,
        **span_body(_now(session, top, found.place), session.view),
    )


def step_out(session: Session, arguments: StepOutArguments) -> None:
    """Step out of the method."""
    _step(session, arguments, StepKind.OUT)


def _step(session: Session, arguments: NextArguments | StepInArguments | StepOutArguments, kind: StepKind) -> None:
    if session.history is not None and session.history.forward():
        return
    thread = session.thread_id(arguments.thread_id)
    alone = _alone(session, thread, arguments.single_thread)
    _need_thawed(session, thread)
    unit = StepUnit(arguments.granularity or StepUnit.STATEMENT)
    session.prepare_step(thread, kind, unit=unit)
    session.resume(alone)


def _need_thawed(session: Session, thread: ThreadId) -> None:
    """A step of a frozen thread would never end."""
    debuggee = session.need_resumable()
    if thread in session.frozen.by_user:
        session.frozen.need_runnable(debuggee, thread)


def freeze_thread(session: Session, arguments: ThreadArguments) -> FrozenThreadsResponseBody:
    """Freeze a thread until it is thawed or the session ends."""
    session.frozen.freeze(session.need_resumable(), session.thread_id(arguments.thread_id))
    return _frozen(session)


def thaw_thread(session: Session, arguments: ThreadArguments) -> FrozenThreadsResponseBody:
    """Let a frozen thread run again."""
    session.frozen.thaw(session.need_resumable(), session.thread_id(arguments.thread_id))
    return _frozen(session)


def _frozen(session: Session) -> FrozenThreadsResponseBody:
    if session.view.supports_invalidated_event:
        session.server.after_response(session.client_events.threads_invalidated)
    return FrozenThreadsResponseBody(frozen=sorted(session.frozen.by_user))


def pause(session: Session, arguments: PauseArguments) -> None:
    """Stop all threads; the one that is named is shown where it runs the user's code."""
    session.need_debuggee()
    named = ThreadId(arguments.thread_id) if arguments.thread_id is not None else None
    session.server.after_response(lambda: session.pause(named))
