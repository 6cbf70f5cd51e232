"""Exceptions and crashes."""

from __future__ import annotations

import signal

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime, pytest.mark.editor_start]

ABORTED = 128 + signal.SIGABRT


def test_unhandled_exception_stops_where_it_was_thrown(runtime: Runtime, session: Session) -> None:
    program = programs.build("Crash", runtime)
    session.launch_program(program, exception_filters=[])
    stop = session.wait_for_stop()
    assert stop.reason == "exception"
    assert stop.text == "System.InvalidOperationException: unhandled in Main"
    assert session.line() == program.line("throw")
    info = session.exception_info()
    assert (info.exception_id, info.break_mode) == ("CLR/System.InvalidOperationException", "unhandled")
    assert info.details is not None
    assert info.details.message == "unhandled in Main"
    assert [frame.line for frame in session.stack()][:2] == [program.line("throw"), program.line("calls-fail")]
    session.continue_()
    assert session.wait_for_exit() == ABORTED
    assert "unhandled in Main" in session.output("stderr")


@pytest.mark.parametrize(
    ("how", "type_name", "marker"),
    [
        ("null", "System.NullReferenceException", "null"),
        ("divide", "System.DivideByZeroException", "divide"),
        ("inner", "System.ApplicationException", "wrap"),
        ("rethrow", "System.InvalidOperationException", "rethrow"),
        ("thread", "System.InvalidOperationException", "throw"),
    ],
)
def test_unhandled_exception_of_every_kind(
    runtime: Runtime, session: Session, how: str, type_name: str, marker: str
) -> None:
    program = programs.build("Crash", runtime)
    session.launch_program(program, how, exception_filters=[])
    stop = session.wait_for_stop()
    assert stop.reason == "exception"
    assert session.exception_info().exception_id == f"CLR/{type_name}"
    assert session.line() == program.line(marker)
    session.continue_()
    assert session.wait_for_exit() == ABORTED


def test_fail_fast_is_reported_with_its_text(runtime: Runtime, session: Session) -> None:
    program = programs.build("Crash", runtime)
    session.launch_program(program, "abort", exception_filters=[])
    stop = session.wait_for_stop()
    assert (stop.reason, stop.text) == (
        "exception",
        "System.ExecutionEngineException: Environment.FailFast: failed fast",
    )
    info = session.exception_info()
    assert info.exception_id == "CLR/System.ExecutionEngineException"
    assert info.details is not None
    assert info.details.message == "Environment.FailFast: failed fast"
    assert info.description is not None
    assert "Environment.FailFast: failed fast" in info.description


