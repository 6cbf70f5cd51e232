"""Breakpoints: set, list, enable, explain, remove, wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from dap_dotnet.mcp.breakpoint_book import Kind
from dap_dotnet.mcp.debug_session import DebugSession
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.models import RunAnswer
from dap_dotnet.mcp.parts import Answer, Arguments, Part
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.reports import frame_id, run_answer
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import SessionArguments
from dap_dotnet.protocol.wire_names import member, wire_name

_LISTED = 100


class BreakpointPlace(Arguments):
    """Where a breakpoint goes, and when it acts: one of `file` with `line`, `function`, or `field`."""

    file: str | None = Field(default=None, description="The source file.", examples=["/src/Shop/Cart.cs"])
    line: int | None = Field(default=None, ge=1, description="A line of the file, 1-based.", examples=[27])
    column: int | None = Field(
        default=None, ge=1, description="A column, for one of several statements or lambdas of a line.", examples=[13]
    )
    function: str | None = Field(
        default=None,
        description="[Module!]Namespace.Type.Method[(types)]; leading parts may be left out.",
        examples=["Cart.Add"],
    )
    field: str | None = Field(
        default=None,
        description="Stop when it changes: Namespace.Type.Field for all objects, or while stopped an expression such "
        "as cart.total for one object.",
        examples=["Shop.Cart.total"],
    )
    condition: str | None = Field(
        default=None, description="A C# expression that has to be true.", examples=["count > 100"]
    )
    hit_count: str | None = Field(
        default=None, description="Which hits count: a number, or >= 5, > 5, == 5, % 10.", examples=[">= 5"]
    )
    log_text: str | None = Field(
        default=None,
        description="Write this to the timeline instead of stopping; {expressions} are replaced.",
        examples=["count is {count}"],
    )
    trigger: int | None = Field(
        default=None, ge=1, description="Act only after the breakpoint with this id has been hit.", examples=[1]
    )

    @model_validator(mode="after")
    def _one_place(self) -> BreakpointPlace:
        places = [self.file is not None, self.function is not None, self.field is not None]
        if sum(places) != 1:
            raise ValueError("give one of file (with line), function or field")
        if (self.file is not None) != (self.line is not None):
            raise ValueError("file and line belong together")
        if self.column is not None and self.line is None:
            raise ValueError("a column needs file and line")
        return self


class SetArguments(SessionArguments, BreakpointPlace):
    """Of `breakpoint_set`."""


class ExceptionFilter(Arguments):
    """A kind of exceptions to stop for."""

    filter: Literal["all", "user-unhandled", "unhandled"] = Field(
        description="all: where any is thrown; user-unhandled: leaves your code; unhandled: nothing catches it.",
        examples=["all"],
    )
    types: str | None = Field(
        default=None,
        description="Only these types, separated by commas; Type* with subtypes, a leading ! for all but these.",
        examples=["System.IO.IOException*"],
    )


class SetExceptionArguments(SessionArguments):
    """Of `breakpoint_set_exception`."""

    exceptions: list[ExceptionFilter] = Field(
        description="Replaces all that were set; an empty list: only unhandled ones stop.",
        examples=[[{"filter": "all", "types": "System.FormatException"}]],
    )


class IdsArguments(SessionArguments):
    """Of `breakpoint_remove`."""

    ids: list[int] = Field(min_length=1, max_length=1000, description="Ids of breakpoints.", examples=[[1, 2]])


class EnableArguments(IdsArguments):
    """Of `breakpoint_enable`."""

    enabled: bool = Field(
        default=True, description="False: keep them, with their hit counts, but do not act.", examples=[False]
    )


class ExplainArguments(SessionArguments):
    """Of `breakpoint_explain`: an id, or a place with or without a breakpoint."""

    id: int | None = Field(default=None, description="The id of a breakpoint.", examples=[1])
    file: str | None = Field(default=None, description="A source file, with `line`.", examples=["/src/Shop/Cart.cs"])
    line: int | None = Field(default=None, ge=1, description="A line of the file.", examples=[27])
    function: str | None = Field(default=None, description="The name of a function.", examples=["Cart.Add"])
    field: str | None = Field(default=None, description="The name of a field.", examples=["Shop.Cart.total"])


class WaitArguments(SessionArguments):
    """Of `breakpoint_wait`."""

    timeout_s: float = Field(default=30.0, ge=0, le=3600, description="How many seconds to wait.", examples=[30])


class SetBreakpoint(Answer):
    """What became of a breakpoint. `verified`: it is bound; else `message` and `code` say why not, or not yet."""

    id: int
    kind: Kind
    verified: bool
    file: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    message: str | None = None
    code: str | None = None

    def to_text(self) -> str:
        """One line."""
        at = f" at {self.file or ''}:{self.line}:{self.column}" if self.line else ""
        why = f": {self.message}" if self.message else ""
        code = f" [{self.code}]" if self.code else ""
        return f"Breakpoint {self.id} {'bound' if self.verified else 'not bound'}{at}{why}{code}"


class ListedBreakpoint(Part):
    """A breakpoint with all that is known of it."""

    id: int
    kind: str
    state: str
    asked_for: str
    locations: list[str] = Field(default_factory=list)
    condition: str | None = None
    hit_condition: str | None = None
    log_text: str | None = None
    trigger: int | None = None
    is_armed: bool | None = None
    hit_count: int | None = None
    message: str | None = None
    code: str | None = None

    def to_text(self) -> str:
        """One line."""
        hits = f", hit {self.hit_count}" if self.hit_count is not None else ""
        why = f": {self.message}" if self.message else ""
        return f"{self.id} {self.asked_for}: {self.state}{hits}{why}"


class ListAnswer(Answer):
    """Breakpoints, by id."""

    breakpoints: list[ListedBreakpoint]

    def to_text(self) -> str:
        """A line for each."""
        lines = [one.to_text() for one in self.breakpoints] or ["There are no breakpoints."]
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])


class ExceptionsAnswer(Answer):
    """What became of each filter."""

    breakpoints: list[SetBreakpoint]

    def to_text(self) -> str:
        """A line for each."""
        return "\n".join(one.to_text() for one in self.breakpoints) or "Only unhandled exceptions stop the program."


class RemoveAnswer(Answer):
    """The ids that were removed."""

    removed: list[int]

    def to_text(self) -> str:
        """A sentence."""
        return f"Removed: {', '.join(map(str, self.removed))}."


class ExplainAnswer(Answer):
    """Why a breakpoint is or is not hit."""

    text: str
    state: str
    code: str | None = None
    id: int | None = None
    hit_count: int | None = None

    def to_text(self) -> str:
        """All of it."""
        return self.text


@tool()
def breakpoint_set(call: Call, arguments: SetArguments) -> SetBreakpoint:
    """Set a breakpoint on a line, a function, or the change of a field; with condition, hit count, log text, trigger.

    One in a file or type that is not loaded yet is bound when it is; breakpoint_explain says why one is not.
    """
    session = call.sessions.get(arguments.session)
    session.need_alive()
    return set_breakpoint(call, session, arguments)


def set_breakpoint(call: Call, session: DebugSession, place: BreakpointPlace) -> SetBreakpoint:
    """Set one, and say what became of it. Raises `ToolError`, `ClientError`."""
    settings: dict[str, Any] = {}
    if place.condition is not None:
        settings["condition"] = place.condition
    if place.hit_count is not None:
        settings[wire_name("hit_condition")] = place.hit_count
    if place.log_text is not None:
        settings[wire_name("log_message")] = place.log_text
    if place.trigger is not None:
        settings["mode"] = f"after:{place.trigger}"
    kind: Kind
    path = None
    if place.file is not None:
        kind, path = "line", allowed_path(place.file, call.options.folders)
        settings["line"] = place.line
        if place.column is not None:
            settings["column"] = place.column
    elif place.function is not None:
        kind = "function"
        settings["name"] = place.function
    else:
        kind = "field"
        settings[wire_name("data_id")] = _data_id(session, place.field or "")
        settings[wire_name("access_type")] = "write"
    answer = session.breakpoints.add(kind, settings, path)
    return _set_answer(session, kind, answer)


def _data_id(session: DebugSession, text: str) -> str:
    """What stands for a field: first as an expression in the top frame, then as a name."""
    stop = session.stop
    if stop is not None:
        arguments = {"name": text, wire_name("frame_id"): frame_id(session, stop, None, 0)}
        found = member(session.request("dataBreakpointInfo", arguments), "data_id")
        if found is not None:
            return str(found)
    return text


def _set_answer(session: DebugSession, kind: Kind, answer: Mapping[str, Any]) -> SetBreakpoint:
    source = answer.get("source") or {}
    made = SetBreakpoint(
        id=int(answer.get("id") or 0),
        kind=kind,
        verified=bool(answer.get("verified")),
        file=source.get("path"),
        line=answer.get("line"),
        column=answer.get("column"),
        end_line=member(answer, "end_line"),
        end_column=member(answer, "end_column"),
        message=answer.get("message"),
    )
    if made.message and made.id:
        listed = _listed(session, [made.id])
        made.code = listed[0].get("code") if listed else None
    return made


def _listed(session: DebugSession, ids: list[int] | None = None) -> list[Mapping[str, Any]]:
    arguments = {wire_name("breakpoint_ids"): ids} if ids is not None else {}
    found: list[Mapping[str, Any]] = session.request("dap-dotnet/breakpoints", arguments).get("breakpoints") or []
    return found


def exception_options(filters: list[ExceptionFilter]) -> list[Mapping[str, Any]]:
    """The filter options of the protocol."""
    return [
        {wire_name("filter_id"): one.filter, **({"condition": one.types} if one.types is not None else {})}
        for one in filters
    ]


@tool()
def breakpoint_set_exception(call: Call, arguments: SetExceptionArguments) -> ExceptionsAnswer:
    """Choose which exceptions stop the program, and of which types."""
    session = call.sessions.get(arguments.session)
    session.need_alive()
    answers = session.breakpoints.set_exceptions(exception_options(arguments.exceptions))
    made = [_set_answer(session, "exception", answer) for answer in answers]
    refused = next((one for one in made if not one.id), None)
    if refused is not None:
        raise ToolError("INVALID_CONDITION", refused.message or "The exception filter was refused.")
    return ExceptionsAnswer(breakpoints=made)


@tool()
def breakpoint_remove(call: Call, arguments: IdsArguments) -> RemoveAnswer:
    """Remove breakpoints."""
    session = call.sessions.get(arguments.session)
    session.need_alive()
    removed = session.breakpoints.remove(arguments.ids)
    if not removed:
        raise ToolError("BREAKPOINT_NOT_FOUND", f"No breakpoint has the id {', '.join(map(str, arguments.ids))}.")
    return RemoveAnswer(removed=removed)


@tool()
def breakpoint_enable(call: Call, arguments: EnableArguments) -> ListAnswer:
    """Enable or disable breakpoints, which keep their ids and hit counts."""
    session = call.sessions.get(arguments.session)
    session.need_alive()
    session.request(
        "dap-dotnet/enableBreakpoints",
        {wire_name("breakpoint_ids"): arguments.ids, "enabled": arguments.enabled},
    )
    return ListAnswer(breakpoints=[_listed_breakpoint(entry) for entry in _listed(session, arguments.ids)])


@tool(read_only=True)
def breakpoint_list(call: Call, arguments: SessionArguments) -> ListAnswer:
    """List the breakpoints: where each is bound, its state, hit count, and why it is not bound."""
    session = call.sessions.get(arguments.session)
    listed = _listed(session)
    return ListAnswer(
        breakpoints=[_listed_breakpoint(entry) for entry in listed[:_LISTED]],
        left_out=f"{len(listed) - _LISTED} more breakpoints" if len(listed) > _LISTED else None,
    )


def _listed_breakpoint(entry: Mapping[str, Any]) -> ListedBreakpoint:
    source = entry.get("source") or {}
    line = f"{source.get('path')}:{entry.get('line')}" if source else None
    asked = line or entry.get("function") or entry.get("field") or ", ".join(entry.get("filters") or ())
    return ListedBreakpoint(
        id=int(entry["id"]),
        kind={"source": "line", "data": "field"}.get(str(entry["kind"]), str(entry["kind"])),
        state=str(entry["state"]),
        asked_for=str(asked),
        locations=[_location(location) for location in (entry.get("locations") or ())[:10]],
        condition=entry.get("condition"),
        hit_condition=member(entry, "hit_condition"),
        log_text=member(entry, "log_message"),
        trigger=entry.get("after"),
        is_armed=member(entry, "is_armed"),
        hit_count=member(entry, "hit_count"),
        message=entry.get("message"),
        code=entry.get("code"),
    )


def _location(location: Mapping[str, Any]) -> str:
    source = location.get("source") or {}
    at = f" {source.get('path')}:{location.get('line')}:{location.get('column')}" if source else ""
    return f"{location.get('module')} {member(location, 'method_token')} IL {member(location, 'il_offset')}{at}"


@tool(read_only=True)
def breakpoint_explain(call: Call, arguments: ExplainArguments) -> ExplainAnswer:
    """Say why a breakpoint is or is not hit, or what would become of one at a place."""
    session = call.sessions.get(arguments.session)
    asked: dict[str, Any] = {}
    if arguments.id is not None:
        asked[wire_name("breakpoint_id")] = arguments.id
    elif arguments.file is not None and arguments.line is not None:
        asked = {"source": {"path": allowed_path(arguments.file, call.options.folders)}, "line": arguments.line}
    elif arguments.function is not None:
        asked["function"] = arguments.function
    elif arguments.field is not None:
        asked["field"] = arguments.field
    else:
        raise ToolError("INVALID_ARGUMENTS", "Say which: id, file with line, function, or field.")
    body = session.request("dap-dotnet/explainBreakpoint", asked)
    return ExplainAnswer(
        text=str(body.get("text")),
        state=str(body.get("state")),
        code=body.get("code"),
        id=member(body, "breakpoint_id"),
        hit_count=member(body, "hit_count"),
    )


@tool(read_only=True)
def breakpoint_wait(call: Call, arguments: WaitArguments) -> RunAnswer:
    """Wait until the program stops or ends, and show where: source, locals, frames, hit counts, exception.

    A program that is stopped already is shown at once. `timeout` is true when the time was over first.
    """
    session = call.sessions.get(arguments.session)
    over = not session.wait(call, arguments.timeout_s)
    return run_answer(session, is_over=over)
