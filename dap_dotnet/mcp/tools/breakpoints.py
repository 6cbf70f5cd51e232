"""Breakpoints: set, remove, enable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from dap_dotnet.mcp.breakpoint_book import Kind
from dap_dotnet.mcp.debug_session import DebugSession
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.parts import Answer, Arguments
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.reports import frame_id
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.breakpoint_states import ListAnswer, asked_for, list_answer, listed_breakpoints
from dap_dotnet.mcp.tools.session_argument import SessionArguments
from dap_dotnet.protocol.wire_names import member, wire_name


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


class SetBreakpoint(Answer):
    """What became of a breakpoint. `verified`: it is bound; else `message` and `code` say why not, or not yet."""

    id: int
    kind: Kind
    of: str | None = Field(default=None, description="The function, field or exceptions that it is for.")
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
        column = f":{self.column}" if self.column else ""
        at = f" at {self.file or ''}:{self.line}{column}" if self.line else ""
        why = f": {self.message}" if self.message else ""
        code = f" [{self.code}]" if self.code else ""
        of = f" on {self.of}" if self.of else ""
        return f"Breakpoint {self.id}{of} {'bound' if self.verified else 'not bound'}{at}{why}{code}"


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
    return set_answer(session, kind, answer)


def _data_id(session: DebugSession, text: str) -> str:
    """What stands for a field: first as an expression in the top frame, then as a name."""
    stop = session.stop
    if stop is not None:
        arguments = {"name": text, wire_name("frame_id"): frame_id(session, stop, None, 0)}
        found = member(session.request("dataBreakpointInfo", arguments), "data_id")
        if found is not None:
            return str(found)
    return text


def set_answer(session: DebugSession, kind: Kind, answer: Mapping[str, Any]) -> SetBreakpoint:
    """What became of a breakpoint, from its `Breakpoint` of the protocol."""
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
    if made.id and (made.message or kind != "line"):
        listed = listed_breakpoints(session, [made.id])
        made.code = listed[0].get("code") if listed else None
        made.of = asked_for(listed[0]) if listed and kind != "line" else None
    return made


def set_exceptions(session: DebugSession, filters: list[ExceptionFilter]) -> list[SetBreakpoint]:
    """Replace the exceptions that stop the program. Raises `ToolError` when one is refused, `ClientError`."""
    options: list[Mapping[str, Any]] = [
        {wire_name("filter_id"): one.filter, **({"condition": one.types} if one.types is not None else {})}
        for one in filters
    ]
    made = [set_answer(session, "exception", answer) for answer in session.breakpoints.set_exceptions(options)]
    refused = next((one for one in made if not one.id), None)
    if refused is not None:
        raise ToolError("INVALID_CONDITION", refused.message or "The exception filter was refused.")
    return made


@tool()
def breakpoint_set_exception(call: Call, arguments: SetExceptionArguments) -> ExceptionsAnswer:
    """Choose which exceptions stop the program, and of which types."""
    session = call.sessions.get(arguments.session)
    session.need_alive()
    return ExceptionsAnswer(breakpoints=set_exceptions(session, arguments.exceptions))


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
    session.breakpoints.enable(arguments.ids, enabled=arguments.enabled)
    return list_answer(session, arguments.ids)
