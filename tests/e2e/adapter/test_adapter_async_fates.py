"""User-unhandled exceptions of async methods: a stop at the throw when no `await` up the chain has a handler."""

from __future__ import annotations

import signal

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

ABORTED = 128 + signal.SIGABRT
# How an exception leaves the program, and the marker of its throw.
UNHANDLED = {
    "main": "fail",
    "main-at-once": "fail-at-once",
    "value-task": "fail-value",
    "foreach": "fail-number",
    "when-all": "fail",
    "other-type": "fail",
    "filter": "fail",
    "stored": "fail",
    "void": "fail",
    "run": "fail-in-task",
}
# At the throw a filter's answer is not known, nor who will await a task: the program stops where it is awaited then.
ONLY_WHERE_AWAITED = ("filter", "stored")
HANDLED = (
    "handled-run",
    "handled",
    "handled-generic",
    "handled-by-all",
    "handled-above",
    "handled-at-once",
    "handled-filter",
    "handled-later",
    "handled-when-all",
    "handled-when-any",
    "handled-foreach",
    "handled-wait",
    "handled-continuation",
    "handled-run-at-once",
    "handled-run-wait",
    "handled-run-later",
    "handled-run-each",
    "handled-parallel",
    "handled-parallel-query",
    "handled-parallel-async",
    "handled-suppressed",
    "handled-suppressed-at-once",
    "handled-suppressed-run",
    "never-awaited",
)


@pytest.mark.parametrize("how", UNHANDLED)
def test_exception_that_nobody_handles_stops_once(runtime: Runtime, session: Session, how: str) -> None:
    program = programs.build("AsyncFates", runtime)
    session.launch_program(program, how, exception_filters=["user-unhandled", "unhandled"])
    session.wait_for_stop()
    assert session.line() == program.line(UNHANDLED[how])
    assert session.exception_info().break_mode == "userUnhandled"
    if how not in ONLY_WHERE_AWAITED:
        assert session.evaluate("1 + 1").result == "2"  # the thrower's frame is on the stack
    session.continue_()
    assert session.wait_for_exit() == ABORTED
    assert len(session.events("stopped")) == 1


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
@pytest.mark.parametrize("just_my_code", [True, False], ids=["just-my-code", "all-code"])
def test_exceptions_that_are_handled_or_may_be_do_not_stop(
    runtime: Runtime, session: Session, *, just_my_code: bool, optimize: bool
) -> None:
    program = programs.build("AsyncFates", runtime, optimize=optimize)
    filters = ["user-unhandled", "unhandled"]
    session.launch_program(program, *HANDLED, exception_filters=filters, justMyCode=just_my_code)
    assert session.wait_for_exit() == 0
    stops = [(body["text"], body["description"]) for body in session.events("stopped")]
    assert stops == []


def test_exception_of_a_task_that_is_dropped_stops_at_the_throw(runtime: Runtime, session: Session) -> None:
    program = programs.build("AsyncFates", runtime)
    session.launch_program(program, "dropped", exception_filters=["user-unhandled", "unhandled"])
    session.wait_for_stop()
    assert session.line() == program.line("fail-in-task")
    session.continue_()
    assert session.wait_for_exit() == 0
    assert len(session.events("stopped")) == 1
