"""What is asked of the client for each child of the program, and what becomes of those that nobody debugs."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.launching.child_processes import ChildProcess
from dap_dotnet.runtime.model import LaunchSpec
from dap_dotnet.server.reverse import ReverseResponse
from dap_dotnet.session.child_sessions import ChildSessions


class FakeServer:
    def __init__(self) -> None:
        self.asked: list[tuple[str, Any, Any]] = []
        self.timers: list[Any] = []

    def post(self, action):
        action()

    def send_request(self, command, arguments, on_response, *, timeout_s):
        self.asked.append((command, arguments, on_response))

    def call_later(self, delay_s, action):
        self.timers.append(action)


class FakePort:
    path = "/tmp/port"

    def __init__(self) -> None:
        self.resumed: list[int] = []
        self.passed: list[int] = []
        self.is_closed = False

    def variable(self, environment):
        return f"{environment.get('DOTNET_DiagnosticPorts', '')}{self.path}"

    def let_pass(self, process_id):
        self.passed.append(process_id)

    def resume(self, process_id):
        self.resumed.append(process_id)

    def close(self):
        self.is_closed = True


class World:
    def __init__(self) -> None:
        self.server = FakeServer()
        self.port = FakePort()
        self.lines: list[str] = []
        self.problem: str | None = None
        self.is_wanted = True
        sent = {"type": "coreclr", "program": "/app/a.dll", "justMyCode": False, "pipeTransport": {}, "env": {"A": "b"}}
        self.sessions = ChildSessions(
            self.server,
            self.lines.append,
            sent,
            lambda process_id: self.is_wanted,
            open_port=lambda listener: self.port,
            describe=self._describe,
        )
        self.spec = self.sessions.prepare(LaunchSpec(("dotnet",), "/", {"A": "b"}))

    def _describe(self, process_id: int) -> ChildProcess:
        if process_id == 404:
            raise ProcessLookupError(process_id)
        return ChildProcess("worker", self.problem)

    def answer(self, *, success: bool, message: str = "") -> None:
        self.server.asked[-1][2](ReverseResponse(success, message))


@pytest.fixture
def world():
    return World()


def test_program_learns_of_the_port_and_passes_it(world):
    assert world.spec.environment == {"A": "b", "DOTNET_DiagnosticPorts": "/tmp/port"}
    world.spec.on_forked(7)
    assert world.port.passed == [7]


def test_client_is_asked_for_a_session_with_the_configuration_of_the_program(world):
    world.sessions.suspended(12)
    [(command, arguments, _)] = world.server.asked
    assert command == "startDebugging"
    assert arguments == {
        "request": "attach",
        "configuration": {
            "type": "coreclr",
            "request": "attach",
            "name": "child: worker [12]",
            "processId": 12,
            "diagnosticPort": "/tmp/port",
            "justMyCode": False,
        },
    }


def test_child_that_is_claimed_is_left_alone(world):
    world.sessions.suspended(12)
    world.answer(success=True)
    world.sessions.claimed(12)
    for timer in world.server.timers:
        timer()
    assert (world.port.resumed, world.lines) == ([], [])


def test_child_that_is_claimed_before_the_client_answers_is_left_alone(world):
    world.sessions.suspended(12)
    world.sessions.claimed(12)
    world.answer(success=False, message="too late")
    assert (world.port.resumed, world.lines, world.server.timers) == ([], [], [])


def test_child_that_the_client_refuses_runs_free(world):
    world.sessions.suspended(12)
    world.answer(success=False, message="No.")
    assert world.port.resumed == [12]
    assert world.lines == ["worker [12] runs without the debugger: the editor started no session for it (No.)."]


def test_child_that_nobody_comes_for_runs_free(world):
    world.sessions.suspended(12)
    world.answer(success=True)
    assert world.port.resumed == []
    for timer in world.server.timers:
        timer()
    assert world.port.resumed == [12]
    assert world.lines == ["worker [12] runs without the debugger: no debugger took it over within 15 s."]


def test_child_that_ends_is_forgotten(world):
    world.sessions.suspended(12)
    world.answer(success=True)
    world.sessions.gone(12)
    world.sessions.suspended(12)  # another process with the same number
    world.server.timers[0]()
    assert world.port.resumed == []


def test_child_that_cannot_be_debugged_runs_free(world):
    world.problem = "DOTNET_EnableDiagnostics=0 disables debugging"
    world.sessions.suspended(12)
    assert (world.port.resumed, world.server.asked) == ([12], [])
    assert world.lines == ["worker [12] runs without the debugger: DOTNET_EnableDiagnostics=0 disables debugging."]


def test_processes_that_are_not_wanted_or_gone_run_without_a_word(world):
    world.sessions.suspended(404)
    world.is_wanted = False
    world.sessions.suspended(12)
    assert (world.port.resumed, world.server.asked, world.lines) == ([404, 12], [], [])


def test_close_before_the_port_is_open_closes_it_then():
    port = FakePort()
    sessions = ChildSessions(FakeServer(), print, {}, lambda _: True, open_port=lambda listener: port)
    sessions.close()
    sessions.prepare(LaunchSpec(("dotnet",), "/", {}))
    assert port.is_closed


def test_program_on_an_old_runtime_is_told(world, monkeypatch):
    monkeypatch.setattr("dap_dotnet.session.child_sessions.calls_ports", lambda process_id: process_id != 3)
    world.sessions.program_started(6)
    assert world.lines == []
    world.sessions.program_started(3)
    assert "needs .NET 6 or later" in world.lines[0]
