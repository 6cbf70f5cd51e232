"""What the session does on each runtime event. Session thread only.

A reaction returns True when it keeps the hold of its event: a stop was made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dap_dotnet.breakpoints.exceptions.rules import STAGE_DESCRIPTIONS, ExceptionStage
from dap_dotnet.breakpoints.model import FieldPlace, FunctionPlace, InstructionPlace, LogicalBreakpoint
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.runtime import events
from dap_dotnet.runtime.model import MAPPING_EXACT, BreakpointLocation, Frame, FrameKind, ThreadId, Value
from dap_dotnet.session import module_events, stops
from dap_dotnet.session.session import Session
from dap_dotnet.stepping.skipped_methods import SkipReason, attribute_of
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values import exceptions
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.hit_reads import HitReads

if TYPE_CHECKING:
    from dap_dotnet.breakpoints.data.changes import Change


_MESSAGE_CHARACTERS = 200
"""So much of an exception's message is in the debug console."""


def react(session: Session, event: events.RuntimeEvent) -> bool:
    """Do what an event of its class, or of the nearest base that has a reaction, asks for."""
    if session.options.reports.runtime_events:
        _report(session, event)
    for kind in type(event).__mro__:
        if kind in _REACTIONS:
            return _REACTIONS[kind](session, event)
    return False


def _report(session: Session, event: events.RuntimeEvent) -> None:
    if isinstance(event, events.OutputWritten):
        return  # which the console has anyway
    facts = [f"{name} {getattr(event, name)}" for name in ("thread", "phase", "il_offset") if hasattr(event, name)]
    if isinstance(event, events.ModuleLoaded):
        facts = [event.module.path]
    session.client_events.console(f"Runtime event: {', '.join([type(event).__name__, *facts])}")


def _on_breakpoint(session: Session, event: events.BreakpointHit) -> bool:
    assert session.debuggee is not None
    stepping = session.stepping_so_far
    if stepping is not None and stepping.is_mine(event):
        if stepping.ends_at(session.program(), event):
            return session.finish(stops.Stop(stops.StopReason.STEP, event.thread, frame=stepping.arrived_at))
        return False
    if session.breakpoints.exceptions.calls.is_mine(event.bound):
        return _on_told_exception(session, event)
    entry_point, registry = session.breakpoints.entry_point, session.breakpoints.registry
    if entry_point.is_mine(event.bound):
        if registry.bound_at(entry_point.location) is not None:
            return False  # the user's own breakpoint is there: its event stops
        entry_point.take(entry_point.location, session.debuggee)
        return session.finish(stops.at_breakpoint(event.thread, [], is_entry=True))
    location = registry.location_of(event.bound)
    hit = registry.hit(event.bound)
    if location is None:
        return session.finish(stops.at_breakpoint(event.thread, [], is_entry=False))
    is_entry = entry_point.take(location, session.debuggee)
    if not is_entry and _is_passed_by(session, location):
        return False
    reads = session.breakpoints.read_plans.at(event, session.clock.generation, is_fresh=session.holds.has(event))
    context = _context(session, event.thread, location, reads)
    hit, changes = _changed_only(session, context, location, hit)
    is_stop = _act(session, context, location, hit, changes, is_entry=is_entry)
    if reads is not None:
        session.breakpoints.read_plans.learn(session.debuggee, event.bound, reads)
        if not is_stop and session.breakpoints.read_plans.number(event.bound) == event.plan:
            session.breakpoints.hit_tests.look(session.debuggee, event, hit, context, reads)
    return is_stop


def _is_passed_by(session: Session, location: BreakpointLocation) -> bool:
    """Whether a method's attributes ask that the program does not stop in it."""
    module = session.modules.get(location.module)
    just_my_code = session.options.just_my_code
    reason = attribute_of(module, location.method, just_my_code=just_my_code) if module is not None else None
    return reason in (SkipReason.HIDDEN, SkipReason.NON_USER_CODE) or (
        just_my_code and reason is SkipReason.STEP_THROUGH
    )


def _context(
    session: Session, thread: ThreadId, location: BreakpointLocation, reads: HitReads | None = None
) -> FrameContext:
    frame = Frame(0, FrameKind.IL, location.module, location.method, location.il_offset, MAPPING_EXACT, 0, 0)
    return FrameContext(session.program(), thread, frame, reads)


