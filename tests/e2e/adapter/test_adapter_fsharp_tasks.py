"""Steps through F# tasks that await each other, of which several run at once: none is lost, nor goes to another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import fsharp
from tests.support.markers import line_of
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = pytest.mark.e2e

SOURCE = Path(__file__).parent / "fsharp" / "Nested.fs"

# The marker where a session starts; the steps, o(ver) and (o)u(t); the markers where each ends.
BOTH = {
    "result-passed-on-twice": ("later-return", "ooo", "caller-using caller-looping caller-catching"),
    "out-where-the-result-is-passed-on": ("passing-return", "uu", "caller-using many-return"),
    "end-by-a-do": ("plain-yield", "oo", "caller-background caller-return"),
    "several-awaited-at-once": ("both-return", "oo", "caller-plain caller-background"),
    "out-of-a-handler": ("catching-return", "uuu", "caller-both many-return main-total"),
    "out-of-a-loop": ("looping-sum", "uu", "caller-catching many-return"),
    "background-task": ("background-return", "ouu", "caller-return many-return main-total"),
    "up-to-the-blocked-thread": ("caller-return", "ooo", "many-return main-total main-print"),
}
DEBUG = {
    **BOTH,
    "first-run-that-passes-a-result-on": ("twice-return", "oo", "caller-using caller-looping"),
    "use": ("using-value", "ooo", "using-return dispose caller-looping"),
    "out-behind-a-use": ("using-value", "uu", "caller-looping many-return"),
    "end-by-a-do": ("plain-yield", "ooo", "plain-yield caller-background caller-return"),
    "exception": ("throwing-fail", "ooo", "catching-with catching-yield catching-return"),
    "out-by-an-exception": ("throwing-fail", "uu", "catching-with caller-both"),
    "loop": (
        "looping-await",
        "oooooo",
        "looping-sum looping-await looping-sum looping-await looping-sum looping-return",
    ),
}
RELEASE = {**BOTH, "use": ("using-value", "ooo", "using-return caller-looping caller-catching")}


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
@pytest.mark.parametrize("walk", sorted({*DEBUG, *RELEASE}))
def test_step_walk_through_tasks(session: Session, walk: str, *, optimize: bool) -> None:
    walks = RELEASE if optimize else DEBUG
    if walk not in walks:
        pytest.skip("the compiler makes other statements in this build")
    start, steps, expected = walks[walk]
    program = fsharp.build(SOURCE, optimize=optimize)
    if program is None:
        pytest.skip("no SDK with F# 6")
    go(session, program, start, steps, expected)


@pytest.mark.parametrize(
    "walk", ["end-by-a-do", "out-by-an-exception", "out-of-a-handler", "background-task", "up-to-the-blocked-thread"]
)
def test_step_walk_through_tasks_where_the_library_is_optimised(session: Session, walk: str) -> None:
    """As it is in any program after a while: then some of its methods are part of those that call them."""
    program = fsharp.build(SOURCE)
    if program is None:
        pytest.skip("no SDK with F# 6")
    go(session, program, *DEBUG[walk], TieredCompilation="0")


def go(session: Session, program: Program, start: str, steps: str, expected: str, **settings: str) -> None:
    """Make the steps from a breakpoint; `settings` are those of the runtime."""
    environment = {**program.env, **{f"DOTNET_{name}": value for name, value in settings.items()}}
    session.launch(str(program.dll), breakpoints={str(SOURCE): [line_of(SOURCE, start)]}, env=environment)
    session.wait_for_stop()
    session.set_breakpoints(str(SOURCE), [])
    make = {"o": session.step_over, "u": session.step_out}
    callers = set()
    for step, marker in zip(steps, expected.split(), strict=True):
        assert make[step]().reason == "step"
        assert session.line() == line_of(SOURCE, marker)
        if marker.startswith("caller-") and marker != "caller-return":
            callers.add(session.evaluate("n").result)
    assert len(callers) <= 1


CALLED = Path(__file__).parent / "fsharp" / "Called.fs"
# The marker where a session starts; the steps, o(ver), i(nto) and (o)u(t); the markers where each ends.
CALLED_WALKS = {
    "over-a-dispose": ("dispose", "ooo", "using-next using-return caller-looping"),
    "out-of-a-dispose": ("dispose", "uu", "using-next caller-looping"),
    "into-the-end-of-a-dispose": ("dispose", "ii", "using-next using-return"),
    "up-to-the-blocked-thread": ("last-return", "ooo", "dispose main-last main-print"),
    "out-to-the-blocked-thread": ("last-return", "ou", "dispose main-last"),
    "over-an-enumerator": (
        "next-number",
        "oooooooo",
        "next-is-there current looping-number next-number next-is-there current looping-number next-number",
    ),
    "out-of-an-enumerator": ("next-number", "uuuu", "current looping-number caller-finishing main-caller"),
    "into-past-a-getter": ("next-is-there", "iii", "looping-number next-number next-is-there"),
    "out-of-an-enumerator's-dispose": ("end-of-loop", "uu", "looping-mapped caller-finishing"),
    "out-of-a-lambda-of-the-loop": ("looping-mapped", "iuu", "looping-mapped looping-sum caller-finishing"),
    "over-a-finally": ("finishing-finally", "ooo", "finishing-while finishing-return caller-return"),
    "out-of-a-finally": ("finishing-finally", "uu", "caller-return main-caller"),
}


@pytest.mark.parametrize("walk", sorted(CALLED_WALKS))
def test_step_walk_through_what_the_library_calls_for_a_task(session: Session, walk: str) -> None:
    go_through_called(session, walk)


@pytest.mark.parametrize(
    "walk", ["over-an-enumerator", "out-of-an-enumerator", "into-past-a-getter", "out-of-an-enumerator's-dispose"]
)
def test_step_walk_through_an_enumerator_where_the_library_is_optimised(session: Session, walk: str) -> None:
    """Its code has places then that belong to no IL, between what it calls of the loop."""
    go_through_called(session, walk, TieredCompilation="0")


def go_through_called(session: Session, walk: str, **settings: str) -> None:
    """Make the steps of a walk; `settings` are those of the runtime."""
    start, steps, expected = CALLED_WALKS[walk]
    program = fsharp.build(CALLED)
    if program is None:
        pytest.skip("no SDK with F# 6")
    environment = {**program.env, **{f"DOTNET_{name}": value for name, value in settings.items()}}
    session.launch(str(program.dll), breakpoints={str(CALLED): [line_of(CALLED, start)]}, env=environment)
    session.wait_for_stop()
    session.set_breakpoints(str(CALLED), [])
    make = {"o": session.step_over, "i": session.step_in, "u": session.step_out}
    lines = []
    for step in steps:
        assert make[step]().reason == "step"
        lines.append(session.line())
    assert lines == [line_of(CALLED, marker) for marker in expected.split()]


def test_suspended_tasks_of_a_release_build_are_listed(session: Session) -> None:
    program = fsharp.build(SOURCE, optimize=True)
    if program is None:
        pytest.skip("no SDK with F# 6")
    session.launch(str(program.dll), breakpoints={str(SOURCE): [line_of(SOURCE, "both-return")]}, env=dict(program.env))
    session.wait_for_stop()
    found = session.async_tasks().tasks
    # Others may run at the same time, and those that `and!` makes.
    running = [one for one in found if one.state == "running" and f"both@{line_of(SOURCE, 'both')}." in one.name]
    assert running
    for task in running:
        assert task.line == 0
        (caller,) = [found[number] for number in task.awaited_by]
        assert caller.line == line_of(SOURCE, "caller-both")
        number = session.values(caller.frame_id)["n"]
        assert number == session.values(task.frame_id).get("n", number)
    (root,) = [one for one in found if one.line == line_of(SOURCE, "many-all")]
    assert (root.waits_for, len(root.awaits), root.awaited_by) == ("Task.WhenAll", 6, [])
    delayed = [one for one in found if one.waits_for == "Task.Delay"]
    assert {one.line for one in delayed} <= {
        line_of(SOURCE, marker)
        for marker in ("later-delay", "passing-delay", "throwing-delay", "plain-delay", "background-delay")
    }
