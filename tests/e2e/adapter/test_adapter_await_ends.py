"""Steps over statements that end with their only `await`: the program is stopped once, where they are over."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session
from tests.support.walks import described, lines_of
from tests.support.walks import walk as walk_steps

pytestmark = pytest.mark.e2e

# The marker where a session starts; the steps; the markers where each ends.
WALKS = {
    "first-run": ("first-run", "over over", "at-once await-caught"),
    "handler": (
        "caught",
        "over over over over over",
        "caught-catch caught-catch+1 caught-yields caught-close caught-after",
    ),
    "handler-of-an-outer-try": ("outer", "over", "outer-catch"),
    "thrown-before-there-is-a-task": ("throws-at-once", "over", "at-once-catch"),
    "finally-and-filter": ("finally", "over", "finally-catch"),
    "no-handler": ("leaves", "over over", "await-leaves leaves-catch"),
    "no-handler-after-a-yield": ("leaves-yields", "over over over", "leaves await-leaves leaves-catch"),
    "no-handler-and-a-late-caller": ("leaves-early", "over over", "late-catch late-catch+1"),
    "in-a-catch": ("in-catch", "over", "in-catch-after"),
    "async-void": ("forgotten", "over", "forgotten-after"),
    "own-awaiter": ("own", "over", "forgets"),
    "value": ("value", "over", "end"),
}

# Where they end instead when the caller, on a busy machine, is late and comes to its `await` after the method has
# failed: it does not suspend there, and the exception lands in its handler at once.
LATE = {
    "no-handler": "leaves-catch leaves-catch+1",
    "no-handler-after-a-yield": "leaves leaves-catch leaves-catch+1",
}


@pytest.mark.parametrize("just_my_code", [True, False], ids=["jmc", "all-code"])
@pytest.mark.parametrize("walk", WALKS)
def test_step_over_what_ends_with_its_await(runtime: Runtime, session: Session, walk: str, just_my_code: bool) -> None:
    start, steps, expected = WALKS[walk]
    program = programs.build("AwaitEnds", runtime)
    session.stop_in(program, start, "1", justMyCode=just_my_code)
    session.set_breakpoints(str(program.source), [])
    ways = [lines_of(program, way) for way in (expected, LATE.get(walk, expected))]
    assert described(program, walk_steps(session, steps)) in [described(program, way) for way in ways]


def test_step_over_an_await_is_not_lost_while_the_method_goes_on_at_once(runtime: Runtime, session: Session) -> None:
    """Another thread may be behind the `await` while the first one still leaves the method."""
    program = programs.build("AwaitEnds", runtime)
    session.stop_in(program, "yields", "300")
    for _ in range(250):
        session.step_over()
        assert session.line() == program.line("yielded")
        _run(session)


def test_step_over_an_await_stops_once_where_it_ends(runtime: Runtime, session: Session) -> None:
    program = programs.build("AwaitEnds", runtime)
    session.stop_in(program, "yields", "1", logging={"diagnosticsLog": {"debugRuntimeEventTracing": True}})
    session.set_breakpoints(str(program.source), [])
    seen = len(session.output("console"))
    session.step_over()
    assert session.line() == program.line("yielded")
    events = session.output("console")[seen:].splitlines()
    assert [line.partition(",")[0] for line in events if "Hit" in line] == ["Runtime event: BreakpointHit"]


def test_step_over_an_await_to_a_breakpoint_is_one_stop(runtime: Runtime, session: Session) -> None:
    program = programs.build("AwaitEnds", runtime)
    session.stop_in(program, "yields", "3")
    session.set_breakpoints(str(program.source), [program.line("yielded"), program.line("first-run")])
    for _ in range(2):
        stop = session.step_over()
        assert (session.line(), len(stop.breakpoint_ids)) == (program.line("yielded"), 1)
        session.step_over()
        while session.line() != program.line("yields"):
            session.step_over()
    _run(session)
    assert session.line() == program.line("yielded")
    _run(session)
    assert session.line() == program.line("first-run")


def test_breakpoint_in_the_result_of_an_await_ends_the_step(runtime: Runtime, session: Session) -> None:
    program = programs.build("AwaitEnds", runtime)
    session.stop_in(program, "own", "1")
    session.set_breakpoints(str(program.source), [program.line("own-result")])
    assert session.step_over().reason == "breakpoint"
    assert session.line() == program.line("own-result")
    session.set_breakpoints(str(program.source), [program.line("end")])
    _run(session)
    assert session.line() == program.line("end")


def test_result_of_an_await_is_among_the_return_values(runtime: Runtime, session: Session) -> None:
    program = programs.build("AwaitEnds", runtime)
    session.stop_in(program, "value", "1")
    session.step_over()
    assert session.evaluate("$returnValue").result == "5"


def _run(session: Session) -> None:
    session.continue_()
    session.wait_for_stop()
