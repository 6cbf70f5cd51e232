"""What a stop, a frame and a value look like in answers, read from the adapter within a budget."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from dap_dotnet.client import DapRequestError, PendingResponse
from dap_dotnet.mcp.debug_session import DebugSession, StopRecord
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.models import (
    Change,
    Frame,
    HitBreakpoint,
    Place,
    RunAnswer,
    SourceLine,
    Stop,
    ThrownException,
    Value,
)
from dap_dotnet.mcp.parts import Part
from dap_dotnet.mcp.stale_sources import stale_note
from dap_dotnet.protocol.wire_names import member, wire_name
from dap_dotnet.source_lines import read_source_lines

SHOWN_FRAMES = 5
SHOWN_LINES = 3
"""Lines of source around a stop, in each direction."""
LONGEST_VALUE = 300
STOP_BUDGET = 4_000
"""Characters that the locals of a stop may take."""
OUTPUT_BUDGET = 2_000
_TRACE_LINES = 20
_UNREAD = "(not read: its getter runs when variables_get asks for its reference)"
_GROUP = "(variables_get has them by reference)"
_RETURNED = "returnValue"
"""The hint of the scope of what calls have returned."""
_P = TypeVar("_P", bound=Part)


class Budget:
    """Characters that an answer may still take."""

    def __init__(self, characters: int) -> None:
        self.left = characters
        self.is_spent = False

    def take(self, *texts: str | None) -> bool:
        """Whether there is room for these; then they are counted."""
        size = sum(len(text) for text in texts if text) + 20
        if size > self.left:
            self.is_spent = True
            return False
        self.left -= size
        return True

    def fit(self, parts: Iterable[_P]) -> list[_P]:
        """The first of them, as many as there is room for; at least one, so that a reader can go on."""
        found: list[_P] = []
        for part in parts:
            if not self.take(part.model_dump_json(exclude_none=True)) and found:
                break
            found.append(part)
        return found


def clip(text: str, longest: int = LONGEST_VALUE) -> str:
    """A value's text, cut with words that say so."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more characters; evaluate it with max_chars)"


def _clipped(text: Any) -> str | None:
    return clip(str(text)) if text is not None else None


def place_of(session: DebugSession, frame: Mapping[str, Any]) -> Place:
    """The place of a `StackFrame` of the protocol."""
    source = frame.get("source") or {}
    return Place(
        function=str(frame.get("name")),
        module=session.module_name(member(frame, "module_id")),
        file=source.get("path"),
        line=frame.get("line") or None,
        column=frame.get("column") or None,
        end_line=member(frame, "end_line"),
        end_column=member(frame, "end_column"),
    )


def frame_of(session: DebugSession, frame: Mapping[str, Any], index: int) -> Frame:
    """A `StackFrame` of the protocol."""
    hint = member(frame, "presentation_hint")
    return Frame(**place_of(session, frame).model_dump(), index=index, is_user_code=hint in (None, "normal"))


def frames_of(
    session: DebugSession, stop: StopRecord, thread_id: int, start: int, count: int
) -> list[Mapping[str, Any]]:
    """A page of a thread's stack, whose frames `frame_id` knows from then on."""
    arguments = {wire_name("thread_id"): thread_id, wire_name("start_frame"): start, "levels": count}
    body = session.request("stackTrace", arguments)
    frames: list[Mapping[str, Any]] = member(body, "stack_frames") or []
    for offset, frame in enumerate(frames):
        stop.frame_ids[(thread_id, start + offset)] = int(frame["id"])
    return frames


def frame_id(session: DebugSession, stop: StopRecord, thread_id: int | None, index: int) -> int:
    """The id of a frame; None is the thread that stopped. Raises `ToolError` when there is no such frame."""
    thread = stop.thread_id if thread_id is None else thread_id
    found = stop.frame_ids.get((thread, index))
    if found is None:
        frames_of(session, stop, thread, index, 1)
        found = stop.frame_ids.get((thread, index))
    if found is None:
        raise ToolError("NOT_FOUND", f"Thread {thread} has no frame {index}.", "Call stack_get for a list of frames.")
    return found


