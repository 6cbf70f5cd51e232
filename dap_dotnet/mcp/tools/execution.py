"""Running: continue, pause, step, run to a place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from dap_dotnet.mcp.breakpoint_book import Kept
from dap_dotnet.mcp.debug_session import DebugSession, StopRecord
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.models import RunAnswer
from dap_dotnet.mcp.parts import Answer
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.reports import (
    SHOWN_FRAMES,
    clip,
    frame_id,
    frame_key,
    frames_of,
    locals_of,
    run_answer,
    value_of,
)
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.breakpoints import BreakpointPlace, set_breakpoint
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, MaxChars, SessionArguments, ThreadArguments, WaitSeconds
from dap_dotnet.protocol.wire_names import wire_name

_STEPS = {"over": "next", "into": "stepIn", "out": "stepOut"}


Alone = Annotated[
    bool,
    Field(
        description="Only this thread runs, the others stay where they are; if it waits for one of them, they all run.",
        examples=[True],
    ),
]


class ContinueArguments(ThreadArguments):
    """Of `execution_continue`."""

    alone: Alone = False
    wait_s: WaitSeconds = 5.0


class PauseArguments(SessionArguments):
    """Of `execution_pause`."""

    wait_s: WaitSeconds = 10.0


class StepArguments(ThreadArguments):
    """Of `execution_step`."""

    kind: Literal["over", "into", "out"] = Field(
        default="over", description="over a statement, into the next call, or out of the function.", examples=["over"]
    )
    target: str | None = Field(
        default=None,
        description="Into this call of the statement: a part of its name, when the statement has several.",
        examples=["Cart.Add"],
    )
    unit: Literal["statement", "line", "instruction"] = Field(
        default="statement", description="How far a step goes.", examples=["statement"]
    )
    alone: Alone = False
    wait_s: WaitSeconds = 30.0


class ExplainStepArguments(SessionArguments):
    """Of `step_explain`."""

    max_chars: MaxChars = MAX_CHARS


class StepAnswer(Answer):
    """What a step did."""

    text: str

    def to_text(self) -> str:
        """The explanation."""
        return self.joined([self.text])


class RunToArguments(SessionArguments):
    """Of `execution_run_to`."""

    file: str = Field(description="The source file.", examples=["/src/Shop/Cart.cs"])
    line: int = Field(ge=1, description="The line to stop at, 1-based.", examples=[27])
    column: int | None = Field(default=None, ge=1, description="A column of it.", examples=[13])
    wait_s: WaitSeconds = 30.0


class GotoArguments(SessionArguments):
    """Of `execution_goto`."""

    file: str = Field(description="The source file.", examples=["/src/Shop/Cart.cs"])
    line: int = Field(ge=1, description="A line of the method that the thread is in, 1-based.", examples=[27])
    column: int | None = Field(default=None, ge=1, description="A column of it.", examples=[13])
    wait_s: WaitSeconds = 10.0


@tool()
def execution_continue(call: Call, arguments: ContinueArguments) -> RunAnswer:
    """Let the program run, and wait a while for its next stop or its end."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    thread_id = arguments.thread_id if arguments.thread_id is not None else stop.thread_id
    session.run("continue", {wire_name("thread_id"): thread_id, wire_name("single_thread"): arguments.alone})
    over = not session.wait(call, arguments.wait_s) and arguments.wait_s > 0
    return run_answer(session, is_over=over)


@tool()
def execution_pause(call: Call, arguments: PauseArguments) -> RunAnswer:
    """Stop the program where it is."""
    session = call.sessions.get(arguments.session)
    session.need_alive()
    if session.stop is None:
        session.request("pause", {wire_name("thread_id"): 0})
    over = not session.wait(call, arguments.wait_s, what="the pause")
    return run_answer(session, is_over=over)


@tool()
def execution_step(call: Call, arguments: StepArguments) -> RunAnswer:
    """Step over, into or out; returns the new place, the statement's source and what changed in the locals.

    With target, into one of several calls. After a step over or out, `returned` has what calls have returned.
    """
    session = call.sessions.get(arguments.session)
    stop = _stop_before(session)
    thread_id = arguments.thread_id if arguments.thread_id is not None else stop.thread_id
    asked = {
        wire_name("thread_id"): thread_id,
        wire_name("single_thread"): arguments.alone,
        "granularity": arguments.unit,
    }
    command = _STEPS[arguments.kind]
    if arguments.target is not None:
        command = "stepIn"
        asked[wire_name("target_id")] = _target_id(session, stop, thread_id, arguments.target)
    session.run(command, asked)
    over = not session.wait(call, arguments.wait_s, what="the end of the step")
    return run_answer(session, is_over=over, before=stop)


