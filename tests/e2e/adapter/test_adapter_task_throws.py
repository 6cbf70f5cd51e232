"""Steps from a `throw` whose exception leaves what a task runs: they arrive in what waits for that task."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

# The marker of the throw, and where a step over or out of it may end: in the statement that waits, or in its handler.
THROWS = {
    "awaited": ("await", "catch", "handler"),
    "resumed": ("await", "catch", "handler"),
    "blocked": ("blocked-catch", "blocked-handler"),
    "later": ("await-later", "later-catch", "later-handler"),
    "deep": ("await", "catch", "handler"),
    "inner": ("await-inner",),
}


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
@pytest.mark.parametrize("step", ["over", "out"])
@pytest.mark.parametrize("throw", THROWS)
def test_step_from_a_throw_in_a_task(
    runtime: Runtime, session: Session, throw: str, step: str, *, optimize: bool
) -> None:
    program = programs.build("TaskThrows", runtime, optimize=optimize)
    session.stop_in(program, throw)
    session.set_breakpoints(str(program.source), [])
    stop = session.step_over() if step == "over" else session.step_out()
    assert stop.reason == "step"
    assert session.line() in [program.line(marker) for marker in THROWS[throw]]


@pytest.mark.parametrize("step", ["over", "out"])
def test_step_from_a_throw_arrives_in_the_delegate_that_continues(
    runtime: Runtime, session: Session, step: str
) -> None:
    program = programs.build("TaskThrows", runtime)
    session.stop_in(program, "continued")
    session.set_breakpoints(str(program.source), [])
    stop = session.step_over() if step == "over" else session.step_out()
    assert (stop.reason, session.line()) == ("step", program.line("continuation"))
