"""Steps that leave async methods which have resumed, while another async method runs all the time."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session, marker_at

pytestmark = pytest.mark.e2e

# The marker where a session starts; the steps; the markers where each ends.
WALKS = {
    "out-after-one-resumption": ("leaf-second", "out", "await-leaf"),
    "out-after-two-and-on": (
        "leaf-return",
        "out over over over",
        "await-leaf outer-return outer-close await-outer",
    ),
    "over-the-closing-brace": ("leaf-close", "over over", "await-leaf outer-return"),
    "in-at-the-closing-brace": (
        "leaf-return",
        "over over in in in",
        "leaf-close await-leaf outer-return outer-close await-outer",
    ),
    "recursion-to-its-own-awaiter": (
        "recurse-return",
        "over over over over over",
        "recurse-close recurse-await",
    ),
    "recursion-over-the-await": ("recurse-await", "over", "recurse-await+1"),
    "value-task": ("values-return", "over over", "values-close await-values"),
    "value-task-out": ("values-return", "out", "await-values"),
    "configured": ("await-configured-leaf", "over over", "configured-close await-configured"),
    "exception": ("throws", "over over", "await-throws failing-catch"),
    "exception-out": ("throws", "out over", "await-throws failing-catch"),
    "all": ("await-all", "over over", "hot await-configured"),
    "in-all-the-way": (
        "await-outer",
        "in in in over over over over over",
        "outer-open await-leaf leaf-open leaf-first leaf-second leaf-return leaf-close",
    ),
}


@pytest.mark.parametrize("just_my_code", [True, False], ids=["jmc", "all-code"])
@pytest.mark.parametrize("walk", WALKS)
def test_async_step_walk(runtime: Runtime, session: Session, walk: str, just_my_code: bool) -> None:
    start, steps, expected = WALKS[walk]
    program = programs.build("AsyncSteps", runtime)
    session.stop_in(program, start, justMyCode=just_my_code)
    session.set_breakpoints(str(program.source), [])
    seen = []
    for step in steps.split()[: len(expected.split())]:
        stop = {"over": session.step_over, "in": session.step_in, "out": session.step_out}[step]()
        assert stop.reason == "step"
        seen.append(session.line())
    wanted = [line_of(program, place) for place in expected.split()]
    assert [marker_at(program, line) for line in seen] == [marker_at(program, line) for line in wanted]


def line_of(program: programs.Program, place: str) -> int:
    marker, _, distance = place.partition("+")
    return program.line(marker) + int(distance or 0)
