"""Breakpoints set while the program exits, is left, or runs an evaluation: every request is answered."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.client import DapRequestError, PendingResponse
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Place, Session

pytestmark = pytest.mark.e2e


def send_breakpoints(session: Session, program: Program, *markers: str) -> PendingResponse:
    lines = [{"line": program.line(marker)} for marker in markers]
    return session.send("setBreakpoints", {"source": {"path": str(program.source)}, "breakpoints": lines})


def answers(requests: list[PendingResponse]) -> list[dict[str, Any] | DapRequestError]:
    """What each request was answered, in order; a missing answer is a timeout."""
    found: list[dict[str, Any] | DapRequestError] = []
    for request in requests:
        try:
            found.append(request.result())
        except DapRequestError as error:
            found.append(error)
    return found


def test_breakpoints_set_while_the_program_exits_are_answered(session: Session, runtime: Runtime) -> None:
    program = programs.build("Loop", runtime)
    session.stop_in(program, "after", "1")
    session.continue_()
    requests = [send_breakpoints(session, program, *(["square"] * (number % 2))) for number in range(60)]
    for answer in answers(requests):
        assert isinstance(answer, dict) or answer.code in ("NO_SESSION", "DEBUGGEE_GONE")
    assert session.wait_for_exit() == 0


def test_breakpoints_set_while_the_program_is_left_are_answered(
    session: Session, runtime: Runtime, place: Place
) -> None:
    program = programs.build("Spin", runtime)
    stop_file, done_file = place.folder / "stop", place.folder / "done"
    session.launch_program(program, str(stop_file), "60", str(done_file))
    session.wait_for_output("READY")
    debuggee = session.debuggee()
    requests = [send_breakpoints(session, program, *(["end"] * (number % 2))) for number in range(21)]
    session.disconnect(terminate_debuggee=False)
    for answer in answers(requests):
        assert isinstance(answer, dict) or answer.code in ("NO_SESSION", "DEBUGGEE_GONE")
    assert debuggee in place.processes()
    stop_file.touch()
    assert place.leftovers() == [], "it ended by itself: no breakpoint was left in it"
    assert done_file.exists()


def test_breakpoints_set_during_an_evaluation_are_there_after_it(session: Session, runtime: Runtime) -> None:
    program = programs.build("Loop", runtime)
    session.stop_in(program, "loop", "2")
    frame = session.stack(count=1)[0].id
    sleep = {"expression": "System.Threading.Thread.Sleep(700)", "frameId": frame, "context": "repl"}
    evaluation = session.send("evaluate", sleep)
    requests = [send_breakpoints(session, program, *(["square"] * (number % 2))) for number in range(20)]
    evaluation.result()
    last = answers(requests)[-1]
    assert isinstance(last, dict)
    (made,) = last["breakpoints"]
    assert made["verified"]
    session.continue_()
    assert session.wait_for_stop().breakpoint_ids == (made["id"],)
