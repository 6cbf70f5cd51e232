"""Steps that leave async methods which the framework's own async methods await, as those of web servers do."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session
from tests.support.walks import described, lines_of
from tests.support.walks import walk as walk_steps

pytestmark = pytest.mark.e2e

# The program's argument; the steps from the marker `last`; the markers where each ends.
WALKS = {
    "awaited-over": ("awaited", "over over over over", "return close await-copy awaited-end"),
    "awaited-out": ("awaited", "out", "await-copy"),
    "later-over": ("later", "over over over", "return close await-later"),
    "later-out": ("later", "out", "await-later"),
    "blocked-over": ("blocked", "over over over over", "return close waits waits+1"),
    "blocked-out": ("blocked", "out", "waits"),
}


CALLED = pytest.mark.parametrize("called", [[], ["only first waits"]], ids=["resumed", "called-by-the-framework"])


def check_walk(session: Session, runtime: Runtime, walk: str, called: list[str], **attributes: bool) -> None:
    argument, steps, expected = WALKS[walk]
    program = programs.build("LibraryAwaits", runtime)
    session.stop_in(program, "last", argument, *called, **attributes)
    session.set_breakpoints(str(program.source), [])
    assert described(program, walk_steps(session, steps)) == described(program, lines_of(program, expected))


@CALLED
@pytest.mark.parametrize("walk", WALKS)
def test_step_out_to_what_awaits_the_frameworks_method(
    runtime: Runtime, session: Session, walk: str, called: list[str]
) -> None:
    check_walk(session, runtime, walk, called)


@CALLED
@pytest.mark.parametrize("walk", WALKS)
def test_step_out_without_just_my_code(newest_runtime: Runtime, session: Session, walk: str, called: list[str]) -> None:
    check_walk(session, newest_runtime, walk, called, justMyCode=False)


@CALLED
@pytest.mark.parametrize("steps", ["out", "over over over"])
@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
def test_step_out_of_what_only_the_framework_awaits_runs_on(
    runtime: Runtime, session: Session, steps: str, optimize: bool, called: list[str]
) -> None:
    program = programs.build("LibraryAwaits", runtime, optimize=optimize)
    session.stop_in(program, "last", "nobody", *called)
    session.set_breakpoints(str(program.source), [program.line("end")])
    before = steps.split()[:-1]
    walk_steps(session, " ".join(before))
    stop = session.step_out() if steps == "out" else session.step_over()
    assert (stop.reason, session.line()) == ("breakpoint", program.line("end"))


def test_method_that_waits_for_the_frameworks(runtime: Runtime, session: Session) -> None:
    program = programs.build("LibraryAwaits", runtime)
    session.stop_in(program, "last", "awaited")
    waiting = {task.line: task.waits_for for task in session.async_tasks().tasks}
    awaited = waiting[program.line("await-copy")]
    assert awaited is not None
    assert awaited.startswith("System.IO.Stream.CopyToAsync")
    assert "System.IO.Stream destination, int bufferSize, System.Threading.CancellationToken" in awaited


def test_steps_over_elements_that_the_librarys_operators_take(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("AsyncQuery", newest_runtime)
    session.stop_in(program, "first")
    session.set_breakpoints(str(program.source), [])
    of_one = "where select-open select select-return select-close"
    expected = f"{of_one} second {of_one} last-await close"
    steps = " ".join("over" for _ in expected.split())
    assert described(program, walk_steps(session, steps)) == described(program, lines_of(program, expected))


def test_step_out_of_an_iterator_whose_elements_the_library_takes(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("AsyncQuery", newest_runtime)
    session.stop_in(program, "second")
    session.set_breakpoints(str(program.source), [program.line("end")])
    session.step_out()
    assert session.function() == "Main"
    assert session.line() < program.line("where")
