"""Frozen threads and runs of one thread alone, by how far another thread counts meanwhile."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def test_other_threads_stay_where_they_are(runtime: Runtime, session: Session) -> None:
    program = programs.build("Ticking", runtime)
    thread = session.stop_in(program, "alone")
    ticker = next(one.id for one in session.threads() if one.name == "ticker")
    session.request("next", {"threadId": thread, "singleThread": True})
    session.wait_for_stop()
    assert session.request("dap-dotnet/freezeThread", {"threadId": ticker})["frozen"] == [ticker]
    assert "ticker [frozen]" in [one.name for one in session.threads()]
    frames = session.request("stackTrace", {"threadId": ticker})["stackFrames"]
    assert [frame["name"] for frame in frames if "source" in frame] == ["Ticking.Program.Tick()"]
    session.step_over()
    assert session.request("dap-dotnet/thawThread", {"threadId": ticker})["frozen"] == []
    session.step_over()
    assert session.line() == program.line("looked")
    values = session.values()
    assert (values["alone"], values["frozen"]) == ("0", "0")
    session.set_breakpoints(str(program.source), [])
    session.continue_()
    assert session.wait_for_exit() == 0


def test_thread_that_waits_for_another_is_let_go_on(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Ticking", newest_runtime)
    session.launch_program(program, stop_at=["lock", "has-lock"])
    thread = session.wait_for_stop().thread_id
    session.request("continue", {"threadId": thread, "singleThread": True})
    assert session.wait_for_stop().reason == "breakpoint"
    assert session.line() == program.line("has-lock")
    assert "All threads run again" in session.output("important")
