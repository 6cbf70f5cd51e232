"""Breakpoints: list, explain, wait for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from dap_dotnet.mcp.debug_session import DebugSession
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.models import RunAnswer
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.reports import Budget, run_answer
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, MaxChars, SessionArguments, WaitSeconds
from dap_dotnet.protocol.wire_names import member, wire_name


class ListArguments(SessionArguments):
    """Of `breakpoint_list`."""

    max_chars: MaxChars = MAX_CHARS


class ExplainArguments(SessionArguments):
    """Of `breakpoint_explain`: an id, or a place with or without a breakpoint."""

    id: int | None = Field(default=None, description="The id of a breakpoint.", examples=[1])
    file: str | None = Field(default=None, description="A source file, with `line`.", examples=["/src/Shop/Cart.cs"])
    line: int | None = Field(default=None, ge=1, description="A line of the file.", examples=[27])
    function: str | None = Field(default=None, description="The name of a function.", examples=["Cart.Add"])
    field: str | None = Field(default=None, description="The name of a field.", examples=["Shop.Cart.total"])
    max_chars: MaxChars = MAX_CHARS


class WaitArguments(SessionArguments):
    """Of `breakpoint_wait`."""

    wait_s: WaitSeconds = 30.0


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
        return self.joined(lines)


class ExplainAnswer(Answer):
    """Why a breakpoint is or is not hit."""

    text: str
    state: str
    code: str | None = None
    id: int | None = None
    hit_count: int | None = None

    def to_text(self) -> str:
        """The explanation."""
        return self.joined([self.text])


def listed_breakpoints(session: DebugSession, ids: list[int] | None = None) -> list[Mapping[str, Any]]:
    """The session's breakpoints as ``dap-dotnet/breakpoints`` has them; None: all."""
    arguments = {wire_name("breakpoint_ids"): ids} if ids is not None else {}
    found: list[Mapping[str, Any]] = session.request("dap-dotnet/breakpoints", arguments).get("breakpoints") or []
    return found


@tool(read_only=True)
def breakpoint_list(call: Call, arguments: ListArguments) -> ListAnswer:
    """List the breakpoints: where each is bound, its state, hit count, and why it is not bound."""
    return list_answer(call.sessions.get(arguments.session), max_chars=arguments.max_chars)


def list_answer(session: DebugSession, ids: list[int] | None = None, max_chars: int = MAX_CHARS) -> ListAnswer:
    """Breakpoints as an answer; None: all. Raises `ClientError`."""
    listed = listed_breakpoints(session, ids)
    shown = Budget(max_chars).fit(_listed_breakpoint(entry) for entry in listed)
    more = len(listed) - len(shown)
    return ListAnswer(
        breakpoints=shown, left_out=f"{more} more breakpoints: ask with a larger max_chars" if more else None
    )


def asked_for(entry: Mapping[str, Any]) -> str:
    """What a breakpoint is for: a place, a function, a field, kinds of exceptions."""
    source = entry.get("source") or {}
    line = f"{source.get('path')}:{entry.get('line')}" if source else None
    return str(line or entry.get("function") or entry.get("field") or ", ".join(entry.get("filters") or ()))


def _listed_breakpoint(entry: Mapping[str, Any]) -> ListedBreakpoint:
    return ListedBreakpoint(
        id=int(entry["id"]),
        kind={"source": "line", "data": "field"}.get(str(entry["kind"]), str(entry["kind"])),
        state=str(entry["state"]),
        asked_for=asked_for(entry),
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
    text = str(body.get("text"))
    more = len(text) - arguments.max_chars
    return ExplainAnswer(
        text=text[: arguments.max_chars],
        left_out=f"{more:,} more characters: ask with a larger max_chars" if more > 0 else None,
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
    over = not session.wait(call, arguments.wait_s)
    return run_answer(session, is_over=over)