def variables_of(session: DebugSession, reference: int, start: int = 0, count: int = 0) -> list[Mapping[str, Any]]:
    """The children of a reference; `count` 0 is all."""
    arguments: dict[str, Any] = {wire_name("variables_reference"): reference}
    if start or count:
        arguments |= {"start": start, "count": count}
    found: list[Mapping[str, Any]] = session.request("variables", arguments).get("variables") or []
    return found


def scopes_of(session: DebugSession, frame: int) -> list[tuple[int, bool]]:
    """The references of a frame's scopes, but for those that the adapter calls expensive.

    True: what calls have returned, in place of variables.
    """
    scopes = session.request("scopes", {wire_name("frame_id"): frame}).get("scopes") or ()
    return [
        (int(member(scope, "variables_reference")), member(scope, "presentation_hint") == _RETURNED)
        for scope in scopes
        if not scope.get("expensive")
    ]


def value_of(variable: Mapping[str, Any], longest: int = LONGEST_VALUE) -> Value:
    """A `Variable` of the protocol, without its children."""
    text = clip(str(variable.get("value")), longest)
    hint = member(variable, "presentation_hint") or {}
    if not text and member(variable, "variables_reference"):
        text = _UNREAD if hint.get("lazy") else _GROUP
    return Value(
        name=str(variable.get("name")),
        value=text,
        type=variable.get("type"),
        reference=member(variable, "variables_reference") or None,
    )


def values_within(variables: Iterable[Mapping[str, Any]], budget: Budget) -> list[Value]:
    """Values while there is room."""
    found: list[Value] = []
    for variable in variables:
        value = value_of(variable)
        if not budget.take(value.name, value.value, value.type):
            break
        found.append(value)
    return found


def locals_of(session: DebugSession, frame: int) -> list[Mapping[str, Any]]:
    """The variables of a frame."""
    return variables_in(session, scopes_of(session, frame), returned=False)


def variables_in(
    session: DebugSession, scopes: Iterable[tuple[int, bool]], *, returned: bool
) -> list[Mapping[str, Any]]:
    """The variables of a frame's scopes, or what calls have returned there."""
    return [
        variable
        for reference, is_returned in scopes
        if is_returned == returned
        for variable in variables_of(session, reference)
    ]


def source_lines(file: str | None, first: int, last: int, current: int | None) -> list[SourceLine]:
    """Lines of a local file; none when it cannot be read."""
    if not file:
        return []
    lines = read_source_lines(file)
    return [
        SourceLine(line=number, text=clip(lines[number - 1]), is_current=number == current)
        for number in range(max(1, first), min(last, len(lines)) + 1)
    ]


def statement_at(place: Place) -> str | None:
    """The source of the statement at a place."""
    if not place.file or not place.line:
        return None
    last = place.end_line or place.line
    texts = [line.text for line in source_lines(place.file, place.line, last, None)]
    if not texts:
        return None
    if place.end_column:
        texts[-1] = texts[-1][: place.end_column - 1]
    if place.column:
        texts[0] = texts[0][place.column - 1 :]
    return clip("\n".join(texts).strip())


def report_stop(session: DebugSession, stop: StopRecord) -> Stop:
    """A stop with its source, locals and top frames. Raises `ClientError` when the program runs again."""
    threads = session.send("threads")
    ids = [int(number) for number in member(stop.body, "hit_breakpoint_ids") or ()]
    listed = session.send("dap-dotnet/breakpoints", {wire_name("breakpoint_ids"): ids}) if ids else None
    is_exception = stop.body.get("reason") == "exception"
    thrown = session.send("exceptionInfo", {wire_name("thread_id"): stop.thread_id}) if is_exception else None
    frames = frames_of(session, stop, stop.thread_id, 0, SHOWN_FRAMES)
    place = place_of(session, frames[0]) if frames else Place()
    shown = [frame_of(session, frame, index) for index, frame in enumerate(frames)]
    # Code of a package often has a file that is elsewhere: then the caller is what can be read.
    readable = next((frame for frame in shown if frame.file and frame.line and os.path.isfile(frame.file)), None)
    source_frame = readable.index if readable is not None else 0
    scopes = scopes_of(session, int(frames[source_frame]["id"])) if frames else []
    variables = variables_in(session, scopes, returned=False)
    stop.frame = frame_key(frames)
    stop.locals = [value_of(variable) for variable in variables] if source_frame == 0 else None
    budget = Budget(STOP_BUDGET)
    values = values_within(variables, budget)
    left_out = None
    if len(values) < len(variables):
        left_out = f"{len(variables) - len(values)} more locals: variables_get"
    return Stop(
        number=stop.number,
        reason=str(stop.body.get("reason")),
        description=_clipped(stop.body.get("description")),
        text=_clipped(stop.body.get("text")),
        time=stop.time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        thread_id=stop.thread_id,
        thread_name=_thread_name(threads, stop.thread_id),
        place=place,
        breakpoints=_hits(ids, listed),
        exception=_exception(thrown) if thrown is not None else None,
        source=_source_around(readable) if readable is not None else [],
        source_note=stale_note(session, readable.file) if readable is not None else None,
        source_frame=source_frame,
        frames=shown,
        locals=values,
        returned=values_within(variables_in(session, scopes, returned=True), budget),
        left_out=left_out,
    )


