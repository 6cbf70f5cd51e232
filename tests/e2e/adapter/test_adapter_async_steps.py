"""Steps that leave async methods which have resumed, while another async method runs all the time."""

from __future__ import annotations

import pytest

from dap_dotnet.client import ProgramEndedError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session
from tests.support.walks import described, lines_of
from tests.support.walks import walk as walk_steps

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
    "filter": (
        "filter-throw",
        "over over over over over over over over",
        "filter filter-finally-1 filter-finally filter-finally+1 filter+1 filter-body filter-body+1 filter-after",
    ),
    "exception": ("throws", "over over", "await-throws failing-catch"),
    "exception-out": ("throws", "out over", "await-throws failing-catch"),
    "all": ("await-all", "over over", "hot await-configured"),
    "iterator-that-has-not-suspended": ("counted-open", "out over", "counting counting"),
    "iterator-over-the-yield-after-an-await": (
        "counted-second",
        "over over over",
        "counting counting counting-open",
    ),
    "awaiter-that-goes-on-later": ("posted", "out", "await-posted"),
    "over-the-end-to-the-awaiter-that-goes-on-later": ("posted", "over over", "posted-close await-posted"),
    "iterator-whose-asker-has-not-come-back": (
        "hurried",
        "over over over",
        "hurrying hurrying hurrying-open",
    ),
    "iterator-left-for-the-asker-that-has-not-come-back": ("hurried", "out over", "hurrying hurrying"),
    "call-after-the-await-in": ("shows", "in over", "shown-open shown-open+1"),
    "back-in-a-statement-of-several-awaits": (
        "paused-return",
        "over over over",
        "paused-close await-several await-several+1",
    ),
    "in-through-a-statement-of-several-awaits": (
        "await-several",
        "in out in out in out over",
        "leaf-open await-several leaf-open await-several paused-open await-several await-several+1",
    ),
    "disposal-in": (
        "disposes",
        "in in in in in",
        "dispose-open dispose dispose-close disposing-close await-disposing",
    ),
    "disposal-out": ("dispose-close", "out over", "disposing-close await-disposing"),
    "disposal-over": ("disposes", "over over", "disposing-close await-disposing"),
    "disposal-of-a-block": (
        "block-yield",
        "in in in in in",
        "block-close dispose-open dispose dispose-close block-after",
    ),
    "awaiter-resumed-for-another": (
        "racer-loses",
        "over over over over over",
        "racer-waits racer-yields racer-end racer-close await-racer",
    ),
    "in-all-the-way": (
        "await-outer",
        "in in in over over over over over",
        "outer-open await-leaf leaf-open leaf-first leaf-second leaf-return leaf-close",
    ),
}

# Where they end instead when the caller, on a busy machine, comes to its `await` only when the method has failed.
LATE = dict.fromkeys(("exception", "exception-out"), "failing-catch failing-catch+1")

# As above, of methods that nobody awaits when the step begins.
UNAWAITED_WALKS = {
    "awaited-later": ("for-later", "out over", "await-early takes-result"),
    "over-the-end-awaited-later": (
        "for-later",
        "over over over over",
        "for-later+1 unawaited-return unawaited-close await-early",
    ),
    "blocked-for-the-result": ("for-result", "out over", "takes-result waits"),
    "over-the-end-to-the-blocked": (
        "for-result",
        "over over over over",
        "for-result+1 unawaited-return unawaited-close takes-result",
    ),
    "blocked-in-wait": ("for-wait", "out over", "waits waits+1"),
    "awaited-with-others-later": ("for-all", "out over", "await-late stop"),
    "main": ("end", "over over", "end+1 main-close"),
}


@pytest.mark.parametrize("walk", UNAWAITED_WALKS)
def test_async_step_out_of_what_nobody_awaits_yet(runtime: Runtime, session: Session, walk: str) -> None:
    start, steps, expected = UNAWAITED_WALKS[walk]
    program = programs.build("AsyncSteps", runtime)
    session.stop_in(program, start)
    session.set_breakpoints(str(program.source), [])
    assert described(program, walk_steps(session, steps)) == described(program, lines_of(program, expected))
    if walk == "main":
        with pytest.raises(ProgramEndedError):
            session.step_over()


@pytest.mark.parametrize("just_my_code", [True, False], ids=["jmc", "all-code"])
@pytest.mark.parametrize("walk", WALKS)
def test_async_step_walk(runtime: Runtime, session: Session, walk: str, just_my_code: bool) -> None:
    start, steps, expected = WALKS[walk]
    program = programs.build("AsyncSteps", runtime)
    session.stop_in(program, start, justMyCode=just_my_code)
    session.set_breakpoints(str(program.source), [])
    made = walk_steps(session, " ".join(steps.split()[: len(expected.split())]))
    ways = [lines_of(program, way) for way in (expected, LATE.get(walk, expected))]
    assert described(program, made) in [described(program, way) for way in ways]