def _changed_only(
    session: Session, context: FrameContext, location: BreakpointLocation, hit: list[LogicalBreakpoint]
) -> tuple[list[LogicalBreakpoint], list[Change]]:
    """The hit breakpoints without those on data whose field has not changed; and the changes."""
    on_data = [logical for logical in hit if isinstance(logical.place, FieldPlace)]
    if not on_data:
        return hit, []
    changes = session.breakpoints.data.hit(context, location, on_data)
    changed = [change.logical for change in changes]
    return [logical for logical in hit if logical not in on_data or logical in changed], changes


def _act(
    session: Session,
    context: FrameContext,
    location: BreakpointLocation,
    hit: list[LogicalBreakpoint],
    changes: list[Change],
    *,
    is_entry: bool = False,
) -> bool:
    """Stop for hit breakpoints, or not; messages of log points are written, failed conditions are reported."""
    session.break_calls.hits(context.thread, location)
    outcome = session.breakpoints.verdicts.decide(hit, location, context)
    if outcome.messages:
        site = next((site.site for logical in hit for site in logical.sites if site.site.location == location), None)
        session.client_events.log_messages(outcome.messages, site.span if site else None, site.path if site else None)
    for logical, reason in outcome.failed:
        session.client_events.condition_failed(logical, reason)
    stopping = outcome.stopping
    decision = stops.at_breakpoint(
        context.thread,
        [logical.id for logical in stopping],
        is_entry=is_entry,
        reason=_reason_of(stopping, ends_step=bool(stopping) and _ends_step(session, context)),
        changes=[change.text for change in changes if change.logical in stopping],
    )
    return session.finish(decision)


def _ends_step(session: Session, context: FrameContext) -> bool:
    """Whether the user's step ends where a breakpoint was hit: the runtime reports the breakpoint first.

    Not where the step began: another thread had stopped the program before this one's hit could be told.
    """
    thread, stepping = context.thread, session.stepping_so_far
    if stepping is None or stepping.thread != thread or stepping.has_begun_at(context.frame):
        return False
    return session.need_debuggee().has_queued_events_of(thread)


def _reason_of(stopping: list[LogicalBreakpoint], *, ends_step: bool) -> stops.StopReason:
    if ends_step:
        return stops.StopReason.STEP
    kinds = {type(logical.place) for logical in stopping}
    if kinds == {FunctionPlace}:
        return stops.StopReason.FUNCTION_BREAKPOINT
    if kinds == {InstructionPlace}:
        return stops.StopReason.INSTRUCTION_BREAKPOINT
    return stops.StopReason.BREAKPOINT


def _on_step(session: Session, event: events.StepCompleted) -> bool:
    assert session.debuggee is not None
    if session.breakpoints.has_data and session.breakpoints.data.is_mine(event.stepper):
        return _on_left(session, event)
    if session.stepping.ends_at(session.program(), event):
        return session.finish(stops.Stop(stops.StopReason.STEP, event.thread, frame=session.stepping.arrived_at))
    return False


def _on_left(session: Session, event: events.StepCompleted) -> bool:
    """A method that stores to a watched field and returns at once was left: its caller is where the stop is."""
    assert session.debuggee is not None
    frame = StackView(session.debuggee, event.thread).top()
    if frame is None or frame.module is None or frame.method is None or frame.il_offset is None:
        session.breakpoints.data.abandon(event.stepper)
        return False
    location = BreakpointLocation(frame.module, frame.method, frame.il_offset)
    context = FrameContext(session.program(), event.thread, frame)
    changes = session.breakpoints.data.left(context, event.stepper)
    hit = [change.logical for change in changes]
    return _act(session, context, location, hit, changes)


def _on_break(session: Session, event: events.DebuggerBreak) -> bool:
    if session.break_calls.is_announced(session.need_debuggee(), event.thread):
        return False  # the program has just stopped on that very statement
    if session.options.runs_tests and session.break_calls.is_of_test_platform(session.need_debuggee(), event.thread):
        return False
    text = "The program called Debugger.Break()"
    return session.finish(stops.Stop(stops.StopReason.PAUSE, event.thread, description=text))


def _on_exception(session: Session, event: events.ExceptionRaised) -> bool:
    if session.options.reports.exceptions and event.phase is events.ExceptionPhase.FIRST_CHANCE:
        _report_throw(session, event)
    if session.breakpoints.exceptions.dumps(session.program(), event, just_my_code=session.options.just_my_code):
        _save_dump(session, event)
    stage = session.breakpoints.exceptions.decide(session.program(), event, just_my_code=session.options.just_my_code)
    if stage is None:
        if session.stepping_so_far is not None:
            session.stepping_so_far.ends_at(session.program(), event)
        return False
    thrown = _thrown(session, event)
    return _finish_exception(session, event.thread, stage, thrown)


