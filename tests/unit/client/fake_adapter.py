"""An adapter without .NET: the real server over a program that exists only as a list of lines.

Run as a script it speaks DAP on standard input and output. The launched program's name says what it does:

- ``loop``: runs its lines 1 to 5 three times, stopping at breakpoints, and ends with exit code 3
- ``forever``: does not end by itself; ``stubborn``: does not even when asked to, so that disconnect is never answered
- ``fails``: cannot be launched; ``dies``: takes the adapter with it
- ``parent``: asks for a session for another process, and ends once that process has left the file that is its argument
- ``throws``: stops for an unhandled exception and ends with exit code 134
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))

from dap_dotnet.errors import EvaluationError, LaunchError, NotStoppedError
from dap_dotnet.protocol.messages.async_tasks import AsyncTask, AsyncTasksResponseBody
from dap_dotnet.protocol.messages.breakpoints import (
    Breakpoint,
    BreakpointEventBody,
    SetBreakpointsArguments,
    SetBreakpointsResponseBody,
    SetExceptionBreakpointsArguments,
)
from dap_dotnet.protocol.messages.events import (
    ExitedEventBody,
    OutputEventBody,
    ProcessEventBody,
    StoppedEventBody,
    TerminatedEventBody,
)
from dap_dotnet.protocol.messages.execution import (
    ContinueArguments,
    ContinueResponseBody,
    FrozenThreadsResponseBody,
    NextArguments,
    PauseArguments,
    Thread,
    ThreadArguments,
    ThreadsResponseBody,
)
from dap_dotnet.protocol.messages.lifecycle import (
    AttachRequestArguments,
    DisconnectArguments,
    LaunchRequestArguments,
    RunInTerminalRequestArguments,
)
from dap_dotnet.protocol.messages.sources import Module, ModuleEventBody, Source
from dap_dotnet.protocol.messages.stack import (
    Scope,
    ScopesArguments,
    ScopesResponseBody,
    StackFrame,
    StackTraceArguments,
    StackTraceResponseBody,
)
from dap_dotnet.protocol.messages.variables import (
    EvaluateArguments,
    EvaluateResponseBody,
    Variable,
    VariablesArguments,
    VariablesResponseBody,
)
from dap_dotnet.protocol.messages.waiting import WaitingResponseBody, WaitingThread
from dap_dotnet.protocol.transport import ByteReader, ByteWriter, claim_stdio
from dap_dotnet.server import DEFERRED, Deferred, HandlerSpec, Server

THREAD = 41
LINES = 5


class Launch(LaunchRequestArguments):
    program: str
    args: list[str]
    stop_at_entry: bool = False


class Attach(AttachRequestArguments):
    process_id: int
    end_mark: str | None = None
    """A file that the process leaves at its end."""


class Session:
    def __init__(self, server: Server[Session]) -> None:
        self.server = server
        self.program = ""
        self.args: list[str] = []
        self.path = "/src/Program.cs"
        self.attached = False
        self.stop_at_entry = False
        self.end_mark: str | None = None
        self.by_path: dict[str, dict[int, int]] = {}
        self.identifiers: dict[tuple[str, int], int] = {}
        self.position = 0
        """Lines run so far."""
        self.ended = False
        self.stopped = False

    @property
    def breakpoints(self) -> dict[int, int]:
        """Ids by line."""
        return {line: number for found in self.by_path.values() for line, number in found.items()}

    @property
    def line(self) -> int:
        return (self.position - 1) % LINES + 1

    def on_disconnect(self) -> None:
        """Nothing is left behind."""

    def begin(self) -> None:
        send = self.server.send_event
        how = "attach" if self.attached else "launch"
        send("process", ProcessEventBody(name=self.program, system_process_id=os.getpid(), start_method=how))
        send("module", ModuleEventBody(reason="new", module=Module(id=1, name="Program.dll")))
        if self.program == "dies":
            os._exit(9)
        if self.program == "parent":
            self.start_child()
            return
        if self.program == "throws":
            self.stop("exception", description="Unhandled exception", text="System.Exception: oh")
        elif self.stop_at_entry:
            self.position = 1
            self.stop("entry")
        else:
            self.run()

    def start_child(self) -> None:
        """Ask for a session for process 4711, and for one that is not understood. Ends when the process has."""
        mark = Path(self.args[0])
        configuration = {"name": "child: worker [4711]", "processId": 4711, "endMark": str(mark)}
        asked = [configuration, {"name": "without a process"}]

        def ask() -> None:
            body = {"request": "attach", "configuration": asked.pop(0)}
            self.server.send_request("startDebugging", body, answered, timeout_s=10)

        def answered(response) -> None:
            if asked:
                ask()
            else:
                text = f"{response.message}\n"
                self.server.send_event("output", OutputEventBody(category="stdout", output=text))
                end_with_it()

        def end_with_it() -> None:
            if mark.exists():
                self.end(3)
            else:
                self.server.call_later(0.02, end_with_it)

        ask()

    def run(self) -> None:
        """To the next breakpoint or the end."""
        self.stopped = False
        if self.program in ("forever", "stubborn") and not self.breakpoints:
            return
        while self.program != "throws" and self.position < 3 * LINES:
            self.position += 1
            if self.line == 1:
                text = f"round {self.position // LINES + 1} {' '.join(self.args)}".rstrip()
                self.server.send_event("output", OutputEventBody(category="stdout", output=text + "\n"))
            if self.line in self.breakpoints:
                self.stop("breakpoint", hit_breakpoint_ids=[self.breakpoints[self.line]])
                return
        self.server.send_event("output", OutputEventBody(category="stderr", output="done\n"))
        self.end(134 if self.program == "throws" else 3)

    def step(self) -> None:
        if self.position >= 3 * LINES:
            self.run()
        else:
            self.position += 1
            self.stop("step")

    def stop(self, reason: str, **more) -> None:
        self.stopped = True
        body = StoppedEventBody(reason=reason, thread_id=THREAD, all_threads_stopped=True, **more)
        self.server.send_event("stopped", body)

    def end(self, exit_code: int | None) -> None:
        if not self.ended:
            self.ended = True
            if exit_code is not None:
                self.server.send_event("exited", ExitedEventBody(exit_code=exit_code))
            self.server.send_event("terminated", TerminatedEventBody())
            if self.end_mark is not None:
                Path(self.end_mark).touch()


def launch(session: Session, arguments: Launch) -> None:
    print("a line for standard error", file=sys.stderr)
    if arguments.program == "fails":
        raise LaunchError("There is no such program; build it first.", code="NO_PROGRAM")
    session.program, session.args, session.stop_at_entry = arguments.program, arguments.args, arguments.stop_at_entry


def attach(session: Session, arguments: Attach) -> None:
    session.program, session.attached = "forever", True
    session.end_mark = arguments.end_mark


def configuration_done(session: Session) -> None:
    session.server.after_response(session.begin)


def set_breakpoints(session: Session, arguments: SetBreakpointsArguments) -> SetBreakpointsResponseBody:
    answers = []
    path = arguments.source.path or ""
    session.by_path[path] = {}
    for wanted in arguments.breakpoints or []:
        identifier = session.identifiers.setdefault((path, wanted.line), len(session.identifiers) + 1)
        if wanted.line <= LINES:
            session.path = path
            session.by_path[path][wanted.line] = identifier
        late = wanted.line == LINES
        answers.append(
            Breakpoint(
                id=identifier,
                verified=wanted.line < LINES,
                line=wanted.line,
                column=wanted.column,
                message=None if wanted.line <= LINES else "The file has no such line.",
                reason="pending" if late else "failed" if wanted.line > LINES else None,
            )
        )
        if late:
            changed = Breakpoint(id=identifier, verified=True, line=LINES, source=Source(path=path))
            session.server.after_response(
                lambda changed=changed: session.server.send_event(
                    "breakpoint", BreakpointEventBody(reason="changed", breakpoint=changed)
                )
            )
    return SetBreakpointsResponseBody(breakpoints=answers)


def set_exception_breakpoints(session: Session, arguments: SetExceptionBreakpointsArguments) -> None:
    session.server.send_event("output", OutputEventBody(category="console", output=f"filters {arguments.filters}\n"))


def continue_(session: Session, arguments: ContinueArguments) -> ContinueResponseBody:
    session.server.after_response(session.run)
    return ContinueResponseBody(all_threads_continued=True)


def next_(session: Session, arguments: NextArguments) -> None:
    session.server.after_response(session.step)


def pause(session: Session, arguments: PauseArguments) -> None:
    session.server.after_response(lambda: session.stop("pause"))


def threads(session: Session) -> ThreadsResponseBody:
    return ThreadsResponseBody(threads=[Thread(id=THREAD, name="Main Thread")])


def async_tasks(session: Session) -> AsyncTasksResponseBody:
    if not session.stopped:
        raise NotStoppedError("The program is running.")
    one = AsyncTask(id=0, state="waiting", name="P.Later()", line=4, column=1, awaits=[], awaited_by=[], frame_id=9)
    return AsyncTasksResponseBody(tasks=[one], total=1, hidden=0, is_complete=True, text="P.Later() waits")


def waiting(session: Session) -> WaitingResponseBody:
    if not session.stopped:
        raise NotStoppedError("The program is running.")
    text = "waits for the lock of {object}, which it has itself"
    one = WaitingThread(
        thread_id=THREAD, thread_name="Main Thread", kind="enter", object="{object}", owner_id=THREAD, text=text
    )
    return WaitingResponseBody(waiting=[one], cycles=[[THREAD]], text="Main Thread waits for itself")


def freeze(session: Session, arguments: ThreadArguments) -> FrozenThreadsResponseBody:
    return FrozenThreadsResponseBody(frozen=[arguments.thread_id])


def thaw(session: Session, arguments: ThreadArguments) -> FrozenThreadsResponseBody:
    return FrozenThreadsResponseBody(frozen=[])


def stack_trace(session: Session, arguments: StackTraceArguments) -> StackTraceResponseBody:
    source = Source(name="Program.cs", path=session.path)
    frames = [
        StackFrame(id=10, name="Main(string[] args)", source=source, line=session.line, column=5, end_line=session.line,
                   end_column=9, module_id=1),
        StackFrame(id=11, name="[External Code]", line=0, column=0),
    ]  # fmt: skip
    start = arguments.start_frame or 0
    return StackTraceResponseBody(stack_frames=frames[start : start + (arguments.levels or 9)], total_frames=2)


def scopes(session: Session, arguments: ScopesArguments) -> ScopesResponseBody:
    return ScopesResponseBody(
        scopes=[
            Scope(name="Locals", variables_reference=1, expensive=False),
            Scope(name="Statics", variables_reference=2, expensive=True),
        ]
    )


def variables(session: Session, arguments: VariablesArguments) -> VariablesResponseBody:
    assert arguments.variables_reference == 1
    return VariablesResponseBody(
        variables=[
            Variable(name="i", value=str(session.position), type="int", variables_reference=0),
            Variable(name="s", value='"\ud800é"', type="string", variables_reference=0),
        ]
    )


def evaluate(session: Session, arguments: EvaluateArguments) -> EvaluateResponseBody | Deferred:
    match arguments.expression:
        case "i":
            return EvaluateResponseBody(result=str(session.position), type="int", variables_reference=0)
        case "hang":
            return DEFERRED
        case "terminal":
            request = session.server.current_request
            session.server.send_request(
                "runInTerminal",
                RunInTerminalRequestArguments(cwd="/", args=["x"]),
                lambda got: request.respond(
                    {"result": f"{got.success} {got.message} {got.body}", "variablesReference": 0}
                ),
                timeout_s=5,
            )
            return DEFERRED
    raise EvaluationError(f"error CS0103: The name '{arguments.expression}' does not exist in the current context")


def disconnect(session: Session, arguments: DisconnectArguments) -> Deferred | None:
    if session.program == "stubborn":
        return DEFERRED
    kill = not session.attached if arguments.terminate_debuggee is None else arguments.terminate_debuggee
    if session.program:
        session.end(137 if kill else None)
    session.server.after_response(session.server.end)
    return None


_FILTERS = [
    {"filter": "all", "label": "All", "default": False},
    {"filter": "user-unhandled", "label": "User-Unhandled", "default": True},
]
HANDLERS = {
    "setExceptionBreakpoints": HandlerSpec(
        f"{__name__}:set_exception_breakpoints", {"exception_breakpoint_filters": _FILTERS}
    ),
    **{
        command: HandlerSpec(f"{__name__}:{function}")
        for command, function in {
            "launch": "launch",
            "attach": "attach",
            "configurationDone": "configuration_done",
            "setBreakpoints": "set_breakpoints",
            "continue": "continue_",
            "next": "next_",
            "pause": "pause",
            "threads": "threads",
            "dap-dotnet/waiting": "waiting",
            "dap-dotnet/freezeThread": "freeze",
            "dap-dotnet/thawThread": "thaw",
            "dap-dotnet/asyncTasks": "async_tasks",
            "stackTrace": "stack_trace",
            "scopes": "scopes",
            "variables": "variables",
            "evaluate": "evaluate",
            "disconnect": "disconnect",
        }.items()
    },
}


def serve(reader: ByteReader, writer: ByteWriter) -> None:
    server: Server[Session] = Server(reader, writer, HANDLERS)
    server.run(lambda: Session(server))


def serve_in_thread(reader: ByteReader, writer: ByteWriter) -> threading.Thread:
    thread = threading.Thread(target=serve, args=(reader, writer), name="fake-adapter")
    thread.start()
    return thread


COMMAND = [sys.executable, __file__]

if __name__ == "__main__":
    serve(*claim_stdio())