def test_step_over_an_await_stops_the_program_where_that_goes_on(runtime: Runtime, session: Session) -> None:
    program = programs.build("AsyncSteps", runtime)
    session.stop_in(program, "leaf-second", logging={"diagnosticsLog": {"debugRuntimeEventTracing": True}})
    session.set_breakpoints(str(program.source), [])
    seen = len(session.output("console"))
    session.step_over()
    assert session.line() == program.line("leaf-return")
    events = session.output("console")[seen:].splitlines()
    # Not where it suspends, nor behind a call that returns a structure, of which nothing could be shown.
    assert [line.partition(",")[0] for line in events if "Hit" in line] == ["Runtime event: BreakpointHit"]


def test_step_over_the_end_stops_the_program_where_that_is_awaited(runtime: Runtime, session: Session) -> None:
    program = programs.build("AsyncSteps", runtime)
    session.stop_in(program, "posted", logging={"diagnosticsLog": {"debugRuntimeEventTracing": True}})
    session.set_breakpoints(str(program.source), [])
    session.step_over()
    assert session.line() == program.line("posted-close")
    seen = len(session.output("console"))
    session.step_over()
    assert session.line() == program.line("await-posted")
    events = session.output("console")[seen:].splitlines()
    # Not in what the thread of the pool runs next, long before.
    assert [line.partition(",")[0] for line in events if "StepCompleted" in line] == []


# As above, in a release build: its braces have no code, and what is stored and returned at once is one statement.
RELEASE_WALKS = {
    "in-all-the-way": (
        "await-outer",
        "in in over over over over over",
        "await-leaf leaf-first leaf-second leaf-return leaf-close await-leaf outer-close",
    ),
    "iterator-in": (
        "counting",
        "in in in in in",
        "counting+2 counting counted-first+1 counted-second counting",
    ),
    "out-before-the-first-suspension": ("leaf-first", "out", "await-leaf"),
    "out-after-two-and-on": ("leaf-return", "out over over", "await-leaf outer-close await-outer"),
    "recursion-to-its-own-awaiter": WALKS["recursion-to-its-own-awaiter"],
    "iterator-that-has-not-suspended": ("counted-first", "out over", "counting counting"),
    "awaiter-that-goes-on-later": WALKS["awaiter-that-goes-on-later"],
    "iterator-whose-asker-has-not-come-back": ("hurried", "over over", "hurrying hurrying"),
    "awaiter-resumed-for-another": WALKS["awaiter-resumed-for-another"],
    "blocked-for-the-result": UNAWAITED_WALKS["blocked-for-the-result"],
}


@pytest.mark.parametrize("walk", RELEASE_WALKS)
def test_async_step_walk_in_a_release_build(newest_runtime: Runtime, session: Session, walk: str) -> None:
    if newest_runtime.major == "3.1" and walk in ("in-all-the-way", "blocked-for-the-result"):
        pytest.skip("the compiler of .NET Core 3.1 leaves no code of its own for places that the walk goes by")
    start, steps, expected = RELEASE_WALKS[walk]
    program = programs.build("AsyncSteps", newest_runtime, optimize=True)
    session.stop_in(program, start)
    session.set_breakpoints(str(program.source), [])
    made = walk_steps(session, " ".join(steps.split()[: len(expected.split())]))
    assert described(program, made) == described(program, lines_of(program, expected))


def test_step_stays_in_its_call_of_two_hundred_in_a_release_build(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Interleaved", newest_runtime, optimize=True)
    wanted = {"line": program.line("work"), "condition": "number == 100"}
    session.launch(str(program.dll), breakpoints={str(program.source): [wanted]}, env=dict(program.env))
    session.wait_for_stop()
    session.set_breakpoints(str(program.source), [])
    expected = "work-delay work-on work-inner inner-delay inner-on inner-on+1"
    made, numbers = [], []
    for _ in expected.split():
        made += walk_steps(session, "in")
        numbers.append(session.evaluate("number").result)
    assert described(program, made) == described(program, lines_of(program, expected))
    assert set(numbers) <= {"100"}


@pytest.mark.parametrize("step", ["in", "over", "out"])
def test_step_passes_a_method_whose_end_the_compiler_does_not_come_to(
    newest_runtime: Runtime, session: Session, step: str
) -> None:
    if newest_runtime.major == "3.1":
        pytest.skip("its compiler has no top-level statements")
    program = programs.build("TopLevel", newest_runtime)
    session.stop_in(program, "completed")
    getattr(session, f"step_{step}")()  # its result is taken at once, and the method around it left
    assert session.line() == program.line("awaits")
    session.step_over()
    assert session.line() == program.line("after")
    session.continue_()
    assert session.wait_for_exit() == 0
