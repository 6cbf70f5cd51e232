"""The suspended async methods of a stopped program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from dap_dotnet.mcp.debug_session import DebugSession
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.long_requests import long_request
from dap_dotnet.mcp.models import Value
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.reports import Budget, locals_of, values_within
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, MaxChars, SessionArguments
from dap_dotnet.protocol.wire_names import member

_PAGE = 1_000
"""What the adapter gives at once, at most."""
_SHOWN_IDS = 20


class TasksArguments(SessionArguments):
    """Of `tasks_get`."""

    id: int | None = Field(
        default=None, ge=0, description="Only this method of the list, with its variables.", examples=[4]
    )
    start: int = Field(default=0, ge=0, description="The first that is shown.", examples=[0])
    count: int = Field(default=50, ge=1, le=_PAGE, description="How many are shown.", examples=[50])
    max_chars: MaxChars = MAX_CHARS


class AsyncMethod(Part):
    """One call of an async method that has not come to its end. The line is that of its await."""

    id: int
    state: Literal["waiting", "ready", "running"] = Field(
        description="At an await; at one whose task has completed, to go on when a thread takes it; on a thread now."
    )
    function: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    task_id: int | None = Field(default=None, description="Task.Id, where the program has asked for it.")
    waits_for: str | None = None
    awaits: list[int] = Field(default_factory=list, description="The methods of the list that it awaits.")
    awaited_by: list[int] = Field(
        default_factory=list, description="Those that await it; none: nobody does, or a thread is blocked for it."
    )
    variables: list[Value] | None = None

    def lines(self) -> list[str]:
        """What it is and waits for, and its variables."""
        at = f" at {self.file}:{self.line}" if self.file and self.line else ""
        awaits = f" (methods {', '.join(map(str, self.awaits))})" if self.awaits else ""
        waits = f" waits for {self.waits_for}{awaits}" if self.waits_for else ""
        by = f", awaited by {', '.join(map(str, self.awaited_by))}" if self.awaited_by else ""
        found = [f"{self.id} {self.function}{at}: {self.state}{waits}{by}"]
        for value in self.variables or ():
            found += value.lines("  ")
        return found


class TasksAnswer(Answer):
    """Suspended async methods, in the order of the heap."""

    tasks: list[AsyncMethod]
    total: int
    hidden: int = Field(description="Others, of code that is not yours.")
    is_complete: bool = Field(description="False: the heap was too large to be gone through in time.")
    tree: str | None = Field(default=None, description="All of them, each below the one that it awaits.")

    def to_text(self) -> str:
        """The tree with the ids of its methods, or the methods that were asked for."""
        if self.tree is None:
            lines = [line for one in self.tasks for line in one.lines()]
            return self.joined(lines or [f"There are {self.total}: none is there."])
        ids: dict[str, list[str]] = {}
        for one in self.tasks:
            ids.setdefault(one.function, []).append(str(one.id))
        shown = ((name, found[:_SHOWN_IDS], len(found) > _SHOWN_IDS) for name, found in ids.items())
        lines = [f"  {name}: {', '.join(found)}{' …' if more else ''}" for name, found, more in shown]
        return self.joined([self.tree, *(["Ids:", *lines] if lines else [])])


@tool(read_only=True)
def tasks_get(call: Call, arguments: TasksArguments) -> TasksAnswer:
    """List the suspended async methods: where each waits, what for, and who awaits it. Goes through the heap.

    They are on no thread's stack; with id, the variables of one. Ids are good until the program runs.
    """
    session = call.sessions.get(arguments.session)
    session.need_stopped()
    if arguments.id is not None:
        return _one(call, session, arguments.id, arguments.max_chars)
    body = _page(call, session, arguments.start, arguments.count)
    budget = Budget(arguments.max_chars)
    tree = str(body.get("text"))
    if arguments.start or not budget.take(tree):
        tree = ""
    shown = budget.fit(_method(one) for one in body.get("tasks") or ())
    total, behind = int(body.get("total") or 0), arguments.start + len(shown)
    return TasksAnswer(
        tasks=shown,
        total=total,
        hidden=int(body.get("hidden") or 0),
        is_complete=bool(member(body, "is_complete")),
        tree=tree or None,
        left_out=f"{total - behind} more in tasks: ask with start: {behind}" if total > behind else None,
    )


def _page(call: Call, session: DebugSession, start: int, count: int) -> Mapping[str, Any]:
    asked = {"start": start, "count": count}
    return long_request(call, session, "dap-dotnet/asyncTasks", asked, "going through the heap")


def _one(call: Call, session: DebugSession, wanted: int, max_chars: int) -> TasksAnswer:
    start, total = 0, 1
    while start < total:
        body = _page(call, session, start, _PAGE)
        start, total = start + _PAGE, int(body.get("total") or 0)
        found = next((one for one in body.get("tasks") or () if one["id"] == wanted), None)
        if found is None:
            continue
        made = _method(found)
        variables = locals_of(session, int(member(found, "frame_id")))
        made.variables = values_within(variables, Budget(max_chars))
        more = len(variables) - len(made.variables)
        return TasksAnswer(
            tasks=[made],
            total=total,
            hidden=int(body.get("hidden") or 0),
            is_complete=bool(member(body, "is_complete")),
            left_out=f"{more} more variables: ask with a larger max_chars" if more else None,
        )
    raise ToolError(
        "NOT_FOUND", f"No suspended async method has the id {wanted}.", "Ask without an id for all of them."
    )


def _method(one: Mapping[str, Any]) -> AsyncMethod:
    source = one.get("source") or {}
    return AsyncMethod(
        id=int(one["id"]),
        state=one["state"],
        function=str(one.get("name")),
        file=source.get("path"),
        line=one.get("line") or None,
        column=one.get("column") or None,
        task_id=member(one, "task_id"),
        waits_for=member(one, "waits_for"),
        awaits=one.get("awaits") or [],
        awaited_by=member(one, "awaited_by") or [],
    )