def _source_around(place: Place) -> list[SourceLine]:
    line = place.line or 1
    return source_lines(place.file, line - SHOWN_LINES, (place.end_line or line) + SHOWN_LINES, line)


def frame_key(frames: Sequence[Mapping[str, Any]]) -> tuple[Any, ...]:
    """What tells the first of some frames from those of other calls."""
    callers = ((frame.get("name"), frame.get("line")) for frame in frames[1:])
    return (frames[0].get("name") if frames else None, *callers)


def _thread_name(answer: PendingResponse, thread_id: int) -> str | None:
    threads = answer.result().get("threads") or ()
    return next((clip(str(thread["name"]), 100) for thread in threads if thread["id"] == thread_id), None)


def _hits(ids: list[int], answer: PendingResponse | None) -> list[HitBreakpoint]:
    if answer is None:
        return []
    try:
        listed = {entry["id"]: entry for entry in answer.result().get("breakpoints") or ()}
    except DapRequestError:  # one of them was removed meanwhile
        listed = {}
    return [HitBreakpoint(id=number, hit_count=member(listed.get(number) or {}, "hit_count")) for number in ids]


def _exception(answer: PendingResponse) -> ThrownException | None:
    try:
        body = answer.result()
    except DapRequestError:
        return None
    details = body.get("details") or {}
    inner: list[str] = []
    nested = member(details, "inner_exception") or ()
    while nested and len(inner) < 10:
        inner.append(f"{member(nested[0], 'full_type_name')}: {clip(str(nested[0].get('message')))}")
        nested = member(nested[0], "inner_exception") or ()
    trace = str(member(details, "stack_trace") or "").splitlines()
    mode = str(member(body, "break_mode"))
    return ThrownException(
        type=str(member(details, "full_type_name")),
        message=clip(str(details.get("message"))),
        isFirstChance=mode != "unhandled",
        break_mode=mode,
        stack=[clip(line.strip()) for line in trace[:_TRACE_LINES]],
        inner=inner,
    )


def run_answer(session: DebugSession, *, is_over: bool, before: StopRecord | None = None) -> RunAnswer:
    """What the program does now. `is_over`: the wait has ended without a stop; `before`: a stop to compare with."""
    output, left_out = session.take_output(OUTPUT_BUDGET)
    stop = session.stop
    report = None
    if stop is not None:
        try:
            report = report_stop(session, stop)
        except DapRequestError:
            if session.stop is stop:
                raise
            stop = None  # another call has let it run meanwhile
    changes = None
    if before is not None and stop is not None and before.locals is not None and stop.locals is not None:
        # The locals of another call are others, even where they have the same names.
        changes = changes_between(before.locals, stop.locals) if before.frame == stop.frame else None
    return RunAnswer(
        session=session.id,
        state=session.state if report is None else "stopped",
        timeout=is_over,
        stop=report,
        exit_code=session.exit_code,
        output=output or None,
        changes=changes,
        statement=statement_at(report.place) if report is not None else None,
        left_out=f"{left_out:,} characters of output: output_read" if left_out else None,
    )


def changes_between(before: list[Value], after: list[Value]) -> list[Change]:
    """The variables whose text is other than before."""
    old = {value.name: value.value for value in before}
    new = {value.name: value.value for value in after}
    return [
        Change(name=name, before=old.get(name), after=new.get(name))
        for name in [*new, *(name for name in old if name not in new)]
        if old.get(name) != new.get(name)
    ]
