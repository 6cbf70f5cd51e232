"""Steps that leave delegates which tasks run, while the threads of the pool run others all the time."""

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
    "awaited": ("value", "over over over", "value-return value-return+1 await-value"),
    "out": ("value", "out", "await-value"),
    "continued": ("continued", "out over", "await-continued await-long"),
    "over-the-end": ("continued", "over over over", "continued+1 continued-end await-continued"),
    "long-running": ("long", "over over", "long-close await-long"),
    "async-that-does-not-suspend": ("async", "out", "await-async"),
    "awaited-later": ("early", "over over over", "early+1 early+2 await-early"),
    "of-a-task-of-a-task": ("nested", "out", "await-nested"),
    "unwrapped-and-awaited-later": ("unwrapped", "out", "await-unwrapped-later"),
    "unwrapped-while-it-is-made": ("raced", "out", "await-raced"),
    "async-while-it-is-made": ("raced-async", "out", "await-raced-async"),
    "blocked-for-the-result": ("blocked", "out", "takes-result"),
    "awaiter-resumed-for-another": (
        "loses",
        "over over over over",
        "loses-set loses-waits loses-close await-racer",
    ),
    "out-while-the-awaiter-resumes-for-another": ("loses", "out", "await-racer"),
}


# Release builds have no code for braces: there only the walks out of a delegate go by the same places.
RELEASE_WALKS = {name: (start, expected) for name, (start, steps, expected) in WALKS.items() if steps == "out"}
# Nothing of these statements is left to be done once the library has the result: so it is where the awaiter comes to
# its await only when the task has ended, which is a race there.
ALSO_IN_RELEASE = {
    "unwrapped-while-it-is-made": "await-raced+1",
    "unwrapped-and-awaited-later": "takes-result",
    "out-while-the-awaiter-resumes-for-another": "await-racer+1",
}


@pytest.mark.parametrize("walk", WALKS)
def test_task_step_walk(runtime: Runtime, session: Session, walk: str) -> None:
    start, steps, expected = WALKS[walk]
    program = programs.build("TaskSteps", runtime)
    session.stop_in(program, start)
    session.set_breakpoints(str(program.source), [])
    assert described(program, walk_steps(session, steps)) == described(program, lines_of(program, expected))


@pytest.mark.parametrize("walk", RELEASE_WALKS)
def test_task_step_out_in_a_release_build(runtime: Runtime, session: Session, walk: str) -> None:
    start, expected = RELEASE_WALKS[walk]
    program = programs.build("TaskSteps", runtime, optimize=True)
    session.stop_in(program, start)
    session.set_breakpoints(str(program.source), [])
    allowed = [lines_of(program, places) for places in (expected, ALSO_IN_RELEASE.get(walk, expected))]
    arrived = described(program, walk_steps(session, "out"))
    assert arrived in [described(program, lines) for lines in allowed]


def test_task_step_walk_without_just_my_code(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("TaskSteps", newest_runtime)
    session.stop_in(program, "value", justMyCode=False)
    session.set_breakpoints(str(program.source), [])
    assert described(program, walk_steps(session, "out")) == described(program, lines_of(program, "await-value"))


def test_task_step_out_where_the_library_has_run_often(runtime: Runtime, session: Session) -> None:
    # It is compiled anew then, with all optimisations, and keeps less of what it runs.
    program = programs.build("TaskSteps", runtime)
    session.stop_in(program, "raced-async", "1500")
    session.set_breakpoints(str(program.source), [])
    assert described(program, walk_steps(session, "out")) == described(program, lines_of(program, "await-raced-async"))


@pytest.mark.parametrize("item", ["queued", "timer"])
@pytest.mark.parametrize("attributes", [{}, {"justMyCode": False}], ids=["just-my-code", "all-code"])
def test_step_over_the_end_of_what_the_pool_runs_lets_the_program_run(
    runtime: Runtime, session: Session, item: str, attributes: dict[str, bool]
) -> None:
    # The thread runs others' code all the time.
    if item == "timer" and runtime.major == "3.1" and not attributes:
        pytest.skip("the native part of .NET Core 3.1 calls timers: nothing managed is told of their end")
    program = programs.build("TaskSteps", runtime)
    session.stop_in(program, item, **attributes)
    session.set_breakpoints(str(program.source), [program.line("waited")])
    assert walk_steps(session, "over over") == lines_of(program, f"{item}-last {item}-close")
    stop = session.step_over()
    assert (stop.reason, session.line()) == ("breakpoint", program.line("waited"))