def _save_dump(session: Session, event: events.ExceptionRaised) -> None:
    thrown = exceptions.current(session.program(event.thread), event.thread, with_inner=False)
    if thrown is None:
        text = "an exception"
    else:
        text = f"{thrown.type_name}: {thrown.message}" if thrown.message else thrown.type_name
    from dap_dotnet.session.dumps import save_for

    save_for(session, text)


def _on_told_exception(session: Session, event: events.BreakpointHit) -> bool:
    """Other code tells of an exception of the user's that it handles."""
    program = session.program(event.thread)
    told = session.breakpoints.exceptions.decide_on_told(program, event.thread)
    if told is None:
        return False
    thrown = _thrown(session, event) or exceptions.describe(program, told, with_inner=False)
    return _finish_exception(session, event.thread, ExceptionStage.USER_UNHANDLED, thrown)


def _finish_exception(
    session: Session, thread: ThreadId, stage: ExceptionStage, thrown: exceptions.ExceptionDescription | None
) -> bool:
    if not session.holds.is_held:  # its Message cannot be ended, nor the program be stopped, as the user was told
        return False
    text = None
    if thrown is not None:
        thrown = session.last_words.explained(thrown)
        text = f"{thrown.type_name}: {thrown.message}" if thrown.message else thrown.type_name
    description = STAGE_DESCRIPTIONS[stage]
    return session.finish(stops.Stop(stops.StopReason.EXCEPTION, thread, (), description, text, stage))


def _thrown(
    session: Session, event: events.ExceptionRaised | events.BreakpointHit
) -> exceptions.ExceptionDescription | None:
    """The exception of a stop, with its message where only running the program tells that."""
    program = session.program(event.thread)
    unread: list[Value] = []
    thrown = exceptions.current(program, event.thread, with_inner=False, ask=unread.append)
    if not unread:
        return thrown
    from dap_dotnet.values import implicit_calls  # much that no other stop waits for

    try:
        return implicit_calls.thrown(program, event.thread, with_inner=False)
    except DapDotnetError:
        if session.holds.is_held:
            raise
        return None


def _report_throw(session: Session, event: events.ExceptionRaised) -> None:
    thrown = exceptions.current(session.program(event.thread), event.thread)
    module = session.modules.get(event.module)
    if thrown is not None:
        where = f" in {module.name}" if module is not None else ""
        message = thrown.message.split("\n")[0][:_MESSAGE_CHARACTERS]
        text = f"Exception thrown: '{thrown.type_name}'{where}" + (f": {message}" if message else "")
        span = path = None
        if event.method is not None and event.il_offset is not None and module is not None:
            frame = Frame(0, FrameKind.IL, module.id, event.method, event.il_offset, MAPPING_EXACT, 0, 0)
            described = describe_frame(session.modules, frame)
            span, path = described.span, described.path
        session.client_events.log_messages([text], span, path)


def _on_stop_completed(session: Session, event: events.StopCompleted) -> bool:
    if not session.stop_request_answered(has_stopped=True):
        return False
    from dap_dotnet.session.thread_to_show import (
        thread_that_failed,
        thread_to_show,
    )  # takes long to import, and few programs are paused

    failed = thread_that_failed(session.need_debuggee())
    if failed is not None:
        thrown = exceptions.current(session.program(failed), failed, with_inner=False)
        return _finish_exception(session, failed, ExceptionStage.UNHANDLED, thrown)
    return session.finish(
        stops.Stop(stops.StopReason.PAUSE, thread_to_show(session.program(), session.thread_to_pause))
    )


def _on_stop_timed_out(session: Session, event: events.StopTimedOut) -> bool:
    is_quiet = session.holds.is_quiet
    session.stop_request_answered(has_stopped=False)
    if is_quiet:
        return False
    session.client_events.important(
        "The program could not be stopped: a thread runs code that the runtime cannot interrupt (.NET 8 and older "
        "cannot stop a loop that calls nothing of the framework). It will stop, and changed breakpoints take effect, "
        "as soon as it can."
    )
    return False


def _on_eval_completed(session: Session, event: events.EvalCompleted) -> bool:
    stage = None
    try:
        lost = session.unfinished_calls.ended(event.evaluation)
        if lost is None:
            return False
        text = "The call made by an expression has ended: the thread is where it was"
        stage = lost.exception_stage
    except DapDotnetError as error:  # of the step that waited for it
        text = error.message
    stop = stops.Stop(stops.StopReason.EVALUATION, event.thread, description=text, exception_stage=stage)
    return session.finish(stop)


