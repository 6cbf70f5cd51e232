"""Looking at a stopped program: stacks, threads, variables, expressions, collections, snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from dap_dotnet.client import DapRequestError
from dap_dotnet.mcp.collections import Collection, summarise
from dap_dotnet.mcp.debug_session import DebugSession, StopRecord
from dap_dotnet.mcp.errors import ToolError, tool_error
from dap_dotnet.mcp.models import Change, Frame, Value
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.purity import first_effect
from dap_dotnet.mcp.reports import (
    Budget,
    clip,
    frame_id,
    frame_of,
    frames_of,
    locals_of,
    value_of,
    variables_of,
)
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import FrameArguments, SessionArguments, ThreadArguments
from dap_dotnet.protocol.wire_names import member, wire_name

_MOST_CHILDREN = 100
_MOST_SNAPSHOTS = 50
_MAX_CHARS = Field(
    default=8_000, ge=100, le=200_000, description="How many characters the answer may take.", examples=[8000]
)


class StackArguments(ThreadArguments):
    """Of `stack_get`."""

    all_threads: bool = Field(default=False, description="The stacks of all threads.", examples=[True])
    start: int = Field(default=0, ge=0, le=1_000_000, description="The first frame; 0: the newest.", examples=[0])
    count: int = Field(default=20, ge=1, le=1000, description="How many frames of each thread.", examples=[20])
    max_chars: int = _MAX_CHARS


class ThreadsArguments(SessionArguments):
    """Of `threads_get`."""

    count: int = Field(default=100, ge=1, le=1000, description="How many threads.", examples=[100])


class VariablesArguments(FrameArguments):
    """Of `variables_get`: the frame's variables, or the children of `expression` or `reference`."""

    expression: str | None = Field(default=None, description="Children of this, instead.", examples=["order.Items"])
    reference: int | None = Field(
        default=None, ge=1, description="Children of a value of an earlier answer of this stop.", examples=[1003]
    )
    depth: int = Field(default=1, ge=1, le=6, description="How many levels of children to open.", examples=[2])
    start: int = Field(default=0, ge=0, description="The first child.", examples=[100])
    count: int = Field(_MOST_CHILDREN, ge=1, le=10_000, description="How many children.", examples=[100])
    max_chars: int = _MAX_CHARS


class EvaluateArguments(FrameArguments):
    """Of `evaluate`."""

    expressions: list[str] = Field(
        min_length=1,
        max_length=50,
        description="C# expressions, in the scope of the frame.",
        examples=[["order.Total"]],
    )
    side_effects: bool = Field(
        default=False,
        description="Allow calls, assignments and new objects, which run code of the program.",
        examples=[True],
    )
    max_chars: int = _MAX_CHARS


class ObjectArguments(FrameArguments):
    """Of `object_inspect`."""

    expression: str = Field(description="The object.", examples=["order.Customer"])
    max_chars: int = _MAX_CHARS


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
    count: int = Field(default=100, ge=1, le=5000, description="How many changes are shown.", examples=[100])


class ThreadStack(Part):
    """The stack of a thread."""

    thread_id: int
    thread_name: str | None = None
    frames: list[Frame]
    more: bool = Field(description="Whether there are frames beyond those.")


class StackAnswer(Answer):
    """Stacks."""

    threads: list[ThreadStack]

    def to_text(self) -> str:
        """A line for each frame."""
        lines: list[str] = []
        for thread in self.threads:
            lines.append(f"Thread {thread.thread_id} {thread.thread_name or ''}".rstrip())
            lines += [f"  {frame.index:3} {frame.to_text()}" for frame in thread.frames]
            if thread.more:
                lines.append("  …")
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])


class ThreadState(Part):
    """A thread. `waits_in` is the framework's function on top of its stack; None: it is in your code, or unknown."""

    thread_id: int
    name: str
    is_stopped_here: bool
    waits_in: str | None = None
    at: Frame | None = Field(default=None, description="The newest frame of your code.")


class ThreadsAnswer(Answer):
    """Threads."""

    threads: list[ThreadState]

    def to_text(self) -> str:
        """A line for each."""
        lines = [
            f"{'>' if one.is_stopped_here else ' '} {one.thread_id} {one.name}"
            + (f" waits in {one.waits_in}" if one.waits_in else "")
            + (f" at {one.at.to_text()}" if one.at else "")
            for one in self.threads
        ]
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])


class VariablesAnswer(Answer):
    """Variables."""

    variables: list[Value]

    def to_text(self) -> str:
        """A line for each."""
        lines = [line for value in self.variables for line in value.lines()] or ["There are no variables."]
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])


