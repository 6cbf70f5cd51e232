"""Methods that the runtime itself suspends at an await, which the debugging support of .NET 10 does not know."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


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
