"""`stackTrace` and `scopes`."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError, UserError
from dap_dotnet.handlers.edited_sources import look_at_sources
from dap_dotnet.handlers.frame_names import described_as, wants_all
from dap_dotnet.handlers.sources import placed
from dap_dotnet.handlers.variable_ranges import scope_span
from dap_dotnet.protocol.messages.stack import (
    Scope,
    ScopesArguments,
    ScopesResponseBody,
    StackFrame,
    StackFrameFormat,
    StackTraceArguments,
    StackTraceResponseBody,
)
from dap_dotnet.runtime.model import BreakpointLocation, Frame, ThreadId
from dap_dotnet.session.call_stack import ShownFrame
from dap_dotnet.session.external_code import EXTERNAL_CODE
from dap_dotnet.session.session import Session
from dap_dotnet.session.span_bodies import NO_PLACE, SpanBody, span_body
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.il_addresses import il_address, reference_text
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.short_names import short_name
from dap_dotnet.symbols.spans import Span
from dap_dotnet.values.containers import ScopeContainer
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.return_values import ReturnValuesContainer

_ALL_FRAMES = 10_000
"""Frames given when the client asks for all: a stack that overflows has more than anybody reads."""

_LAST_FRAME = 1 << 24
"""No stack has more frames."""


def stack_trace(session: Session, arguments: StackTraceArguments) -> StackTraceResponseBody:
    """A page of a thread's stack; frames beyond it are not walked. `totalFrames` grows with what is known."""
    debuggee = session.need_stopped()
    thread = session.thread_id(arguments.thread_id)
    start = min(max(arguments.start_frame or 0, 0), _LAST_FRAME)
    count = arguments.levels if arguments.levels and 0 < arguments.levels < _LAST_FRAME else _ALL_FRAMES
    try:
        found, more = session.stack(thread).page(start, count, collapsed=not wants_all(arguments.format))
    except DapDotnetError as error:
        if thread in {info.thread for info in debuggee.threads()}:
            raise
        message = f"There is no thread {thread}; ask for the threads again."
        raise UserError(message) from error
    program, top = session.program(), session.stack(thread).top()
    frames = [_frame(session, program, thread, frame, arguments.format) for frame in found]
    for shown, body in zip(found, frames, strict=True):
        if top is None or shown.frame.index != top.index or body.source is None:
            body.can_restart = False
    looked_at = [shown.frame for shown in found if not shown.is_external]
    session.server.after_response(lambda: look_at_sources(session, looked_at))
    return StackTraceResponseBody(stack_frames=frames, total_frames=start + len(frames) + (1 if more else 0))


def _frame(
    session: Session, program: Program, thread: ThreadId, shown: ShownFrame, wanted: StackFrameFormat | None
) -> StackFrame:
    view = session.view
    frame_id = session.stop_state.frame_id(program, thread, shown)
    if shown.is_external:
        return StackFrame(id=frame_id, name=EXTERNAL_CODE, line=0, column=0, presentation_hint="label")
    context = session.stop_state.frames.get(frame_id)
    described = described_as(session, context, wanted)
    source, place = (
        placed(session, described.path, described.span, shown.frame.module) if described.path else (None, SpanBody())
    )
    if source is not None and not described.is_user_code:
        source.presentation_hint = "deemphasize"  # the editor goes to the user's frame
    name = described.name
    if view.shows_short_names and not described.is_marker:
        module = session.modules.get(shown.frame.module)
        name = short_name(session.modules, module, name)
        namespace = _namespace(module, shown.frame)
        if source is not None and source.origin is None and namespace and name != described.name:
            source.origin = f"namespace {namespace}"  # for the tooltip
    return StackFrame(
        id=frame_id,
        name=f"[async] {name}" if shown.is_async else name,
        source=source,
        **(place or NO_PLACE),
        instruction_pointer_reference=_instruction(shown.frame),
        module_id=session.known_module(shown.frame.module),
        presentation_hint=None if described.is_user_code else "label" if described.is_marker else "subtle",
    )


def _scope_now(session: Session, context: FrameContext) -> Span | None:
    """Where a frame's method is in the file as it is now; None also where nothing of it is there."""
    span = scope_span(session, context.frame)
    path = describe_frame(session.modules, context.frame).path if span is not None else None
    if path is None or span is None:
        return None
    pieces = session.breakpoints.resolver.lines.pieces_now(path, span)
    return Span(pieces[0].line, pieces[0].column, pieces[-1].end_line, pieces[-1].end_column) if pieces else None


@if_damaged("")
def _namespace(module: LoadedModule | None, frame: Frame) -> str:
    """That of the type around a frame's method."""
    if module is None or module.metadata is None or frame.method is None:
        return ""
    full_name = module.metadata.type_name(module.metadata.declaring_type(frame.method).token)
    return full_name.partition("+")[0].rpartition(".")[0]


def _instruction(frame: Frame) -> str | None:
    """The address of the IL instruction where a frame stands."""
    if frame.module is None or frame.method is None or frame.il_offset is None:
        return None
    address = il_address(BreakpointLocation(frame.module, frame.method, frame.il_offset))
    return None if address is None else reference_text(address)


def scopes(session: Session, arguments: ScopesArguments) -> ScopesResponseBody:
    """The variables of a frame, read when they are expanded; after a step, also what calls have returned."""
    session.need_stopped()
    context = session.stop_state.frames.get(arguments.frame_id)
    if not session.stop_state.has_variables(arguments.frame_id):
        return ScopesResponseBody(scopes=[])
    stop = session.current_stop
    has_thrown = stop is not None and stop.exception_stage is not None and stop.thread == context.thread
    add = session.stop_state.variables.add
    found = [
        Scope(
            name="Locals",
            presentation_hint="locals",
            variables_reference=add(ScopeContainer(context, with_exception=has_thrown)),
            expensive=False,
            **span_body(_scope_now(session, context), session.view),
        )
    ]
    returned = ReturnValuesContainer(context)
    if returned.named and context.frame.index == 0:
        reference = add(returned)
        hint = "returnValue"
        found.append(
            Scope(name="Return values", presentation_hint=hint, variables_reference=reference, expensive=False)
        )
    return ScopesResponseBody(scopes=found)