def _on_process_exited(session: Session, event: events.ProcessExited) -> bool:
    session.process_is_gone()
    if session.options.is_attach:
        session.end_attached()
    return False


def _on_reaped(session: Session, event: events.ProcessReaped) -> bool:
    session.logger_lines.flush()
    if event.signal is not None and not session.replacement.is_wanted:
        is_call = session.event_queue.deferred.is_evaluating
        where = ", inside a call made by an expression or for a value's text" if is_call else ""
        session.client_events.warning(f"The program was ended by signal {event.signal}{where}.")
    if session.options.reports.process_exit and event.exit_code is not None and session.debuggee is not None:
        who = f"[{session.debuggee.process_id}] {file_name(session.client_events.process_name)}"
        code = f"{event.exit_code} (0x{event.exit_code & 0xFFFFFFFF:x})"
        session.client_events.console(f"The program '{who}' has exited with code {code}.")
    session.end(event.exit_code)
    return False


def _on_runtime_failed(session: Session, event: events.RuntimeFailed) -> bool:
    session.client_events.important(
        f"The connection to the .NET runtime broke: {event.error}. Start the session again."
    )
    return False


def _on_output(session: Session, event: events.OutputWritten) -> bool:
    if event.is_error:
        session.last_words.written(event.text)
    if session.options.browser is not None:
        session.options.browser.written("stderr" if event.is_error else "stdout", event.text)
    if not session.options.reports.program_output:
        return False
    session.client_events.output("stderr" if event.is_error else "stdout", event.text)
    session.logger_lines.written(event.text)
    return False


def _on_test_report(session: Session, event: events.RunReported) -> bool:
    session.client_events.test_report(event.report)
    return False


def _on_message(session: Session, event: events.MessageLogged) -> bool:
    text = event.message if event.message.endswith("\n") else event.message + "\n"  # each call is a line of its own
    if session.options.browser is not None:  # its output may go to a terminal
        session.options.browser.written("messages", text)
    if session.options.shows_output:
        session.logger_lines.logged(text)
    else:
        session.client_events.console(text.removesuffix("\n"))
    return False


def _on_thread_started(session: Session, event: events.ThreadStarted) -> bool:
    session.threads.started(event.thread, is_main=session.need_debuggee().process_id == event.thread)
    session.frozen.has_changed()
    session.client_events.thread("started", event.thread)
    return False


def _on_thread_exited(session: Session, event: events.ThreadExited) -> bool:
    session.breakpoints.exceptions.thread_exited(event.thread)
    if session.breakpoints.has_data:
        session.breakpoints.data.thread_exited(event.thread)
    session.threads.exited(event.thread)
    session.frozen.exited(event.thread)
    session.client_events.thread("exited", event.thread)
    if session.options.reports.thread_exit:
        session.client_events.console(f"Thread {event.thread} has ended.")
    return False


def _on_thread_renamed(session: Session, event: events.ThreadRenamed) -> bool:
    if event.thread is not None:
        session.threads.renamed(event.thread)
    return False


def _on_breakpoint_failed(session: Session, event: events.BreakpointFailed) -> bool:
    if session.debuggee is not None:
        session.breakpoints.registry.bound_failed(event.bound, event.error, session.debuggee)
    return False


_REACTIONS: dict[type[events.RuntimeEvent], Callable[[Session, Any], bool]] = {
    events.ModuleLoaded: module_events.module_loaded,
    events.ModuleUnloaded: module_events.module_unloaded,
    events.BreakpointHit: _on_breakpoint,
    events.StepCompleted: _on_step,
    events.DebuggerBreak: _on_break,
    events.ExceptionRaised: _on_exception,
    events.StopCompleted: _on_stop_completed,
    events.EvalCompleted: _on_eval_completed,
    events.StopTimedOut: _on_stop_timed_out,
    events.ProcessExited: _on_process_exited,
    events.ProcessReaped: _on_reaped,
    events.RuntimeFailed: _on_runtime_failed,
    events.OutputWritten: _on_output,
    events.RunReported: _on_test_report,
    events.MessageLogged: _on_message,
    events.ThreadStarted: _on_thread_started,
    events.ThreadExited: _on_thread_exited,
    events.ThreadRenamed: _on_thread_renamed,
    events.BreakpointFailed: _on_breakpoint_failed,
}
