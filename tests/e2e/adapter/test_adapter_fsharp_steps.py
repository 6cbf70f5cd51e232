"""Steps through F#'s computations, whose pieces the library runs on any thread."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.client import ProgramEndedError
from tests.support import fsharp
from tests.support.markers import line_of
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parent / "fsharp" / "Computations.fs"

# The marker where a session starts; the condition there; the steps; the markers where each ends.
WALKS = {
    "task-of-several-at-once": (
        "worker-second",
        "first == 8",
        "over over over over over over over over over over",
        "worker-yield worker-third worker-rounds worker-while worker-round worker-next worker-while worker-round "
        "worker-next worker-while",
    ),
    "task-that-calls-itself": (
        "factorial",
        "number == 4",
        "over over over over",
        "factorial-yield factorial-below factorial-return all-failing",
    ),
    "task-whose-part-throws": (
        "failing-delay",
        None,
        "over over over over",
        "failing-throw failing-with failing-return all-return",
    ),
    "out-of-a-resumed-task": ("worker-next", None, "out over out", "all-factorial all-failing main-total"),
    "out-of-a-task-that-calls-itself": (
        "factorial-return",
        "number == 2",
        "out out out",
        "factorial-return factorial-return all-failing",
    ),
    "out-of-a-task-by-an-exception": ("failing-throw", None, "out out", "all-return main-total"),
    "async": (
        "doubled-sleep",
        None,
        "over over in over over",
        "doubled-twice doubled-again doubled-return summed-second summed-return",
    ),
}
# Where it ends instead when the caller, on a busy machine, comes to its `let!` only when the task has ended.
LATE = {"task-whose-part-throws": "failing-throw failing-with failing-return all-failing"}
# With optimisation, where a task is a state machine of which the PDB says nothing.
RELEASE_WALKS = {
    "async": ("doubled-sleep", None, "over over over", "doubled-twice doubled-again doubled-return"),
    "async-that-awaits-others": ("summed-first", None, "over over", "summed-second summed-return"),
    "task-of-several-at-once": (
        "worker-second",
        "first == 8",
        "over over over over over over over over over",
        "worker-yield worker-third worker-rounds worker-round worker-next worker-round worker-next worker-return "
        "all-factorial",
    ),
    "task-from-its-first-run": (
        "worker-first",
        None,
        "over over over over",
        "worker-delay worker-second worker-yield worker-third",
    ),
    "task-that-calls-itself": (
        "factorial",
        "number == 4",
        "over over over over over",
        "factorial-yield factorial-below factorial-return all-failing all-return",
    ),
    "task-whose-part-throws": (
        "failing-delay",
        None,
        "over over over over",
        "failing-throw failing-return all-return main-total",
    ),
    "out-of-a-resumed-task": ("worker-second", None, "out over out", "all-factorial all-failing main-total"),
}


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
@pytest.mark.parametrize("walk", sorted({*WALKS, *RELEASE_WALKS}))
def test_step_walk_through_a_computation(session: Session, walk: str, *, optimize: bool) -> None:
    walks = RELEASE_WALKS if optimize else WALKS
    if walk not in walks:
        pytest.skip("such steps let the program run in this build")
    start, condition, steps, expected = walks[walk]
    program = fsharp.build(SOURCE, optimize=optimize)
    if program is None:
        pytest.skip("no SDK with F# 6")
    wanted = {"line": line_of(SOURCE, start), **({"condition": condition} if condition is not None else {})}
    session.launch(str(program.dll), breakpoints={str(SOURCE): [wanted]}, env=dict(program.env))
    session.wait_for_stop()
    session.set_breakpoints(str(SOURCE), [])
    assert session.line() == wanted["line"]
    make = {"over": session.step_over, "in": session.step_in, "out": session.step_out}
    lines = []
    for step in steps.split()[: len(expected.split())]:
        assert make[step]().reason == "step"
        lines.append(session.line())
    ways = (expected, expected if optimize else LATE.get(walk, expected))
    assert lines in [[line_of(SOURCE, marker) for marker in way.split()] for way in ways]


@pytest.mark.parametrize("start", ["doubled-return", "summed-return"])
def test_step_at_the_end_of_an_async_of_a_release_build_stops_in_no_other_call(session: Session, start: str) -> None:
    program = fsharp.build(SOURCE, optimize=True)
    if program is None:
        pytest.skip("no SDK with F# 6")
    session.launch(str(program.dll), breakpoints={str(SOURCE): [line_of(SOURCE, start)]}, env=dict(program.env))
    session.wait_for_stop()
    session.set_breakpoints(str(SOURCE), [])
    with pytest.raises(ProgramEndedError):
        session.step_over()


@pytest.mark.parametrize("step", ["over", "in", "out"])
def test_step_at_the_end_of_a_task_goes_to_the_thread_that_is_blocked_for_it(session: Session, step: str) -> None:
    program = fsharp.build(SOURCE)
    if program is None:
        pytest.skip("no SDK with F# 6")
    session.launch(str(program.dll), breakpoints={str(SOURCE): [line_of(SOURCE, "all-return")]}, env=dict(program.env))
    session.wait_for_stop()
    session.set_breakpoints(str(SOURCE), [])
    {"over": session.step_over, "in": session.step_in, "out": session.step_out}[step]()
    assert session.line() == line_of(SOURCE, "main-total")


def test_step_stays_in_its_task_where_the_library_is_optimised(session: Session) -> None:
    program = fsharp.build(SOURCE)
    if program is None:
        pytest.skip("no SDK with F# 6")
    # From its first call on, as else after some thirty: then the library does not keep all that tells tasks apart.
    environment = {**program.env, "DOTNET_TieredCompilation": "0"}
    wanted = {"line": line_of(SOURCE, "worker-first"), "condition": "number == 3"}
    session.launch(str(program.dll), breakpoints={str(SOURCE): [wanted]}, env=environment)
    session.wait_for_stop()
    session.set_breakpoints(str(SOURCE), [])
    for marker in ("worker-delay", "worker-second"):
        session.step_over()
        assert session.line() == line_of(SOURCE, marker)
    assert session.evaluate("number").result == "3"


def test_step_over_an_await_of_a_release_build_that_is_fully_optimised(session: Session) -> None:
    program = fsharp.build(SOURCE, optimize=True)
    if program is None:
        pytest.skip("no SDK with F# 6")
    # From its first call on, as else after some thirty: then nothing is left of the place where an await goes on.
    environment = {**program.env, "DOTNET_TieredCompilation": "0"}
    session.launch(str(program.dll), breakpoints={str(SOURCE): [line_of(SOURCE, "worker-second")]}, env=environment)
    session.wait_for_stop()
    session.set_breakpoints(str(SOURCE), [])
    for marker in ("worker-yield", "worker-third", "worker-rounds"):
        session.step_over()
        assert session.line() == line_of(SOURCE, marker)
