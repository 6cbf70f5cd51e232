"""Objects of a stopped program: one in full, collections, snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field

from dap_dotnet.mcp.collections import Collection, summarise
from dap_dotnet.mcp.debug_session import DebugSession
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.models import Change, Value
from dap_dotnet.mcp.parts import Answer
from dap_dotnet.mcp.reports import Budget, clip, frame_id, locals_of, value_of, variables_of
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, FrameArguments, MaxChars, SessionArguments
from dap_dotnet.mcp.values import MOST_CHILDREN, evaluate_in, open_values
from dap_dotnet.protocol.wire_names import member, wire_name

_MOST_SNAPSHOTS = 50


class ObjectArguments(FrameArguments):
    """Of `object_inspect`."""

    expression: str = Field(description="The object.", examples=["order.Customer"])
    max_chars: MaxChars = MAX_CHARS


class CollectionArguments(FrameArguments):
    """Of `collection_analyze`."""

    expression: str = Field(description="An array, list or other indexed collection.", examples=["order.Items"])
    limit: int = Field(default=1000, ge=1, le=100_000, description="How many elements are read.", examples=[1000])
    sample: int = Field(
        default=10, ge=0, le=100, description="How many of the first elements are shown.", examples=[10]
    )


class SnapshotArguments(FrameArguments):
    """Of `snapshot_create`."""

    name: str = Field(
        max_length=100, description="The snapshot's name; one of that name is replaced.", examples=["before"]
    )
    expressions: list[str] = Field(
        default_factory=list, max_length=50, description="Objects to keep besides the locals.", examples=[["this.cart"]]
    )
    depth: int = Field(default=2, ge=1, le=4, description="How many levels of children are kept.", examples=[2])


class DiffArguments(SessionArguments):
    """Of `snapshot_diff`."""

    before: str = Field(description="The name of a snapshot.", examples=["before"])
    after: str = Field(description="The name of another.", examples=["after"])
    start: int = Field(default=0, ge=0, description="The first change that is shown.", examples=[0])
    count: int = Field(default=100, ge=1, le=5000, description="How many changes are shown.", examples=[100])
    max_chars: MaxChars = MAX_CHARS


class RemoveSnapshotArguments(SessionArguments):
    """Of `snapshot_remove`."""

    name: str = Field(description="The name of a snapshot.", examples=["before"])


class ObjectAnswer(Answer):
    """An object: how it is shown, and its members."""

    expression: str
    display: str
    type: str | None = None
    elements: int | None = Field(default=None, description="How many elements it has, when it is a collection.")
    members: list[Value]

    def to_text(self) -> str:
        """Its display and its members."""
        lines = [f"{self.expression} = {self.display}" + (f" ({self.type})" if self.type else "")]
        lines += [line for value in self.members for line in value.lines("  ")]
        return self.joined(lines)


class CollectionAnswer(Answer, Collection):
    """What is in a collection."""

    expression: str
    sample: list[Value]

    def to_text(self) -> str:
        """Counts, extremes and the first elements."""
        lines = [f"{self.expression}: {self.count} elements, {self.analyzed} read, {self.nulls} null"]
        if self.duplicates is not None:
            lines.append(f"{self.duplicates} duplicates" + (f": {', '.join(self.repeated)}" if self.repeated else ""))
        if self.min is not None:
            lines.append(f"min {self.min}, max {self.max}")
        lines += [line for value in self.sample for line in value.lines("  ")]
        return self.joined(lines)


class SnapshotAnswer(Answer):
    """A snapshot that was made."""

    name: str
    values: int

    def to_text(self) -> str:
        """A sentence."""
        return f"Snapshot {self.name}: {self.values} values" + (f" ({self.left_out})" if self.left_out else "") + "."


class DiffAnswer(Answer):
    """What differs between two snapshots."""

    changes: list[Change]

    def to_text(self) -> str:
        """A line for each."""
        lines = [change.to_text() for change in self.changes] or ["Nothing differs."]
        return self.joined(lines)


class RemoveSnapshotAnswer(Answer):
    """The names of the snapshots that are left."""

    left: list[str]

    def to_text(self) -> str:
        """A sentence."""
        return f"Removed; there are: {_names(self.left)}."


@tool(read_only=True)
def object_inspect(call: Call, arguments: ObjectArguments) -> ObjectAnswer:
    """Show an object: its display text, type, number of elements, and members."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    body = evaluate_in(session, stop, (arguments.thread_id, arguments.frame), arguments.expression, side_effects=False)
    reference = member(body, "variables_reference")
    children = variables_of(session, reference, 0, MOST_CHILDREN + 1) if reference else []
    budget = Budget(arguments.max_chars)
    members = open_values(session, children[:MOST_CHILDREN], 1, budget)
    return ObjectAnswer(
        expression=arguments.expression,
        display=clip(str(body.get("result"))),
        type=body.get("type"),
        elements=member(body, "indexed_variables"),
        members=members,
        left_out=f"more members: variables_get with start: {len(members)}" if len(children) > len(members) else None,
    )