def test_inner_exception_is_reported(newest_runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Crash", newest_runtime), "inner", exception_filters=[])
    session.wait_for_stop()
    details = session.exception_info().details
    assert details is not None
    assert details.message == "the wrapper"
    (inner,) = details.inner_exception or ()
    assert inner.message == "the cause"


def test_exception_info_has_the_whole_tree(runtime: Runtime, session: Session) -> None:
    program = programs.build("Crash", runtime)
    session.launch_program(program, "tree", exception_filters=[])
    session.wait_for_stop()
    info = session.exception_info()
    assert info.description is not None
    assert info.description.splitlines() == [
        "System.AggregateException: several (the cause) (code seven)",
        " ---> System.InvalidOperationException: the cause",
        " ---> Crash.CodedException: code seven",
        'Data["tries"] = "three"',
    ]
    details = info.details
    assert details is not None
    assert details.message == "several (the cause) (code seven)"
    assert details.stack_trace is not None
    assert f"Program.cs:line {program.line('tree')}" in details.stack_trace
    cause, coded = details.inner_exception or ()
    assert (cause.type_name, cause.message) == ("InvalidOperationException", "the cause")
    assert cause.stack_trace is not None
    thrown, through = cause.stack_trace.splitlines()
    assert thrown.endswith(f"Program.cs:line {program.line('throw')}")
    assert through.endswith(f"Program.cs:line {program.line('calls-fail-tree')}")
    assert (coded.full_type_name, coded.message, coded.stack_trace) == ("Crash.CodedException", "code seven", None)
    shown = session.locals()
    assert next(iter(shown)) == "$exception"
    assert shown["$exception"].value == "{System.AggregateException: several (the cause) (code seven)}"
    assert shown["$exception"].variables_reference
    for one in (details, cause, coded):
        assert one.evaluate_name is not None
        message = session.evaluate(f"{one.evaluate_name}.Message").result
        assert message == f'"{one.message}"'


def test_caught_exception_does_not_stop_by_itself(runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Crash", runtime), "caught", exception_filters=["user-unhandled"])
    assert session.wait_for_exit() == 0
    assert session.events("stopped") == []


def test_all_exceptions_stop_at_the_throw_and_once(runtime: Runtime, session: Session) -> None:
    program = programs.build("Crash", runtime)
    session.launch_program(program, "caught", exception_filters=["all"])
    stop = session.wait_for_stop()
    assert stop.reason == "exception"
    assert session.line() == program.line("throw")
    assert session.exception_info().break_mode == "always"
    session.step_over()
    assert session.line() in {program.line("catch") - 2, program.line("catch") - 1}
    session.continue_()
    assert session.wait_for_exit() == 0
    assert [body["reason"] for body in session.events("stopped")] == ["exception", "step"]


def test_optimised_program_stops_at_throws_that_come_to_its_code(runtime: Runtime, session: Session) -> None:
    program = programs.build("Crash", runtime, optimize=True)
    session.launch_program(program, "converts", exception_filters=["all"])
    session.wait_for_stop()  # not for the one that the framework keeps to itself
    assert session.exception_info().break_mode == "always"
    assert session.line() == program.line("throw")
    session.continue_()
    assert session.wait_for_exit() == 0
    assert len(session.events("stopped")) == 1
    assert session.output("stdout").startswith("about to crash: converts\nFalse\n")


@pytest.mark.parametrize("optimize", [False, True], ids=["debug", "release"])
def test_exception_and_the_one_in_its_filter_stop_once_each(
    runtime: Runtime, session: Session, *, optimize: bool
) -> None:
    program = programs.build("Crash", runtime, optimize=optimize)
    session.launch_program(program, "filter", exception_filters=["all"])
    messages = []
    for _ in range(2):
        messages.append(session.wait_for_stop().text)
        session.continue_()
    assert session.wait_for_exit() == 0
    assert {f"System.InvalidOperationException: {one}" for one in ("caught", "filtered")} == set(messages)


def test_filters_can_be_changed_while_stopped_and_running(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Crash", newest_runtime)
    session.stop_in(program, "before", "caught", exception_filters=[])
    session.set_exception_breakpoints(["all"])
    session.continue_()
    assert session.wait_for_stop().reason == "exception"
    session.set_exception_breakpoints([])
    session.continue_()
    assert session.wait_for_exit() == 0


def test_exception_that_only_the_library_catches_is_user_unhandled(runtime: Runtime, session: Session) -> None:
    program = programs.build("Crash", runtime)
    session.launch_program(program, "task", exception_filters=["user-unhandled"])
    stop = session.wait_for_stop()
    assert stop.reason == "exception"
    assert session.exception_info().break_mode == "userUnhandled"
    assert any(frame.line == program.line("throw") for frame in session.stack())
    session.set_exception_breakpoints([])
    session.continue_()
    stop = session.wait_for_stop()
    assert session.exception_info().break_mode == "unhandled"
    session.continue_()
    assert session.wait_for_exit() == ABORTED


def test_unknown_filter_is_not_verified(newest_runtime: Runtime, session: Session) -> None:
    session.initialize()
    answers = session.request("setExceptionBreakpoints", {"filters": ["all", "nonsense"]})["breakpoints"]
    assert [answer["verified"] for answer in answers] == [True, False]
    assert "nonsense" in answers[1]["message"]


def test_exception_info_without_exception_is_refused(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Loop", newest_runtime), "loop")
    with pytest.raises(DapRequestError, match="exception"):
        session.exception_info()


@pytest.mark.parametrize("how", ["abort", "segfault"])
def test_crash_of_the_runtime_ends_the_session(runtime: Runtime, session: Session, how: str) -> None:
    session.launch_program(programs.build("Crash", runtime), how, exception_filters=[])
    continue_to_the_end(session)
    assert session.events("exited")[0]["exitCode"] in {ABORTED, 128 + signal.SIGSEGV}


def test_stack_overflow_ends_the_session(runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Crash", runtime), "overflow", exception_filters=[])
    if runtime.major == "9.0":
        # With a debugger this runtime's handler of stack overflows faults itself, and then waits for itself (seen with
        # 9.0.20): nobody can do more than end it.
        session.wait_for_output("Crash.Program.Main", "stderr")
        session.disconnect()
    else:
        continue_to_the_end(session)
        assert session.events("exited")[0]["exitCode"] == ABORTED
        assert "Stack overflow" in session.output("stderr")


def continue_to_the_end(session: Session) -> None:
    while (event := session.wait_for({"stopped", "terminated"})).event != "terminated":
        session.continue_(event.body["threadId"])
