"""`gotoTargets`, `goto` and `restartFrame`: set the next statement."""

from __future__ import annotations

from dap_dotnet.breakpoints.model import LinePlace, Site
from dap_dotnet.breakpoints.resolution import NOT_LOADED
from dap_dotnet.errors import RuntimeCallError, UserError
from dap_dotnet.protocol.messages.execution import (
    GotoArguments,
    GotoTarget,
    GotoTargetsArguments,
    GotoTargetsResponseBody,
    RestartFrameArguments,
)
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import BreakpointLocation, Frame, ThreadId
from dap_dotnet.session.session import Session
from dap_dotnet.session.span_bodies import span_body
from dap_dotnet.session.stops import Stop, StopReason
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.restarting import il_offset_of_start, stored_parameters
from dap_dotnet.symbols.runtime_async import NO_JUMP, endangers

_WORDS = {
    "CORDBG_S_BAD_START_SEQUENCE_POINT": "the thread is in the middle of a statement; step to the next one first.",
    "CORDBG_S_BAD_END_SEQUENCE_POINT": "no statement begins there.",
    "CORDBG_E_CANT_SET_IP_INTO_FINALLY": "a finally cannot be entered from outside.",
    "CORDBG_E_CANT_SET_IP_OUT_OF_FINALLY": "a finally cannot be left before its end.",
    "CORDBG_E_CANT_SET_IP_OUT_OF_FINALLY_ON_WIN64": "a finally cannot be left before its end.",
    "CORDBG_E_CANT_SET_IP_INTO_CATCH": "a catch cannot be entered from outside.",
    "CORDBG_E_CANT_SET_IP_OUT_OF_CATCH_ON_WIN64": "a catch cannot be left before its end.",
    "CORDBG_E_CANT_SETIP_INTO_OR_OUT_OF_FILTER": "the condition of a catch (when) cannot be entered or left.",
    "CORDBG_E_SET_IP_NOT_ALLOWED_ON_NONLEAF_FRAME": "the method is waiting for a call to return.",
    "CORDBG_E_SET_IP_NOT_ALLOWED_ON_EXCEPTION": "an exception is being thrown.",
    "CORDBG_E_FUNC_EVAL_NOT_COMPLETE": "a call made by an expression has not ended.",
}
"""Why the runtime refuses, by the names of its results."""
_REFUSED = "GOTO_REFUSED"


def goto_targets(session: Session, arguments: GotoTargetsArguments) -> GotoTargetsResponseBody:
    """The statements at a place that can be the stopped thread's next: only in its current method."""
    debuggee = session.need_resumable()
    stop = session.current_stop
    assert stop is not None
    path = session.view.path_from_client(arguments.source.path or "")
    line = session.view.line_from_client(arguments.line)
    column = session.view.column_from_client(arguments.column) if arguments.column else None
    found = session.breakpoints.resolver.resolve(LinePlace(path, line, column), None)
    if not found.sites and found.reason is not None and found.reason.startswith(NOT_LOADED):
        raise UserError("No loaded module has this source file: check its path.", code=_REFUSED)
    if not found.sites:
        raise UserError(found.reason or f"There is no statement at line {line}.", code=_REFUSED)
    frame = _leaf(session, stop.thread)
    sites = [site for site in found.sites if _is_in(site.location, frame)]
    if not sites:
        raise UserError(_elsewhere(session, frame), code=_REFUSED)
    for site in sites:
        _set(session, debuggee, (stop.thread, frame), site.location, only_ask=True)
    return GotoTargetsResponseBody(targets=[_target(session, site) for site in sites])


def _target(session: Session, site: Site) -> GotoTarget:
    view, span = session.view, site.span
    assert span is not None
    span = (session.span_now(site.path, span) if site.path else None) or span
    return GotoTarget(
        id=session.stop_state.goto_targets.add(site.location),
        label=f"Line {view.line_to_client(span.line)}, column {view.column_to_client(span.column)}",
        **span_body(span, view),
    )


def goto(session: Session, arguments: GotoArguments) -> None:
    """Set a thread's next statement. The code in between does not run; the program stays stopped."""
    debuggee = session.need_resumable()
    thread = session.thread_id(arguments.thread_id)
    location = session.stop_state.goto_targets.get(arguments.target_id)
    frame = _leaf(session, thread)
    if not _is_in(location, frame):
        raise UserError(_elsewhere(session, frame), code=_REFUSED)
    _set(session, debuggee, (thread, frame), location)
    session.server.after_response(lambda: _moved(session, thread))


def restart_frame(session: Session, arguments: RestartFrameArguments) -> None:
    """Restart the topmost method of a thread; the program stays stopped. Side effects are not undone."""
    debuggee = session.need_resumable()
    context = session.stop_state.frames.get(arguments.frame_id)
    frame = _leaf(session, context.thread)
    if frame.index != context.frame.index or not session.stop_state.has_variables(arguments.frame_id):
        raise UserError(
            "Only the topmost method of a thread can be restarted: the others are waiting for calls to return.",
            code=_REFUSED,
        )
    module = session.modules.get(frame.module)
    start = il_offset_of_start(module, frame.method) if module is not None and frame.method is not None else None
    if module is None or frame.module is None or frame.method is None or start is None:
        raise UserError("The method has no source, so its beginning is not known.", code=_REFUSED)
    location = BreakpointLocation(frame.module, frame.method, start)
    _set(session, debuggee, (context.thread, frame), location)
    stored = ", ".join(stored_parameters(module, frame.method))
    if stored:
        session.client_events.console(f"The method restarts with the current values of {stored}.")
    session.server.after_response(lambda: _moved(session, context.thread, StopReason.RESTART))


def _moved(session: Session, thread: ThreadId, reason: StopReason = StopReason.GOTO) -> None:
    """The thread stands elsewhere than it did: what the client knows of the stop is stale."""
    session.stop_state.clear()
    session.finish(Stop(reason, thread))


def _leaf(session: Session, thread: ThreadId) -> Frame:
    frame = session.stack(thread).top()
    if frame is None:
        raise UserError(f"Thread {thread} has no method to continue in.", code=_REFUSED)
    return frame


def _is_in(location: BreakpointLocation, frame: Frame) -> bool:
    return (location.module, location.method) == (frame.module, frame.method)


def _elsewhere(session: Session, frame: Frame) -> str:
    name = describe_frame(session.modules, frame).name
    return f"The thread is in {name}: the next statement must be in that method."


def _set(
    session: Session,
    debuggee: Debuggee,
    leaf: tuple[ThreadId, Frame],
    location: BreakpointLocation,
    *,
    only_ask: bool = False,
) -> None:
    """Let a thread, by its topmost method, go on at a place of that. Raises `UserError` where the runtime refuses."""
    thread, frame = leaf
    try:
        debuggee.set_il_offset(thread, frame.index, location.il_offset, only_ask=only_ask)
    except RuntimeCallError as error:
        words = _WORDS.get(error.hresult_name, f"the runtime refuses ({error.hresult_name or error.message}).")
        module = session.modules.get(location.module)
        if module is not None and endangers(module, location.method, debuggee.runtime_version):
            words = NO_JUMP
        raise UserError(f"The thread cannot continue there: {words}", code=_REFUSED) from error
