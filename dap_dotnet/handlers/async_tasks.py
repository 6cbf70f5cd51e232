"""`dap-dotnet/asyncTasks`: the suspended async methods of the program, each with its await and who awaits it."""

from __future__ import annotations

import msgspec

from dap_dotnet.async_tasks.suspended_methods import SuspendedMethod, SuspendedMethods, suspended_methods
from dap_dotnet.async_tasks.task_trees import Line, task_trees
from dap_dotnet.errors import NotStoppedError
from dap_dotnet.handlers.sources import described_now, placed
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.protocol.messages.async_tasks import AsyncTask, AsyncTasksArguments, AsyncTasksResponseBody
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.server.requests import RequestCancelledError
from dap_dotnet.session.session import Session
from dap_dotnet.session.span_bodies import NO_PLACE, SpanBody
from dap_dotnet.symbols.frames import FrameDescription, describe_frame
from dap_dotnet.symbols.short_names import short_name
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.generic_frames import generic_arguments

_MOST = 1_000
_MOST_LINES = 200


def async_tasks(session: Session, arguments: AsyncTasksArguments) -> AsyncTasksResponseBody:
    """A page of the methods. The heap is searched when the first page is requested at a stop."""
    session.need_stop()
    stop = session.current_stop
    if stop is None:
        raise NotStoppedError("The program is running: pause it first, or wait until it stops.")
    found = _found(session)
    start = min(max(arguments.start or 0, 0), len(found.methods))
    count = arguments.count if arguments.count and 0 < arguments.count < _MOST else _MOST
    program = session.program()
    text = task_trees(found.methods, lambda one: task_line(session, program, stop.thread, one), _MOST_LINES)
    if found.hidden:
        text += f"\nOthers, in code that is not yours: {found.hidden:,}."
    if not found.is_complete:
        text += "\nThe heap is too large to search in time: there may be others."
    return AsyncTasksResponseBody(
        tasks=[_task(session, program, stop.thread, one) for one in found.methods[start : start + count]],
        total=len(found.methods),
        hidden=found.hidden,
        is_complete=found.is_complete,
        text=text,
    )


def _found(session: Session) -> SuspendedMethods:
    program = session.program()
    found = session.stop_state.suspended_methods
    if found is None or found.generation != program.clock.generation or not found.is_complete:
        request = session.server.current_request

        def is_cancelled() -> bool:
            return request.is_cancelled or session.wants_to_stop

        found = suspended_methods(program, just_my_code=session.options.just_my_code, is_cancelled=is_cancelled)
        if request.is_cancelled:
            raise RequestCancelledError
        session.stop_state.remember_suspended_methods(found)
    return found


def _task(session: Session, program: Program, thread: ThreadId, one: SuspendedMethod) -> AsyncTask:
    machine = one.machine(program)
    session.stop_state.opened_results.add(machine)
    context = FrameContext(program, thread, one.frame(), machine=machine.get)
    described = _described(session, one, context)
    path, name = described.path, described.name
    module_id = context.frame.module
    source, place = placed(session, path, described.span, module_id) if path else (None, SpanBody())
    waits_for = one.awaited.text if one.awaited is not None else None
    if session.view.shows_short_names:
        module = session.modules.get(context.frame.module)
        name = short_name(session.modules, module, name)
        waits_for = short_name(session.modules, module, waits_for) if waits_for is not None else None
    return AsyncTask(
        id=one.id,
        state="running" if one.is_running else "ready" if one.is_ready else "waiting",
        name=name,
        full_name=described.name if name != described.name else None,
        source=source,
        **(place or NO_PLACE),
        task_id=one.box.task_id or None,
        waits_for=waits_for,
        awaits=one.awaits,
        awaited_by=one.awaited_by,
        frame_id=session.stop_state.frames.add(context),
    )


def task_line(session: Session, program: Program, thread: ThreadId, one: SuspendedMethod) -> Line:
    """Where a suspended method stands, and what it waits for."""
    context = FrameContext(program, thread, one.frame(), machine=one.machine(program).get)
    described = described_now(session, _described(session, one, context))
    place = ""
    if described.path and described.span is not None:
        place = f", {file_name(described.path)}:{session.view.line_to_client(described.span.line)}"
    return Line(described.name + place, _what(one))


def _described(session: Session, one: SuspendedMethod, context: FrameContext) -> FrameDescription:
    if one.box.computation is None:
        return describe_frame(session.modules, context.frame, generic_arguments(context))
    name = describe_frame(session.modules, one.named_frame()).name
    return msgspec.structs.replace(describe_frame(session.modules, one.place()), name=name)


def _what(one: SuspendedMethod) -> str:
    if one.is_running:
        return "runs on a thread"
    if one.awaited is None:
        return "waits"
    if one.is_ready:
        return f"ready to resume after {one.awaited.text}"
    return f"waits for {one.awaited.text}"