class Evaluated(Part):
    """An expression's value, or why it has none."""

    expression: str
    value: str | None = None
    type: str | None = None
    reference: int | None = None
    code: str | None = None
    error: str | None = None
    remedy: str | None = None


class EvaluateAnswer(Answer):
    """Values, in the order of the expressions."""

    results: list[Evaluated]

    def to_text(self) -> str:
        """A line for each."""
        lines = [
            f"{one.expression} = {one.value}" if one.error is None else f"{one.expression}: {one.code}: {one.error}"
            for one in self.results
        ]
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])


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
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])


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
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])


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
        return "\n".join([*lines, *([f"({self.left_out})"] if self.left_out else [])])


@tool(read_only=True)
def stack_get(call: Call, arguments: StackArguments) -> StackAnswer:
    """Show the call stack of one thread or all, with the methods that await it where it is asynchronous."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    names = _thread_names(session)
    thread = arguments.thread_id if arguments.thread_id is not None else stop.thread_id
    wanted = list(names) if arguments.all_threads else [thread]
    budget = Budget(arguments.max_chars)
    found: list[ThreadStack] = []
    for thread_id in wanted:
        if budget.is_spent:
            break
        frames = frames_of(session, stop, thread_id, arguments.start, arguments.count + 1)
        shown: list[Frame] = []
        for offset, frame in enumerate(frames[: arguments.count]):
            made = frame_of(session, frame, arguments.start + offset)
            if not budget.take(made.function, made.file, made.module):
                break
            shown.append(made)
        found.append(
            ThreadStack(
                thread_id=thread_id, thread_name=names.get(thread_id), frames=shown, more=len(frames) > len(shown)
            )
        )
    left_out = None
    if budget.is_spent:
        left_out = f"max_chars is spent: {len(found)} of {len(wanted)} threads; ask with start, or for one thread"
    elif found and any(one.more for one in found):
        left_out = f"more frames: ask with start: {arguments.start + arguments.count}"
    return StackAnswer(threads=found, left_out=left_out)


def _thread_names(session: DebugSession) -> dict[int, str]:
    return {int(one["id"]): str(one["name"]) for one in session.request("threads").get("threads") or ()}


@tool(read_only=True)
def threads_get(call: Call, arguments: ThreadsArguments) -> ThreadsAnswer:
    """List the threads: where each is in your code, and the framework's function in which it waits."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    names = _thread_names(session)
    states = [
        _thread_state(session, stop, thread_id, name) for thread_id, name in list(names.items())[: arguments.count]
    ]
    more = len(names) - len(states)
    return ThreadsAnswer(threads=states, left_out=f"{more} more threads: ask with a larger count" if more else None)


def _thread_state(session: DebugSession, stop: StopRecord, thread_id: int, name: str) -> ThreadState:
    try:
        frames = frames_of(session, stop, thread_id, 0, 12)
    except DapRequestError:  # a thread that is about to end has no stack
        frames = []
    shown = [frame_of(session, frame, index) for index, frame in enumerate(frames)]
    mine = next((frame for frame in shown if frame.is_user_code), None)
    top = shown[0] if shown else None
    waits = top.function if top is not None and not top.is_user_code and thread_id != stop.thread_id else None
    return ThreadState(
        thread_id=thread_id, name=name, is_stopped_here=thread_id == stop.thread_id, waits_in=waits, at=mine
    )


