"""`autoAttachChildProcesses`: sessions for the .NET processes that a program starts."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from dap_dotnet.client import ClientError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import has_ended, wait_until
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e
LEAF_EXIT_CODE = 3


class Children:
    """The editor's part: begins a session for each child, which stops in its leaf; and remembers what it saw there."""

    def __init__(self, open_session: Callable[..., Session], program: Program, *, goes_on: bool = True) -> None:
        self._open_session = open_session
        self._program = program
        self._goes_on = goes_on
        self._threads: list[threading.Thread] = []
        self.configurations: list[dict[str, Any]] = []
        self.seen: list[str] = []
        self.sessions: list[Session] = []
        self.failures: list[BaseException] = []

    def start_debugging(self, arguments: dict[str, Any]) -> None:
        """Handles the request."""
        assert arguments["request"] == "attach"
        thread = threading.Thread(target=self._debug, args=(arguments["configuration"],), daemon=True)
        thread.start()
        self._threads.append(thread)
        self.configurations.append(arguments["configuration"])  # last: the test waits for it

    def _debug(self, configuration: dict[str, Any]) -> None:
        try:
            session = self._open_session(timeout_s=90)
            self.sessions.append(session)
            attributes = {name: value for name, value in configuration.items() if name != "processId"}
            lines = {str(self._program.source): [self._program.line("leaf")]}
            bound = session.attach(configuration["processId"], breakpoints=lines, **attributes)
            assert len(bound) == 1
            event = session.wait_for({"stopped", "terminated"})
            if event.event == "stopped":
                session.last_stop = None
                self.seen.append(session.stack(event.body["threadId"], count=1)[0].name)
                if self._goes_on:
                    session.continue_(event.body["threadId"])
                    session.wait_for_exit()
        except BaseException as error:
            self.failures.append(error)

    def join(self) -> None:
        for thread in self._threads:
            thread.join(90)
            assert not thread.is_alive()
        if self.failures:
            raise self.failures[0]


def launch(
    open_session: Callable[..., Session], program: Program, *args: str, handler: Any = None, **attributes: Any
) -> Session:
    handlers = {"startDebugging": handler} if handler is not None else None
    session = open_session(reverse_handlers=handlers, timeout_s=90)
    session.initialize(supportsStartDebuggingRequest=True)
    session.launch_program(program, *args, autoAttachChildProcesses=True, **attributes)
    return session


def need_children(runtime: Runtime) -> None:
    """Skip on a runtime whose processes call no diagnostic port."""
    if runtime.major == "3.1":
        pytest.skip("processes of .NET Core 3.1 cannot wait for a debugger at their start")


def exit_code(session: Session) -> int | None:
    return session.wait_for_exit()


def test_children_and_grandchildren_stop_before_they_have_done_anything(open_session, runtime):
    program = programs.build("Children", runtime)
    children = Children(open_session, program)
    session = launch(open_session, program, "tree", handler=children.start_debugging, justMyCode=False)
    assert exit_code(session) == LEAF_EXIT_CODE
    children.join()
    ids = [configuration["processId"] for configuration in children.configurations]
    names = [configuration["name"] for configuration in children.configurations]
    assert names == [f"child: Children [{process_id}]" for process_id in ids]
    assert [configuration["justMyCode"] for configuration in children.configurations] == [False for _ in ids]
    assert session.output().count("leaf\n") == 1
    if runtime.version.startswith("3."):
        assert (ids, "needs .NET 6 or later" in session.output("console")) == ([], True)
    else:
        assert (len(ids), children.seen) == (2, ["Children.Program.Main(string[] args)"])


def test_children_of_a_client_that_refuses_run_free(open_session, newest_runtime):
    need_children(newest_runtime)
    program = programs.build("Children", newest_runtime)

    def refuse(arguments: dict[str, Any]) -> None:
        raise ClientError("one session is enough")

    session = launch(open_session, program, "start", "20", handler=refuse)
    assert exit_code(session) == 20 * LEAF_EXIT_CODE
    assert session.output().count("leaf\n") == 20
    assert session.output("console").count("runs without the debugger: the editor started no session for it") == 20


def test_no_child_waits_for_an_adapter_that_was_killed(open_session, newest_runtime):
    need_children(newest_runtime)
    program = programs.build("Children", newest_runtime)
    asked: list[dict[str, Any]] = []
    session = launch(open_session, program, "start", "1", handler=asked.append)
    session.checks_conversation = False
    session.wait_until(lambda: bool(asked), "the request startDebugging")
    process_id, port = (asked[0]["configuration"][name] for name in ("processId", "diagnosticPort"))
    assert not has_ended(process_id)
    session.process.kill()
    wait_until(lambda: has_ended(process_id), "the end of the child, which runs free", timeout_s=60)
    wait_until(lambda: not os.path.exists(port), "the end of the port", timeout_s=60)


def test_child_runs_on_when_the_adapter_of_its_session_is_killed(open_session, newest_runtime):
    need_children(newest_runtime)
    program = programs.build("Children", newest_runtime)
    children = Children(open_session, program, goes_on=False)
    session = launch(open_session, program, "start", "1", handler=children.start_debugging)
    session.wait_until(lambda: bool(children.configurations), "the request startDebugging")
    children.join()
    children.sessions[0].checks_conversation = False
    children.sessions[0].process.kill()
    assert exit_code(session) == LEAF_EXIT_CODE
