"""Methods that the runtime itself suspends at an await, which the debugging support of .NET 10 does not know."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def launch(session: Session, runtime: Runtime, *markers: str, **attributes: Any) -> Program:
    """Launch the program as the runtime's feature has it, with breakpoints at markers."""
    if runtime.major != "10.0":
        pytest.skip("only .NET 10 has such methods without support for debugging them")
    program = programs.build("RuntimeAsync", runtime, features="runtime-async=on")
    attributes.setdefault("exception_filters", [])
    session.launch_program(program, stop_at=markers, env={"DOTNET_RuntimeAsync": "1"}, **attributes)
    return program


@pytest.mark.parametrize("stops_at_entry", [False, True], ids=["launched", "at-entry"])
def test_breakpoint_in_a_method_that_the_runtime_suspends_is_refused_and_the_program_lives(
    runtime: Runtime, session: Session, stops_at_entry: bool
) -> None:
    if runtime.major != "10.0":
        pytest.skip("only .NET 10 has such methods without support for debugging them")
    program = programs.build("RuntimeAsync", runtime, features="runtime-async=on")
    lines = [program.line(marker) for marker in ("in-async", "after")]
    first, _ = session.launch(
        str(program.dll),
        breakpoints={str(program.source): lines},
        exception_filters=[],
        env={**program.env, "DOTNET_RuntimeAsync": "1"},
        stopAtEntry=stops_at_entry,
    )

    if stops_at_entry:
        assert session.wait_for_stop().reason == "entry"
        session.continue_()
    session.wait_for_stop()
    assert session.line() == program.line("after")
    said = {one["breakpoint"]["id"]: one["breakpoint"] for one in session.events("breakpoint")}
    refused = said.get(first.id, first.to_wire())  # told later, or known when it was set
    assert (refused["verified"], "runtime-async" in refused["message"]) == (False, True)
    assert "RuntimeAsync.dll has async methods that the runtime itself suspends" in session.output("console")
    session.continue_()
    assert session.wait_for_exit() == 5


def test_nothing_is_said_of_a_program_whose_async_methods_have_state_machines(
    runtime: Runtime, session: Session
) -> None:
    program = programs.build("RuntimeAsync", runtime)
    session.launch(
        str(program.dll),
        breakpoints={str(program.source): [program.line("in-async")]},
        env={**program.env, "DOTNET_RuntimeAsync": "1"},
    )
    session.wait_for_stop()
    assert session.line() == program.line("in-async")
    assert "runtime-async" not in session.output("console")
    session.continue_()
    assert session.wait_for_exit() == 5


def test_stack_with_such_a_method_is_walked_and_its_variables_are_refused(runtime: Runtime, session: Session) -> None:
    launch(session, runtime, "in-twice")
    session.wait_for_stop()
    callers = ["Later(int number)", "Main()"]
    for _ in range(2):  # called by Main, and resumed by the framework
        frames = {frame.name.rpartition("Program.")[2]: frame for frame in session.stack()}
        assert [name for name in frames if name != "[External Code]"] == ["Twice(int number)", *callers]
        variables = session.values(frames["Later(int number)"].id)
        assert {name: "runtime-async" in text for name, text in variables.items()} == {"number": True, "twice": True}
        with pytest.raises(DapRequestError, match="runtime-async"):
            session.evaluate("number + 1", frame_id=frames["Later(int number)"].id)
        assert session.values()["number"] in ("2", "4")
        session.continue_()
        if len(callers) == 2:
            session.wait_for_stop()
            callers.pop()
    assert session.wait_for_exit() == 5


def test_steps_go_into_such_a_method_and_out_of_it(runtime: Runtime, session: Session) -> None:
    program = launch(session, runtime, "calls")
    session.wait_for_stop()
    passed = []
    for _ in range(7):
        session.step_in()
        passed.append(session.line())
    later, twice = program.line("in-later"), program.line("in-twice")
    assert passed == [later - 1, later, twice - 1, twice, twice + 1, later, later + 1]
    session.step_over()  # the await
    assert session.line() == program.line("calls")
    session.step_over()
    session.continue_()
    assert session.wait_for_exit() == 5


def test_such_a_method_cannot_begin_again_nor_go_on_elsewhere(runtime: Runtime, session: Session) -> None:
    program = launch(session, runtime, "calls")
    session.wait_for_stop()
    session.step_in()
    session.step_over()
    assert session.line() == program.line("in-later")
    with pytest.raises(DapRequestError, match="runtime-async"):
        session.request("restartFrame", {"frameId": session.stack(count=1)[0].id})
    with pytest.raises(DapRequestError, match="runtime-async"):
        session.request("gotoTargets", {"source": {"path": str(program.source)}, "line": program.line("in-async")})
    assert session.line() == program.line("in-later")
    session.continue_()
    assert session.wait_for_exit() == 5


@pytest.mark.parametrize("exception_filters", [[], ["all"]])
def test_exception_in_such_a_method_stops_or_goes_on(
    runtime: Runtime, session: Session, exception_filters: list[str]
) -> None:
    program = launch(session, runtime, exception_filters=exception_filters)
    if exception_filters:
        session.wait_for_stop()
        assert session.line() == program.line("throws")
        session.set_exception_breakpoints([])
        session.continue_()
    assert session.wait_for_exit() == 5
