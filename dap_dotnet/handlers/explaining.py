"""`dap-dotnet/explainBreakpoint`, our own request: why a breakpoint is or is not hit."""

from __future__ import annotations

from dap_dotnet.breakpoints.data.blind_spots import ALWAYS, OF_ALL_OBJECTS
from dap_dotnet.breakpoints.data.field_names import parse_data_id
from dap_dotnet.breakpoints.explain import NOT_REACHED, Explainer, Explanation
from dap_dotnet.breakpoints.model import BreakpointId, FieldPlace, FunctionPlace, LinePlace, LogicalBreakpoint, Place
from dap_dotnet.errors import UserError
from dap_dotnet.protocol.messages.explaining import (
    ConditionResults,
    ExplainBreakpointArguments,
    ExplainBreakpointResponseBody,
    ExplainedModule,
)
from dap_dotnet.session.session import Session


def explain_breakpoint(session: Session, arguments: ExplainBreakpointArguments) -> ExplainBreakpointResponseBody:
    """A breakpoint that is set, by its id or its place; or what would become of one at a place."""
    explainer = Explainer(session.modules, session.breakpoints.resolver, just_my_code=session.options.just_my_code)
    if arguments.breakpoint_id is not None:
        logical = session.breakpoints.registry.get(BreakpointId(arguments.breakpoint_id))
        if logical is None:
            message = f"There is no breakpoint {arguments.breakpoint_id}: it was removed, or never set."
            raise UserError(message, code="BREAKPOINT_NOT_FOUND")
        return _of_breakpoint(session, explainer, logical)
    place = _place(session, arguments)
    logical = next((logical for logical in session.breakpoints.registry.all() if _is_at(logical.place, place)), None)
    if logical is not None:
        return _of_breakpoint(session, explainer, logical)
    return _body(session, explainer.explain_place(place))


def _place(session: Session, arguments: ExplainBreakpointArguments) -> Place:
    if arguments.function is not None:
        return FunctionPlace(arguments.function.strip())
    if arguments.field is not None:
        return parse_data_id(arguments.field)
    source = arguments.source
    if source is None or not source.path or arguments.line is None:
        raise UserError("Say which breakpoint: breakpointId, or source with its path and line, function or field.")
    view = session.view
    column = None if arguments.column is None else view.column_from_client(arguments.column)
    return LinePlace(view.path_from_client(source.path), view.line_from_client(arguments.line), column)


def _is_at(place: Place, asked: Place) -> bool:
    """Whether a breakpoint is the one asked for; without a column any on the line is."""
    if isinstance(place, LinePlace) and isinstance(asked, LinePlace) and asked.column is None:
        return (place.path, place.line) == (asked.path, asked.line)
    return place == asked


def _of_breakpoint(session: Session, explainer: Explainer, logical: LogicalBreakpoint) -> ExplainBreakpointResponseBody:
    tally = session.breakpoints.tally(logical)
    not_hit = _data_not_hit(session, logical) if isinstance(logical.place, FieldPlace) else NOT_REACHED
    body = _body(session, explainer.explain(logical, tally, not_hit))
    after = logical.settings.after
    if isinstance(logical.place, FieldPlace):
        instance = logical.place.instance
        data = session.breakpoints.data
        if logical.hit_count and data.unseen_text(logical):
            body.text += f"\n{data.unseen_text(logical)}"
        body.text += f"\n{ALWAYS}"
        if not instance and not all(
            store.is_static for store in session.breakpoints.resolver.fields.stores(logical.place)
        ):
            body.text += f"\n{OF_ALL_OBJECTS}"
        if instance and session.holds.is_held and not data.instances.is_there(session.program(), instance):
            body.text += "\nIts object has been garbage-collected and cannot change any more."
        unknown = data.unknown_objects.get(logical.id, 0)
        if unknown:
            body.text += (
                f"\nThe object could not be identified {unknown:,} time{'s' if unknown > 1 else ''}: a store to what a "
                "call returns, or in an initialiser whose object goes to a call, is not seen when all objects are "
                "watched."
            )
    if after is not None:
        is_armed = session.breakpoints.verdicts.is_armed(logical.settings)
        is_gone = session.breakpoints.registry.get(after) is None
        body.text += f"\n{_trigger_text(after, is_armed=is_armed, is_gone=is_gone)}"
    body.breakpoint_id = logical.id
    body.hit_count = logical.hit_count
    if logical.settings.condition is not None:
        body.condition = ConditionResults(
            tested=tally.tested, held=tally.held, failed=tally.failed, first_failure=tally.first_failure or None
        )
    return body


def _data_not_hit(session: Session, logical: LogicalBreakpoint) -> str:
    stop = session.current_stop
    program = session.program() if session.holds.is_held else None
    return session.breakpoints.data.fate(logical, program, stop.thread if stop is not None else None)


def _trigger_text(after: BreakpointId, *, is_armed: bool, is_gone: bool) -> str:
    if is_armed:
        return f"It is armed: breakpoint {after}, which it had to wait for, has stopped or logged."
    if is_gone:
        return f"It can never be hit: breakpoint {after}, which it waits for, was removed before it stopped or logged."
    return f"It waits for breakpoint {after}, which has not stopped or logged yet; until then hits do not count."


def _body(session: Session, found: Explanation) -> ExplainBreakpointResponseBody:
    modules = [
        ExplainedModule(
            name=finding.module.name,
            path=finding.module.info.path or None,
            has_symbols=finding.module.pdb is not None,
            is_optimized=finding.module.is_optimized,
            is_user_code=finding.module.is_user_code,
            document=finding.document,
            finding=finding.text,
        )
        for finding in found.findings
    ]
    return ExplainBreakpointResponseBody(
        text="\n".join(found.sentences),
        state=found.state,
        code=found.code or None,
        modules=modules,
        modules_looked_at=len(session.modules),
    )