@tool(read_only=True)
def step_explain(call: Call, arguments: ExplainStepArguments) -> StepAnswer:
    """Say what the last step did: its plans, what it passed by and why, where it ended and why there."""
    session = call.sessions.get(arguments.session)
    text = str(session.request("dap-dotnet/explainStep").get("text"))
    more = len(text) - arguments.max_chars
    return StepAnswer(
        text=text[: arguments.max_chars],
        left_out=f"{more:,} more characters: ask with a larger max_chars" if more > 0 else None,
    )


def _target_id(session: DebugSession, stop: StopRecord, thread_id: int, wanted: str) -> int:
    """The call of the statement that `wanted` names. Raises `ToolError`."""
    body = session.request("stepInTargets", {wire_name("frame_id"): frame_id(session, stop, thread_id, 0)})
    targets: list[Mapping[str, Any]] = body.get("targets") or []
    texts = {int(one["id"]): str(one.get("label")) for one in targets}
    ways: tuple[Callable[[str], bool], ...] = (
        lambda text: text == wanted,
        lambda text: wanted.lower() in text.partition("(")[0].lower(),
        lambda text: wanted.lower() in text.lower(),
    )
    found = next((ids for way in ways if (ids := [one for one, text in texts.items() if way(text)])), [])
    if len(found) == 1:
        return found[0]
    labels = "; ".join(clip(text, 100) for text in list(texts.values())[:20]) or "none"
    problem = "several calls are" if found else "no call is"
    raise ToolError(
        "NOT_FOUND",
        f"In this statement {problem} called {clip(wanted, 100)}; its calls: {labels}.",
        "Name one of them.",
    )


def _stop_before(session: DebugSession) -> StopRecord:
    """The present stop, with its locals and its place."""
    stop = session.need_stopped()
    if stop.locals is None or stop.frame is None:
        frames = frames_of(session, stop, stop.thread_id, 0, SHOWN_FRAMES)
        stop.frame = frame_key(frames)
        variables = locals_of(session, int(frames[0]["id"])) if frames else []
        stop.locals = [value_of(variable) for variable in variables]
    return stop


@tool(needs="write")
def execution_goto(call: Call, arguments: GotoArguments) -> RunAnswer:
    """Set the next statement: the thread that stopped goes on there, and what is between does not run."""
    call.need_writing("the program's course may not be changed")
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    asked: dict[str, Any] = {
        "source": {"path": allowed_path(arguments.file, call.options.folders)},
        "line": arguments.line,
    }
    if arguments.column is not None:
        asked["column"] = arguments.column
    targets = session.request("gotoTargets", asked).get("targets")
    if not targets:
        raise ToolError("INVALID_LINE", f"No statement of the method is at line {arguments.line}.")
    session.run("goto", {wire_name("thread_id"): stop.thread_id, wire_name("target_id"): targets[0]["id"]})
    over = not session.wait(call, arguments.wait_s, what="the new place")
    return run_answer(session, is_over=over)


@tool()
def execution_run_to(call: Call, arguments: RunToArguments) -> RunAnswer:
    """Run to a line, with a breakpoint that is removed again. Another stop may come first."""
    session = call.sessions.get(arguments.session)
    stop = session.need_stopped()
    place = BreakpointPlace(file=arguments.file, line=arguments.line, column=arguments.column)
    path = allowed_path(arguments.file, call.options.folders)
    # A breakpoint that is there already gets its settings back.
    there = next((kept for kept in session.breakpoints.all() if kept.path == path and _is_at(kept, arguments)), None)
    made = set_breakpoint(call, session, place)
    try:
        if not made.verified and made.code not in (None, "MODULE_NOT_LOADED"):
            raise ToolError(made.code or "INVALID_LINE", made.message or "Nothing can stop there.")
        session.run("continue", {wire_name("thread_id"): stop.thread_id})
        over = not session.wait(call, arguments.wait_s, what=f"line {arguments.line}")
        answer = run_answer(session, is_over=over)
    finally:
        if session.state != "ended":
            if there is not None:
                session.breakpoints.add(there.kind, there.settings, there.path)
            else:
                session.breakpoints.remove([made.id])
    return answer


def _is_at(kept: Kept, arguments: RunToArguments) -> bool:
    return kept.settings.get("line") == arguments.line and kept.settings.get("column") == arguments.column
