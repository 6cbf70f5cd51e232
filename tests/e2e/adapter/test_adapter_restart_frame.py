"""Methods that begin again, in real programs."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def restart(session: Session, level: int = 0) -> None:
    session.request("restartFrame", {"frameId": session.stack()[level].id})
    assert session.wait_for_stop().reason == "restart"


def test_method_begins_again(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    thread = session.stop_in(program, "add-return")
    frames = session.request("stackTrace", {"threadId": thread})["stackFrames"]
    assert [frame.get("canRestart", True) for frame in frames[:2]] == [True, False]
    restart(session)
    assert session.line() == program.line("add-open")
    session.step_over()
    assert session.line() == program.line("add")
    session.step_over()
    with pytest.raises(DapRequestError, match="Only the topmost method"):
        restart(session, 1)
    restart(session)
    session.set_breakpoints(str(program.source), [program.line("catch-body"), program.line("yield")])
    session.continue_()
    session.wait_for_stop()
    with pytest.raises(DapRequestError, match="cannot continue there: a catch cannot be left"):
        restart(session)
    for _ in range(2):
        session.continue_()
        session.wait_for_stop()
    assert session.values()["i"] == "1"
    restart(session)  # an iterator that has been resumed: its code has a state to keep
    session.step_over()
    session.step_over()
    assert session.line() in (program.line("yield") - 2, program.line("yield") - 1)
    session.set_breakpoints(str(program.source), [])
    session.continue_()
    assert session.wait_for_exit() == 0
    assert session.output().count("sum ") == 1
    assert "iterator 1\n" in session.output()


def test_async_method_begins_again_after_an_await(runtime: Runtime, session: Session) -> None:
    program = programs.build("AsyncSteps", runtime)
    session.stop_in(program, "leaf-return")
    session.set_breakpoints(str(program.source), [])
    restart(session)
    assert session.output("console").endswith("The method restarts with the current values of value.\n")
    assert session.line() == program.line("leaf-open")
    session.step_over()
    session.step_over()
    assert session.line() == program.line("leaf-second")
    session.step_over()
    assert session.line() == program.line("leaf-return")
    session.continue_()
    assert session.wait_for_exit() == 0
