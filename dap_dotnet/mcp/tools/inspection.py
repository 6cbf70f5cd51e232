"""Looking at a stopped program: stacks, variables, expressions."""

from __future__ import annotations

from pydantic import Field

from dap_dotnet.client import DapRequestError
from dap_dotnet.mcp.debug_session import DebugSession
from dap_dotnet.mcp.errors import ToolError, tool_error
from dap_dotnet.mcp.models import Frame, Value
from dap_dotnet.mcp.parts import Answer, Part
from dap_dotnet.mcp.reports import (
    Budget,
    clip,
    frame_id,
    frame_of,
    frames_of,
    locals_of,
    variables_of,
)
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.session_argument import (
    MAX_CHARS,
    FrameArguments,
    MaxChars,
    ThreadArguments,
)
from dap_dotnet.mcp.values import MOST_CHILDREN, evaluate_in, open_values
from dap_dotnet.protocol.wire_names import member, wire_name


class StackArguments(ThreadArguments):
    """Of `stack_get`."""

    all_threads: bool = Field(default=False, description="The stacks of all threads.", examples=[True])
    start: int = Field(default=0, ge=0, le=1_000_000, description="The first frame; 0: the newest.", examples=[0])
    count: int = Field(default=20, ge=1, le=1000, description="How many frames of each thread.", examples=[20])
    max_chars: MaxChars = MAX_CHARS


class VariablesArguments(FrameArguments):
    """Of `variables_get`: the frame's variables, or the children of `expression` or `reference`."""

    expression: str | None = Field(default=None, description="Children of this, instead.", examples=["order.Items"])
    reference: int | None = Field(
        default=None, ge=1, description="Children of a value of an earlier answer of this stop.", examples=[1003]
    )
    depth: int = Field(default=1, ge=1, le=6, description="How many levels of children to open.", examples=[2])
    start: int = Field(default=0, ge=0, description="The first child.", examples=[100])
    count: int = Field(MOST_CHILDREN, ge=1, le=10_000, description="How many children.", examples=[100])
    max_chars: MaxChars = MAX_CHARS


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
    max_chars: MaxChars = MAX_CHARS


class SetVariableArguments(FrameArguments):
    """Of `variable_set`."""

    expression: str = Field(description="What to store in.", examples=["order.Count"])
    value: str = Field(description="A C# expression for the new value.", examples=["count + 1"])


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
        return self.joined(lines)


class VariablesAnswer(Answer):
    """Variables."""

    variables: list[Value]

    def to_text(self) -> str:
        """A line for each."""
        lines = [line for value in self.variables for line in value.lines()] or ["There are no variables."]
        return self.joined(lines)


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
        return self.joined(lines)


class SetVariableAnswer(Answer):
    """What was stored."""

    expression: str
    value: str
    type: str | None = None
    reference: int | None = None

    def to_text(self) -> str:
        """One line."""
        return f"{self.expression} = {self.value}"


@tool(read_only=True)
def stack_get(call: Call, arguments: StackArguments) -> StackAnswer:
    """Show the call stack of one thread or all, with the methods that await it where it is asynchronous."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    names = thread_names(session)
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


def thread_names(session: DebugSession) -> dict[int, str]:
    """The threads, by id. Raises `ClientError`."""
    return {int(one["id"]): str(one["name"]) for one in session.request("threads").get("threads") or ()}


@tool(read_only=True)
def variables_get(call: Call, arguments: VariablesArguments) -> VariablesAnswer:
    """Show the variables of a frame, or the children of an expression or reference, some levels deep."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    if arguments.reference is not None:
        reference: int | None = arguments.reference
    elif arguments.expression is not None:
        body = evaluate_in(
            session, stop, (arguments.thread_id, arguments.frame), arguments.expression, side_effects=False
        )
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
    values = open_values(session, page, arguments.depth, budget)
    left_out = None
    if len(values) < len(page) or more:
        left_out = f"more variables: ask with start: {arguments.start + len(values)}"
    elif budget.is_spent:
        left_out = "max_chars is spent: open values by their reference"
    return VariablesAnswer(variables=values, left_out=left_out)


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
            body = evaluate_in(
                session, stop, (arguments.thread_id, arguments.frame), expression, side_effects=arguments.side_effects
            )
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


@tool(needs="write")
def variable_set(call: Call, arguments: SetVariableArguments) -> SetVariableAnswer:
    """Store a value in a variable, field, property or element; the answer is what it holds afterwards."""
    call.need_writing("nothing may be stored")
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    body = session.request(
        "setExpression",
        {
            "expression": arguments.expression,
            "value": arguments.value,
            wire_name("frame_id"): frame_id(session, stop, arguments.thread_id, arguments.frame),
        },
    )
    stop.locals = None
    return SetVariableAnswer(
        expression=arguments.expression,
        value=clip(str(body.get("value"))),
        type=body.get("type"),
        reference=member(body, "variables_reference") or None,
    )
