"""Sessions: launch, attach, status, restart, disconnect."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from dap_dotnet.mcp.debug_session import Beginning, DebugSession
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.models import RunAnswer, State
from dap_dotnet.mcp.parts import Answer, Arguments, Part
from dap_dotnet.mcp.paths import allowed_path
from dap_dotnet.mcp.reports import Budget, clip, run_answer
from dap_dotnet.mcp.tool import Call, tool
from dap_dotnet.mcp.tools.breakpoints import (
    BreakpointPlace,
    ExceptionFilter,
    SetBreakpoint,
    set_answer,
    set_breakpoint,
    set_exceptions,
)
from dap_dotnet.mcp.tools.session_argument import MAX_CHARS, MaxChars, SessionArguments, WaitSeconds
from dap_dotnet.protocol.wire_names import wire_name


class BeginArguments(Arguments):
    """What launch and attach have in common."""

    breakpoints: list[BreakpointPlace] = Field(
        default_factory=list,
        description="Breakpoints that are set before the program runs.",
        examples=[[{"file": "/src/Shop/Cart.cs", "line": 27}]],
    )
    exceptions: list[ExceptionFilter] | None = Field(
        default=None,
        description="Exceptions to stop for; None: only those that nothing catches.",
        examples=[[{"filter": "all", "types": "System.InvalidOperationException"}]],
    )
    just_my_code: bool = Field(
        default=True, description="Step over code without symbols, and do not stop in it.", examples=[True]
    )
    exact_source: bool = Field(
        default=True,
        description="Take breakpoints only in files that are still what the program was built from.",
        examples=[False],
    )
    wait_s: WaitSeconds = 10.0


class LaunchArguments(BeginArguments):
    """Of `debug_launch`."""

    program: str = Field(
        description="A built .dll or the executable built with it; or a project, folder, solution or C# file, which is "
        "built first.",
        examples=["/src/Shop/bin/Debug/net10.0/Shop.dll"],
    )
    args: list[str] = Field(default_factory=list, description="The program's arguments.", examples=[["--verbose"]])
    env: dict[str, str | None] = Field(
        default_factory=dict, description="Variables to add; null removes one.", examples=[{"LEVEL": "debug"}]
    )
    cwd: str | None = Field(
        default=None, description="The working directory; None: its workspace or folder.", examples=["/src/Shop"]
    )
    stop_at_entry: bool | None = Field(
        default=None,
        description="Stop at the first line of Main; None: only when no breakpoints are given.",
        examples=[True],
    )


class LaunchTestArguments(BeginArguments):
    """Of `debug_launch_test`."""

    project: str = Field(
        description="The project of tests, a folder or solution with one, or its built .dll.",
        examples=["/src/Shop.Tests"],
    )
    filter: str | None = Field(
        default=None,
        description="Which tests, as dotnet test --filter takes it; None: all.",
        examples=["FullyQualifiedName~Discount"],
    )
    args: list[str] = Field(
        default_factory=list, description="More options of dotnet test.", examples=[["--configuration", "Debug"]]
    )
    env: dict[str, str | None] = Field(
        default_factory=dict, description="Variables to add; null removes one.", examples=[{"LEVEL": "debug"}]
    )
    wait_s: WaitSeconds = 60.0


class AttachArguments(BeginArguments):
    """Of `debug_attach`."""

    process_id: int = Field(gt=0, description="The process to take control of.", examples=[12345])
    wait_s: WaitSeconds = 0.0


class PeekArguments(Arguments):
    """Of `debug_peek`."""

    process_id: int = Field(gt=0, description="The process to look at.", examples=[12345])
    just_my_code: bool = Field(default=True, description="Leave out code without symbols.", examples=[True])


class RestartArguments(SessionArguments):
    """Of `debug_restart`."""

    wait_s: WaitSeconds = 10.0


class StatusArguments(SessionArguments):
    """Of `debug_status`."""

    session: str | None = Field(default=None, description="Only this session; None: all.", examples=["s1"])
    max_chars: MaxChars = MAX_CHARS


class DisconnectArguments(SessionArguments):
    """Of `debug_disconnect`."""

    terminate: bool | None = Field(
        default=None,
        description="Whether the program ends; None: a launched one ends, an attached one goes on.",
        examples=[True],
    )


class BeginAnswer(RunAnswer):
    """A session that has begun. `breakpoints` are in the order in which they were asked for."""

    process_id: int | None = None
    breakpoints: list[SetBreakpoint] = Field(default_factory=list)

    def to_text(self) -> str:
        """The id, the breakpoints, and what the program does."""
        process = f", process {self.process_id}" if self.process_id else ""
        lines = [f"Session {self.session}{process}."]
        lines += [one.to_text() for one in self.breakpoints]
        return "\n".join([*lines, super().to_text()])


class SessionStatus(Part):
    """A session."""

    session: str
    state: State
    title: str
    process_id: int | None = None
    exit_code: int | None = None
    stop_number: int | None = None
    stop_reason: str | None = None
    thread_id: int | None = None
    breakpoints: int = 0


class StatusAnswer(Answer):
    """The sessions there are."""

    sessions: list[SessionStatus]

    def to_text(self) -> str:
        """A line for each."""
        if not self.sessions:
            return "Nothing is being debugged."
        lines = [
            f"{one.session}: {one.title}: {one.state}"
            + (f" ({one.stop_reason}, thread {one.thread_id})" if one.stop_reason else "")
            + (f", exit code {one.exit_code}" if one.exit_code is not None else "")
            for one in self.sessions
        ]
        return self.joined(lines)


class DisconnectAnswer(Answer):
    """A session that is over."""

    session: str
    exit_code: int | None = None

    def to_text(self) -> str:
        """A sentence."""
        return f"Session {self.session} is over."


@tool()
def debug_launch(call: Call, arguments: LaunchArguments) -> BeginAnswer:
    """Build a .NET program if need be, start it under the debugger with its breakpoints, and wait for its first stop.

    Without breakpoints it stops at the first line of Main. Several sessions can be debugged at once.
    """
    folders = call.options.folders
    program = allowed_path(arguments.program, folders)
    stop_at_entry = arguments.stop_at_entry
    if stop_at_entry is None:
        stop_at_entry = not arguments.breakpoints
    attributes: dict[str, Any] = {
        "program": program,
        "args": arguments.args,
        "env": arguments.env,
        wire_name("stop_at_entry"): stop_at_entry,
        wire_name("just_my_code"): arguments.just_my_code,
        wire_name("require_exact_source"): arguments.exact_source,
    }
    if arguments.cwd:
        attributes["cwd"] = allowed_path(arguments.cwd, folders)
    return begin(call, "launch", attributes, os.path.basename(program), arguments)


@tool()
def debug_launch_test(call: Call, arguments: LaunchTestArguments) -> BeginAnswer:
    """Build a project of tests, run those that the filter names under the debugger, and wait for the first stop.

    To stop where a test fails, give exceptions [{"filter": "all"}]. The run's output and exit code are the program's.
    """
    project = allowed_path(arguments.project, call.options.folders)
    attributes: dict[str, Any] = {
        wire_name("test_project"): project,
        "args": arguments.args,
        "env": arguments.env,
        wire_name("just_my_code"): arguments.just_my_code,
        wire_name("require_exact_source"): arguments.exact_source,
    }
    if arguments.filter is not None:
        attributes[wire_name("test_filter")] = arguments.filter
    return begin(call, "launch", attributes, f"tests of {os.path.basename(project)}", arguments)


@tool(needs="attach")
def debug_attach(call: Call, arguments: AttachArguments) -> BeginAnswer:
    """Take control of a .NET program that runs already. It goes on until a breakpoint is hit or it is paused."""
    if call.options.no_attach:
        raise ToolError("NOT_ALLOWED", "This server was started with --no-attach.")
    attributes = {
        wire_name("process_id"): arguments.process_id,
        wire_name("just_my_code"): arguments.just_my_code,
        wire_name("require_exact_source"): arguments.exact_source,
    }
    return begin(call, "attach", attributes, f"process {arguments.process_id}", arguments)


@tool(needs="attach")
def debug_peek(call: Call, arguments: PeekArguments) -> BeginAnswer:
    """Look at a running .NET program without debugging it: it is held for some milliseconds and goes on.

    The session is over a copy that stands still: threads, variables, async methods and the heap can be read as at any
    stop, and nothing runs. Disconnect when it was seen; peek again for a newer look.
    """
    if call.options.no_attach:
        raise ToolError("NOT_ALLOWED", "This server was started with --no-attach.")
    attributes = {
        wire_name("process_id"): arguments.process_id,
        "mode": "peek",
        wire_name("just_my_code"): arguments.just_my_code,
    }
    asked = BeginArguments(just_my_code=arguments.just_my_code)
    return begin(call, "attach", attributes, f"a look at process {arguments.process_id}", asked)


def begin(
    call: Call, command: str, attributes: Mapping[str, Any], title: str, arguments: BeginArguments
) -> BeginAnswer:
    """Begin a session by `launch` or `attach`, with its breakpoints, and wait for its first stop."""
    answers: list[SetBreakpoint] = []

    def set_breakpoints(session: DebugSession) -> None:
        answers.extend(set_breakpoint(call, session, place) for place in arguments.breakpoints)
        if arguments.exceptions is not None:
            set_exceptions(session, arguments.exceptions)

    session = call.sessions.begin(call, Beginning(command, attributes, title), set_breakpoints)
    return _begun(call, session, answers, arguments.wait_s)


def _begun(call: Call, session: DebugSession, answers: list[SetBreakpoint], wait_s: float) -> BeginAnswer:
    over = not session.wait(call, wait_s) and wait_s > 0
    answer = run_answer(session, is_over=over)
    return BeginAnswer(**dict(answer), process_id=session.process_id, breakpoints=answers)


@tool()
def debug_restart(call: Call, arguments: RestartArguments) -> BeginAnswer:
    """End a launched program and start it again, built first if need be, with the same arguments and breakpoints.

    Breakpoints keep their ids, unless the program had ended already; hit counts begin at 0.
    """
    session = call.sessions.get(arguments.session)
    if session.beginning.command != "launch":
        raise ToolError("INVALID_REQUEST", "Only a program that was launched can be started again.")
    if session.state == "ended":
        return _again_in_another_adapter(call, session, arguments.wait_s)
    call.sessions.restart(call, session)
    over = not session.wait(call, arguments.wait_s) and arguments.wait_s > 0
    news = session.breakpoint_news
    answers = [set_answer(session, one.kind, news.get(one.id) or {"id": one.id}) for one in session.breakpoints.all()]
    answer = run_answer(session, is_over=over)
    return BeginAnswer(**dict(answer), process_id=session.process_id, breakpoints=answers)


def _again_in_another_adapter(call: Call, session: DebugSession, wait_s: float) -> BeginAnswer:
    kept = session.breakpoints.all()
    answers: list[SetBreakpoint] = []

    def set_breakpoints(new: DebugSession) -> None:
        answers.extend(set_answer(new, kind, answer) for kind, answer in new.breakpoints.set_again(kept))

    call.sessions.end(session, terminate=True)
    again = call.sessions.begin(call, session.beginning, set_breakpoints, session_id=session.id)
    return _begun(call, again, answers, wait_s)


@tool()
def debug_disconnect(call: Call, arguments: DisconnectArguments) -> DisconnectAnswer:
    """End a session. A launched program ends with it; one that was attached to goes on."""
    session = call.sessions.get(arguments.session)
    call.sessions.end(session, terminate=arguments.terminate)
    return DisconnectAnswer(session=session.id, exit_code=session.exit_code)


@tool(read_only=True)
def debug_status(call: Call, arguments: StatusArguments) -> StatusAnswer:
    """List the sessions: what each program does, and why it stopped."""
    wanted = call.sessions.all() if arguments.session is None else [call.sessions.get(arguments.session)]
    shown = Budget(arguments.max_chars).fit(_status(session) for session in wanted)
    more = len(wanted) - len(shown)
    return StatusAnswer(sessions=shown, left_out=f"{more} more sessions: ask with a larger max_chars" if more else None)


def _status(session: DebugSession) -> SessionStatus:
    stop = session.stop
    return SessionStatus(
        session=session.id,
        state=session.state,
        title=clip(session.beginning.title, 200),
        process_id=session.process_id,
        exit_code=session.exit_code,
        stop_number=stop.number if stop is not None else None,
        stop_reason=str(stop.body.get("reason")) if stop is not None else None,
        thread_id=stop.thread_id if stop is not None else None,
        breakpoints=len(session.breakpoints.all()),
    )
