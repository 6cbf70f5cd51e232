"""Steps of threads that do not stand at a breakpoint: they were interrupted where they happened to be."""

from __future__ import annotations

import pytest

from dap_dotnet.client.debugging import Stop
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Session, marker_at

pytestmark = pytest.mark.e2e

STEPS = 30
NEXT = {
    "loop": {"loop", "first", "again"},
    "first": {"second"},
    "second": {"lock"},
    "lock": {"enter"},
    "enter": {"locked"},
    "locked": {"leave"},
    "leave": {"if", "leave"},
    "if": {"again", "if"},
    "again": {"loop"},
    "inner": {"increment"},
    "increment": {"return"},
}


def interrupted(session: Session, program: Program, stop: Stop) -> tuple[int, str] | None:
    """A thread that another one's stop has interrupted in a statement of the program, and where; None: no such one."""
    for thread in session.threads():
        if thread.name.startswith("worker") and thread.id != stop.thread_id:
            shown = [frame for frame in session.stack(thread.id) if frame.line]
            if shown and (marker := marker_at(program, shown[0].line)) in NEXT:
                return thread.id, marker
    return None


def test_a_step_of_an_interrupted_thread_ends_at_its_next_statement(runtime: Runtime, session: Session) -> None:
    program = programs.build("Turns", runtime)
    session.launch_program(program, "work", stop_at=["first"])
    stop = session.wait_for_stop()
    seen: list[tuple[str, str]] = []
    while len(seen) < STEPS:
        found = interrupted(session, program, stop)
        if found is None:
            session.continue_()
            stop = session.wait_for_stop()
            continue
        thread, marker = found
        session.set_breakpoints(str(program.source), [])
        after = session.step_over(thread)
        assert (after.thread_id, after.reason) == (thread, "step")
        seen.append((marker, marker_at(program, session.line())))
        session.set_breakpoints(str(program.source), [program.line("first")])
        session.continue_()
        stop = session.wait_for_stop()
    assert [step for step in seen if step[1] not in NEXT[step[0]]] == []
    session.disconnect(terminate_debuggee=True)


def test_variables_are_true_wherever_a_handler_is_interrupted(runtime: Runtime, session: Session) -> None:
    """At the first instruction of a handler the registers are not the method's: what they give has crashed a reader."""
    program = programs.build("Turns", runtime)
    session.launch_program(program, "throw", stop_at=["try"])
    stop = session.wait_for_stop()
    read = 0
    while read < 2 * STEPS:
        for thread in session.threads():
            frames = session.stack(thread.id) if thread.name.startswith("worker") else []
            for frame in (frame for frame in frames if "Throw" in frame.name):
                values = session.values(frame.id)
                assert values["number"] == thread.name.removeprefix("worker ")
                if frame.line > program.line("try") and values["i"].isdigit():  # in front of the loop there is no i
                    assert int(values["twice"]) == 2 * int(values["i"])
                    read += 1
        marker = "try" if session.line() != program.line("try") else "caught"
        session.set_breakpoints(str(program.source), [program.line(marker)])
        session.send("next", {"threadId": stop.thread_id}).result()
        stop = session.wait_for_stop()
    session.disconnect(terminate_debuggee=True)


def test_a_step_in_a_call_without_source_ends_at_the_next_statement(runtime: Runtime, session: Session) -> None:
    program = programs.build("Turns", runtime)
    session.stop_in(program, "woken", "sleep")  # all that comes before a sleep has been run once
    session.set_breakpoints(str(program.source), [])
    for _ in range(50):
        session.continue_()
        stop = session.pause()
        shown = next(frame for frame in session.stack(stop.thread_id) if frame.line)
        if marker_at(program, shown.line) == "sleep":
            break
    session.step_over(stop.thread_id)
    assert marker_at(program, session.line()) == "woken"
    session.step_over(stop.thread_id)
    session.disconnect(terminate_debuggee=True)
