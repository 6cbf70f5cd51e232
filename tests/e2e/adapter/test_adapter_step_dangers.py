"""Steps into what the runtime must not be stepped into: the program survives, or ends in its own way."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError, ProgramEndedError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("optimize", [False, True], ids=["debug-all-code", "release"])
def test_step_into_an_array_of_several_dimensions(runtime: Runtime, session: Session, optimize: bool) -> None:
    program = programs.build("Grid", runtime, optimize=optimize)
    session.stop_in(program, "stores", justMyCode=optimize)
    session.set_breakpoints(str(program.source), [])
    lines = [session.step_in() and session.line() for _ in range(2)]
    if runtime.version.startswith("3.1."):
        assert lines == [program.line("reads"), program.line("writes")]
        said = "Stepped over an array with several dimensions: on .NET Core 3.1 a step into it may end the program."
        assert session.output("console").splitlines().count(said) == 2
    else:
        assert lines[0] in (program.line("get"), program.line("get") - 1)
        assert "Stepped over" not in session.output("console")
    session.continue_()
    assert session.wait_for_exit() == 2


def test_step_of_a_thread_without_managed_code_is_refused(runtime: Runtime, session: Session) -> None:
    program = programs.build("Grid", runtime)
    session.stop_in(program, "stores")
    idle = [thread.id for thread in session.threads() if not session.stack(thread.id)]
    assert idle  # the finalizer's at least
    for thread_id in idle:
        with pytest.raises(DapRequestError, match="runs no managed code"):
            session.step_over(thread_id)
    assert session.step_over().reason == "step"
    assert session.line() == program.line("reads")


@pytest.mark.every_runtime
@pytest.mark.parametrize("step", ["over", "in", "out"])
@pytest.mark.parametrize("filters", [[], ["all"]], ids=["unhandled", "at-the-throw"])
@pytest.mark.parametrize("how", ["unhandled", "thread", "told"])
def test_step_at_an_unhandled_exception_ends_the_program_as_it_ends_itself(
    runtime: Runtime, session: Session, how: str, filters: list[str], step: str
) -> None:
    program = programs.build("Crash", runtime)
    session.launch_program(program, how, exception_filters=filters)
    assert session.wait_for_stop().reason == "exception"
    with pytest.raises(ProgramEndedError):
        getattr(session, f"step_{step}")()
    assert session.events("exited") == [{"exitCode": 134}]
    assert "Unhandled exception. System.InvalidOperationException" in session.output("stderr")
