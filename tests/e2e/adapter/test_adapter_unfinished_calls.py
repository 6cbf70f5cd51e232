"""Calls that wait: the stop stays what it is, whether the runtime can abort them or not."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def can_abort(runtime: Runtime) -> bool:
    """From .NET 8 on no runtime wakes a thread that waits."""
    return runtime.major == "3.1"


def expect_the_stop(session: Session, line: int) -> None:
    """The same stop at the same place, with its locals, whatever has become of the call."""
    assert [session.events(event) for event in ("stopped", "continued")] == [session.events("stopped")[:1], []]
    frames = session.stack()
    assert [frame.name.partition("(")[0] for frame in frames] == ["Program.Look", "Program.Main"]
    assert frames[0].line == line
    assert session.evaluate("number + 1", frames[0].id).result == "43"


@pytest.mark.parametrize("kind", ["sleeper", "locked"])
def test_a_text_that_waits_leaves_the_stop_and_the_other_threads(runtime: Runtime, session: Session, kind: str) -> None:
    program = programs.build("Waits", runtime)
    session.stop_in(program, "here", kind)
    before = session.evaluate("count").result
    frame = session.stack()[0].id
    assert session.values(frame)["waiting"] == f"{{{kind.capitalize()}}}"
    assert session.values(frame)["number"] == "42"
    if not can_abort(runtime):
        session.wait_for_output("has not ended in time and cannot be aborted", "important")
    expect_the_stop(session, program.line("here"))
    assert session.evaluate("count").result == before
    assert session.values()["waiting"] == f"{{{kind.capitalize()}}}"
    if kind == "sleeper":
        session.step_over()
        assert session.line() == program.line("next")
        assert session.evaluate("number.CompareTo(42)").result == "0"
        session.continue_()
        assert session.wait_for_exit() == 0


def test_a_step_waits_for_the_call_and_a_pause_stops_where_the_thread_stood(
    newest_runtime: Runtime, session: Session
) -> None:
    if can_abort(newest_runtime):
        pytest.skip("the runtime of .NET Core 3.1 can abort such a call")
    program = programs.build("Waits", newest_runtime)
    thread = session.stop_in(program, "here", "locked")
    caller = session.stack()[1].id
    with pytest.raises(DapRequestError, match="cannot be aborted"):
        session.evaluate("waiting.ToString()")
    expect_the_stop(session, program.line("here"))
    assert session.evaluate("arguments[0]", caller).result == '"locked"'
    assert session.output("important") == ""  # the answer has said it
    with pytest.raises(DapRequestError, match="still inside a call"):
        session.evaluate("waiting.ToString()")
    session.request("next", {"threadId": thread})
    session.wait_for_output("The step begins when the call", "important")
    session.pause()
    frames = session.stack(thread)
    assert [frame.name.partition("(")[0] for frame in frames] == ["Program.Look", "Program.Main"]
    # What the call waits for comes: the program goes on from the stop.
    session.evaluate("isOver = true", frames[0].id)
    session.set_breakpoints(str(program.source), [program.line("next")])
    session.continue_()
    session.wait_for_stop()
    assert session.line() == program.line("next")
    assert session.evaluate("number.CompareTo(42)").result == "0"


def test_a_call_that_waits_leaves_the_stop_at_an_exception(newest_runtime: Runtime, session: Session) -> None:
    """There the thread stands in native code of the runtime, which is not told from the call's own."""
    program = programs.build("Waits", newest_runtime)
    session.launch_program(program, "thrown", exception_filters=["all"])
    session.wait_for_stop()
    frames = session.stack()
    assert [frame.name.partition("(")[0] for frame in frames] == ["Program.Throw", "Program.Main"]
    thrown = session.exception_info()
    with pytest.raises(DapRequestError, match="did not finish in"):
        session.evaluate("waiting.ToString()", frames[0].id)
    assert session.evaluate("number + 1", frames[0].id).result == "8"
    assert session.evaluate("arguments[0]", frames[1].id).result == '"thrown"'
    assert (session.stack(), session.exception_info()) == (frames, thrown)
    assert [len(session.events(event)) for event in ("stopped", "continued")] == [1, 0]
    session.evaluate("isOver = true", frames[0].id)
    session.set_exception_breakpoints([])
    session.continue_()
    assert session.wait_for_exit() == 0


@pytest.mark.parametrize("milliseconds", [7_000, 13_000])
def test_a_loop_that_cannot_be_stopped_gives_the_stop_back_when_it_ends(
    runtime: Runtime, session: Session, milliseconds: int
) -> None:
    """It is aborted (.NET 9 and later), the program stands within the 5 s of a stop, or it runs until the loop ends."""
    program = programs.build("Waits", runtime)
    thread = session.stop_in(program, "here", "sleeper")
    with pytest.raises(DapRequestError, match="did not finish in 5 s and") as refused:
        session.evaluate(f"Turn({milliseconds})")
    if "stops then" in str(refused.value):
        stop = session.wait_for_stop()
        assert (stop.reason, stop.thread_id) == ("evaluation", thread)
    frames = session.stack(thread)
    assert [frame.name.partition("(")[0] for frame in frames] == ["Program.Look", "Program.Main"]
    assert session.evaluate("number + 1", frames[0].id).result == "43"
    session.step_over(thread)
    assert session.line() == program.line("next")
    session.continue_()
    assert session.wait_for_exit() == 0