@tool(read_only=True)
def collection_analyze(call: Call, arguments: CollectionArguments) -> CollectionAnswer:
    """Count a collection's elements, nulls and duplicates, find its smallest and largest, show the first ones.

    Duplicates, minimum and maximum are those of numbers, texts and other values; objects are not compared.
    """
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    body = evaluate_in(session, stop, (arguments.thread_id, arguments.frame), arguments.expression, side_effects=False)
    reference, count = member(body, "variables_reference"), member(body, "indexed_variables")
    if not reference or not count:
        if body.get("result") == "null" or not reference:
            raise ToolError("EVAL_FAILED", f"{arguments.expression} is {clip(str(body.get('result')))}: no collection.")
        count = 0
    elements: list[Mapping[str, Any]] = []
    wanted = min(count, arguments.limit)
    while len(elements) < wanted:
        call.progress(len(elements), wanted, f"reading {arguments.expression}")
        page = session.request(
            "variables",
            {
                wire_name("variables_reference"): reference,
                "filter": "indexed",
                "start": len(elements),
                "count": min(1000, wanted - len(elements)),
            },
        ).get("variables")
        if not page:
            break
        elements += page
    summary = summarise(count, elements)
    return CollectionAnswer(
        **summary.model_dump(),
        expression=arguments.expression,
        sample=[value_of(element) for element in elements[: arguments.sample]],
        left_out=f"{count - len(elements)} elements were not read: ask with a larger limit"
        if count > len(elements)
        else None,
    )


@tool(read_only=True)
def snapshot_create(call: Call, arguments: SnapshotArguments) -> SnapshotAnswer:
    """Keep the values of the locals and of chosen objects, to compare them later with snapshot_diff."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    if arguments.name not in session.snapshots and len(session.snapshots) >= _MOST_SNAPSHOTS:
        raise ToolError(
            "INVALID_REQUEST",
            f"There are {_MOST_SNAPSHOTS} snapshots.",
            "Use the name of an old one, or call snapshot_remove.",
        )
    budget = Budget(500_000)
    kept: dict[str, str] = {}
    roots = open_values(
        session,
        locals_of(session, frame_id(session, stop, arguments.thread_id, arguments.frame)),
        arguments.depth,
        budget,
    )
    _flatten(roots, "", kept)
    for expression in arguments.expressions:
        body = evaluate_in(session, stop, (arguments.thread_id, arguments.frame), expression, side_effects=False)
        kept[expression] = str(body.get("result"))
        reference = member(body, "variables_reference")
        if reference:
            children = variables_of(session, reference, 0, MOST_CHILDREN)
            _flatten(open_values(session, children, arguments.depth, budget), f"{expression}.", kept)
    session.snapshots[arguments.name] = kept
    return SnapshotAnswer(
        name=arguments.name, values=len(kept), left_out="not all of it: it is too large" if budget.is_spent else None
    )


def _flatten(values: list[Value], prefix: str, into: dict[str, str]) -> None:
    for value in values:
        path = f"{prefix}{value.name}".replace(".[", "[")
        into[path] = value.value
        _flatten(value.children or [], f"{path}.", into)


@tool(read_only=True)
def snapshot_diff(call: Call, arguments: DiffArguments) -> DiffAnswer:
    """Show what differs between two snapshots."""
    session = call.sessions.get(arguments.session)
    pair: list[dict[str, str]] = []
    for name in (arguments.before, arguments.after):
        if name not in session.snapshots:
            raise _unknown(session, name, "Call snapshot_create.")
        pair.append(session.snapshots[name])
    old, new = pair
    changes = [
        Change(name=path, before=old.get(path), after=new.get(path))
        for path in [*new, *(path for path in old if path not in new)]
        if old.get(path) != new.get(path)
    ]
    shown = Budget(arguments.max_chars).fit(changes[arguments.start : arguments.start + arguments.count])
    behind = arguments.start + len(shown)
    more = len(changes) - behind
    return DiffAnswer(changes=shown, left_out=f"{more} more changes: ask with start: {behind}" if more > 0 else None)


@tool(read_only=True)
def snapshot_remove(call: Call, arguments: RemoveSnapshotArguments) -> RemoveSnapshotAnswer:
    """Forget a snapshot. The answer names those that are left; all go with their session."""
    session = call.sessions.get(arguments.session)
    if session.snapshots.pop(arguments.name, None) is None:
        raise _unknown(session, arguments.name, "Choose one of those that there are.")
    return RemoveSnapshotAnswer(left=list(session.snapshots))


def _unknown(session: DebugSession, name: str, remedy: str) -> ToolError:
    return ToolError(
        "NOT_FOUND", f"There is no snapshot {clip(name, 100)!r}; there are: {_names(session.snapshots)}.", remedy
    )


def _names(snapshots: Iterable[str]) -> str:
    return ", ".join(snapshots) or "none"
