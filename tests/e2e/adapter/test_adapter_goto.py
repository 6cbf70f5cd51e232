"""Set next statement in real programs."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def targets(session: Session, program: Program, marker: str) -> list[dict[str, Any]]:
    place = {"source": {"path": str(program.source)}, "line": program.line(marker)}
    found: list[dict[str, Any]] = session.request("gotoTargets", place)["targets"]
    return found


def test_goto_back_and_forth(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    thread = session.stop_in(program, "after-nested")
    for marker, steps in (("calls-add", 2), ("after-nested", 1)):
        (target,) = targets(session, program, marker)
        session.request("goto", {"threadId": thread, "targetId": target["id"]})
        assert session.wait_for_stop().reason == "goto"
        assert session.line() == target["line"] == program.line(marker)
        for _ in range(steps):
            session.step_over()
    assert session.line() == program.line("calls-loop")
    session.set_breakpoints(str(program.source), [])
    session.continue_()
    assert session.wait_for_exit() == 0
    assert session.output().count("sum ") == 1


def test_goto_is_refused_in_words(runtime: Runtime, session: Session) -> None:
    program = programs.build("Steps", runtime)
    session.stop_in(program, "calls-throw")
    with pytest.raises(DapRequestError, match="The thread cannot continue there: "):
        targets(session, program, "finally")
    with pytest.raises(DapRequestError, match="the next statement must be in that method"):
        targets(session, program, "calls-add")


def test_break_call_on_a_line_that_has_stopped_is_one_stop(runtime: Runtime, session: Session) -> None:
    program = programs.build("BreakCalls", runtime)
    session.launch_program(program, stop_at=["break"])
    reasons = []
    for _ in range(2):
        reasons.append(session.wait_for_stop().reason)
        assert session.line() == program.line("break")
        session.continue_()
    session.wait_for_stop()
    assert session.line() == program.line("maybe")
    reasons.append(session.last_stop.reason if session.last_stop else "")
    assert reasons == ["breakpoint", "breakpoint", "pause"]
    session.continue_()
    assert session.wait_for_exit() == 0


def test_step_passes_a_break_call_and_a_break_without_a_stop_before_it_stops(
    newest_runtime: Runtime, session: Session
) -> None:
    program = programs.build("BreakCalls", newest_runtime)
    session.stop_in(program, "before")
    session.set_breakpoints(str(program.source), [])
    session.step_over()
    assert (session.step_over().reason, session.line()) == ("step", program.line("break") + 1)
    session.continue_()
    assert (session.wait_for_stop().reason, session.line()) == ("pause", program.line("break"))


def test_step_over_a_break_call_in_optimised_code_is_one_stop(runtime: Runtime, session: Session) -> None:
    program = programs.build("BreakCalls", runtime, optimize=True)
    session.stop_in(program, "before", justMyCode=False)
    session.set_breakpoints(str(program.source), [])
    assert (session.step_over().reason, session.line()) == ("step", program.line("break"))
    session.step_over()  # the call has returned where the next statement begins
    reasons = []
    while session.line() != program.line("break"):
        reasons.append(session.step_over().reason)
    assert set(reasons) == {"step"}
    session.step_over()
    session.continue_()
    assert session.wait_for_stop().reason == "pause"  # of the next call, which no stop was before
    session.continue_()
    assert session.wait_for_exit() == 0
