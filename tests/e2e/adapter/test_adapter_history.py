"""Stops that were, gone back to in a real program: against what the program itself has written."""

from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

STOPS = 40
WATCHES = ("i", "state", "rounds", "Entries.Count", "Entries[Entries.Count - 1].Amount", 'ByName["n0"].Number')


@pytest.fixture
def program(runtime: Runtime) -> Program:
    """Writes its state at the end of each round."""
    if runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("copies are tried from .NET 8 on")
    return programs.build("Remembered", runtime)


def go(session: Session, command: str) -> Any:
    assert session.last_stop is not None
    session.request(command, {"threadId": session.last_stop.thread_id})
    return session.wait_for_stop()


def look(session: Session) -> tuple[Any, ...]:
    """The place, the variables, and what expressions give."""
    frame = session.stack()[0]
    variables = session.variables(session.scopes(frame.id)[0].variables_reference)
    shown = [(one.name, one.value, one.type) for one in variables]
    return frame.name, frame.line, shown, [session.evaluate(watch, frame.id).result for watch in WATCHES]


def written(session: Session) -> list[tuple[str, str, str]]:
    lines = "".join(body["output"] for body in session.events("output") if body["category"] == "stdout")
    return [(i, state, rounds) for i, state, rounds in (line.split() for line in lines.splitlines())]


def test_each_stop_shows_what_the_program_wrote_there(program: Program, session: Session) -> None:
    session.launch_program(program, str(STOPS), stop_at=["end-of-round"], history={"copies": STOPS, "slowestMs": 1000})
    session.wait_for_stop()
    live = [look(session)]
    for _ in range(STOPS - 1):
        go(session, "continue")
        live.append(look(session))
    for seen in live[-2::-1]:
        go(session, "stepBack")
        assert look(session) == seen
    with pytest.raises(DapRequestError, match="first stop that is remembered"):
        go(session, "stepBack")
    for seen in live[1:]:
        go(session, "next")
        assert look(session) == seen
    told = [(i, state, rounds) for i, state, rounds in written(session)]
    assert [tuple(watches[:3]) for *_, watches in live[:-1]] == [(i, s, str(int(r))) for i, s, r in told]
    go(session, "next")
    session.disconnect(terminate_debuggee=True)


def test_crash_is_stepped_back_from(program: Program, session: Session) -> None:
    session.launch_program(program, "2", stop_at=["awaited"], history={"slowestMs": 1000})
    session.wait_for_stop()
    tasks = [task["name"] for task in session.request("dap-dotnet/asyncTasks", {})["tasks"]]
    crash = go(session, "continue")
    assert crash.reason == "exception"
    back = go(session, "stepBack")
    assert back.reason == "breakpoint"
    assert session.stack()[0].line == program.line("awaited")
    assert [task["name"] for task in session.request("dap-dotnet/asyncTasks", {})["tasks"]] == tasks
    again = go(session, "continue")
    assert (again.reason, again.text) == ("exception", crash.text)
    described = session.request("exceptionInfo", {"threadId": again.thread_id})
    assert "ended at" in described["description"]


def test_nothing_changes_in_the_past(program: Program, session: Session) -> None:
    session.launch_program(program, "1", stop_at=["next"], history={"slowestMs": 1000})
    session.wait_for_stop()
    frames = [frame.name for frame in session.stack()]
    go(session, "stepOut")
    go(session, "stepBack")
    assert [frame.name for frame in session.stack()] == frames
    frame = session.stack()[0].id
    for command, arguments in (
        ("evaluate", {"expression": "before = 1", "frameId": frame, "context": "repl"}),
        ("evaluate", {"expression": "System.GC.Collect()", "frameId": frame, "context": "repl"}),
        ("dap-dotnet/freezeThread", {"threadId": session.last_stop.thread_id}),  # type: ignore[union-attr]
    ):
        with pytest.raises(DapRequestError):
            session.request(command, arguments)
    assert session.evaluate("before", frame).result == "7"


def test_killed_program_ends_the_session_in_the_past(program: Program, session: Session) -> None:
    session.launch_program(program, "3", stop_at=["loop"], history={"slowestMs": 1000})
    session.wait_for_stop()
    go(session, "continue")
    go(session, "stepBack")
    (process,) = session.events("process")
    os.kill(process["systemProcessId"], signal.SIGKILL)
    session.wait_for("terminated")
