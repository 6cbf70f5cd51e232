"""Exceptions that meet other exceptions: who catches them, and what the stack in a handler looks like."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

CAUGHT = [
    "rethrow",
    "deep-rethrow",
    "finally",
    "catch",
    "await-rethrow",
    "await-finally",
    "await-catch",
    "filter",
    "caught-in-finally",
]


@pytest.mark.parametrize("how", CAUGHT)
def test_exception_that_an_outer_handler_takes_is_handled(runtime: Runtime, session: Session, how: str) -> None:
    program = programs.build("Handlers", runtime)
    session.launch_program(program, how, exception_filters=["user-unhandled", "unhandled"])
    assert session.wait_for_exit() == 0
    assert session.events("stopped") == []


AWAITING = {
    "finally-awaits": ["finally-throws", "taken-at"],
    "using-awaits": ["using-throws", "taken-at"],
    "catch-awaits": ["catch-throws", "catch-rethrows", "taken-at"],
    "both-await": ["catch-throws", "catch-rethrows", "both-throw", "both-rethrow", "taken-at"],
}


@pytest.mark.parametrize(
    ("how", "optimize"), [(how, optimize) for how in AWAITING for optimize in (False, True)][:-1]
)  # where an optimised method throws again in both ways nobody can tell them apart
def test_what_the_compiler_throws_again_behind_an_await_is_no_throw(
    runtime: Runtime, session: Session, how: str, optimize: bool
) -> None:
    stops = AWAITING[how]
    program = programs.build("Handlers", runtime, optimize=optimize)
    session.launch_program(program, how, exception_filters=["all"], justMyCode=not optimize)
    for marker in stops:
        session.wait_for_stop()
        lines = [frame.line for frame in session.stack() if frame.source is not None]
        assert program.line(marker) in lines, (marker, session.stack())
        session.continue_()
    assert session.wait_for_exit() == 0
    assert len(session.events("stopped")) == len(stops)


def test_exception_out_of_async_main_is_thrown_once_and_then_unhandled(runtime: Runtime, session: Session) -> None:
    program = programs.build("Handlers", runtime)
    session.launch_program(program, "main", exception_filters=["all"])
    modes = []
    for _ in range(3):
        session.wait_for_stop()
        modes.append(session.exception_info().break_mode)
        session.continue_()
    session.wait_for_exit()
    assert modes == ["always", "always", "unhandled"]  # at the throw, at the await in Main, out of the program


@pytest.mark.parametrize(("how", "marker"), [("library", "throw"), ("library-rethrow", "rethrow-out")])
def test_exception_that_leaves_a_task_is_not_handled(runtime: Runtime, session: Session, how: str, marker: str) -> None:
    program = programs.build("Handlers", runtime)
    session.launch_program(program, how, exception_filters=["user-unhandled"])
    session.wait_for_stop()
    assert session.exception_info().break_mode == "userUnhandled"
    assert session.line() == program.line(marker)


@pytest.mark.parametrize(
    ("how", "marker", "method"),
    [
        ("rethrow", "rethrow", "Rethrow"),
        ("finally", "in-finally", "ThrowInFinally"),
        ("catch", "in-catch", "ThrowInCatch"),
        ("caught-in-finally", "inner-handler", "CaughtInFinally"),
        ("caught-in-finally", "outer-handler", "CaughtInFinally"),
    ],
)
def test_method_in_a_handler_is_one_frame(
    runtime: Runtime, session: Session, how: str, marker: str, method: str
) -> None:
    program = programs.build("Handlers", runtime)
    session.stop_in(program, marker, how)
    names = [frame.name.partition("(")[0].rpartition(".")[2] for frame in session.stack()]
    assert names[:2] == [method, "Main"]
    assert session.stack()[0].line == program.line(marker)
    # Pages agree with the whole.
    assert [frame.name for frame in session.stack(start=1, count=1)] == [session.stack()[1].name]


def test_call_in_a_handler_is_above_it(runtime: Runtime, session: Session) -> None:
    program = programs.build("Handlers", runtime)
    session.stop_in(program, "in-finally", "finally")
    session.step_in()
    lines = [frame.line for frame in session.stack()][:2]
    assert lines == [program.line("throw") - 1, program.line("in-finally")]
    assert [frame.name for frame in session.stack()].count("Handlers.Program.ThrowInFinally()") == 1