@tool(read_only=True)
def variables_get(call: Call, arguments: VariablesArguments) -> VariablesAnswer:
    """Show the variables of a frame, or the children of an expression or reference, some levels deep."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    if arguments.reference is not None:
        reference: int | None = arguments.reference
    elif arguments.expression is not None:
        body = _evaluate(session, stop, arguments, arguments.expression, side_effects=False)
        reference = member(body, "variables_reference") or None
        if reference is None:
            shown = Value(name=arguments.expression, value=clip(str(body.get("result"))), type=body.get("type"))
            return VariablesAnswer(variables=[shown])
    else:
        reference = None
    if reference is None:
        every = locals_of(session, frame_id(session, stop, arguments.thread_id, arguments.frame))
        page = every[arguments.start : arguments.start + arguments.count]
        more = len(every) > arguments.start + len(page)
    else:
        # One more than is shown, to know whether there are more.
        page = variables_of(session, reference, arguments.start, arguments.count + 1)
        more = len(page) > arguments.count
        page = page[: arguments.count]
    budget = Budget(arguments.max_chars)
    values = _open(session, page, arguments.depth, budget)
    left_out = None
    if len(values) < len(page) or more:
        left_out = f"more variables: ask with start: {arguments.start + len(values)}"
    elif budget.is_spent:
        left_out = "max_chars is spent: open values by their reference"
    return VariablesAnswer(variables=values, left_out=left_out)


def _open(session: DebugSession, variables: list[Mapping[str, Any]], depth: int, budget: Budget) -> list[Value]:
    """Values with their children, level by level of one branch after the other, while there is room."""
    found: list[Value] = []
    for variable in variables:
        value = value_of(variable)
        if not budget.take(value.name, value.value, value.type):
            break
        found.append(value)
    if depth > 1:
        for value in found:
            if value.reference is None or budget.is_spent:
                continue
            children = variables_of(session, value.reference, 0, _MOST_CHILDREN + 1)
            value.children = _open(session, children[:_MOST_CHILDREN], depth - 1, budget)
            if len(children) > len(value.children):
                value.more = len(children) - len(value.children)
    return found


def _evaluate(
    session: DebugSession,
    stop: StopRecord,
    at: FrameArguments,
    expression: str,
    *,
    side_effects: bool,
    context: str = "watch",
) -> Mapping[str, Any]:
    if not side_effects:
        effect = first_effect(expression)
        if effect is not None:
            raise ToolError("SIDE_EFFECTS", f"{clip(expression, 100)} has {effect}, which runs code of the program.")
    arguments = {
        "expression": expression,
        wire_name("frame_id"): frame_id(session, stop, at.thread_id, at.frame),
        "context": context,
    }
    return session.request("evaluate", arguments)


@tool()
def evaluate(call: Call, arguments: EvaluateArguments) -> EvaluateAnswer:
    """Evaluate C# expressions in a frame. One that fails has its own error; the others have their values.

    Without side_effects, calls, assignments and new objects are refused; properties are read.
    """
    if arguments.side_effects:
        call.need_writing("no expression may have side effects")
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    budget = Budget(arguments.max_chars)
    longest = max(100, arguments.max_chars // len(arguments.expressions))
    results: list[Evaluated] = []
    for expression in arguments.expressions:
        call.progress(len(results), len(arguments.expressions), clip(expression, 60))
        try:
            body = _evaluate(session, stop, arguments, expression, side_effects=arguments.side_effects)
        except (ToolError, DapRequestError) as error:
            known = tool_error(error)
            made = Evaluated(expression=expression, code=known.code, error=known.message, remedy=known.remedy)
        else:
            made = Evaluated(
                expression=expression,
                value=clip(str(body.get("result")), longest),
                type=body.get("type"),
                reference=member(body, "variables_reference") or None,
            )
        if not budget.take(made.expression, made.value, made.type, made.error):
            break
        results.append(made)
    missing = len(arguments.expressions) - len(results)
    return EvaluateAnswer(
        results=results, left_out=f"{missing} expressions: ask again with more max_chars" if missing else None
    )


@tool(read_only=True)
def object_inspect(call: Call, arguments: ObjectArguments) -> ObjectAnswer:
    """Show an object: its display text, type, number of elements, and members."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    body = _evaluate(session, stop, arguments, arguments.expression, side_effects=False)
    reference = member(body, "variables_reference")
    children = variables_of(session, reference, 0, _MOST_CHILDREN + 1) if reference else []
    budget = Budget(arguments.max_chars)
    members = _open(session, children[:_MOST_CHILDREN], 1, budget)
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
    body = _evaluate(session, stop, arguments, arguments.expression, side_effects=False)
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
        raise ToolError("INVALID_REQUEST", f"There are {_MOST_SNAPSHOTS} snapshots.", "Use the name of an old one.")
    budget = Budget(500_000)
    kept: dict[str, str] = {}
    roots = _open(
        session,
        locals_of(session, frame_id(session, stop, arguments.thread_id, arguments.frame)),
        arguments.depth,
        budget,
    )
    _flatten(roots, "", kept)
    for expression in arguments.expressions:
        body = _evaluate(session, stop, arguments, expression, side_effects=False)
        kept[expression] = str(body.get("result"))
        reference = member(body, "variables_reference")
        if reference:
            children = variables_of(session, reference, 0, _MOST_CHILDREN)
            _flatten(_open(session, children, arguments.depth, budget), f"{expression}.", kept)
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
            names = ", ".join(session.snapshots) or "none"
            raise ToolError("NOT_FOUND", f"There is no snapshot {name!r}; there are: {names}.", "Call snapshot_create.")
        pair.append(session.snapshots[name])
    old, new = pair
    changes = [
        Change(name=path, before=old.get(path), after=new.get(path))
        for path in [*new, *(path for path in old if path not in new)]
        if old.get(path) != new.get(path)
    ]
    shown = changes[: arguments.count]
    more = len(changes) - len(shown)
    return DiffAnswer(changes=shown, left_out=f"{more} more changes: ask with a larger count" if more else None)
