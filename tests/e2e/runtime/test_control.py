"""Stopping, holding, ending, attaching and letting go."""

from __future__ import annotations

import os

import pytest

from dap_dotnet.errors import DebuggeeGoneError, RuntimeCallError, StaleHandleError
from dap_dotnet.runtime.events import BreakpointHit, ProcessExited, RuntimeEvent, StopCompleted, StopTimedOut
from tests.e2e.runtime.harness import Process, Session, build
from tests.support.dotnet import Runtime, version_key

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]


def test_stop_holds_until_it_is_released_once(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "forever") as session:
        hit = session.run_to("Program.Mark")
        session.debuggee.remove_breakpoints([hit.bound])
        session.debuggee.resume(hit)
        stopped = session.stop()
        assert session.debuggee.threads()
        session.debuggee.resume(stopped)
        with pytest.raises(StaleHandleError):
            session.debuggee.resume(stopped)
        with pytest.raises(RuntimeCallError, match="running") as caught:
            session.debuggee.threads()
        assert caught.value.hresult_name == "CORDBG_E_PROCESS_NOT_SYNCHRONIZED"


def test_holds_add_up(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "forever") as session:
        hit = session.run_to("Program.Mark")
        stopped = session.stop()
        assert stopped.generation == hit.generation
        top = session.debuggee.top_frame(hit.thread)
        frames = session.debuggee.stack(hit.thread, 0, 5)
        assert top == frames.frames[0]
        session.debuggee.resume(hit)
        assert session.debuggee.stack(hit.thread, 0, 5) == frames
        session.debuggee.resume(stopped)
        again = session.wait(BreakpointHit)
        assert again.generation > hit.generation


def test_stop_of_a_spinning_program_ends_in_time(runtime: Runtime) -> None:
    with Session.launch(build(runtime), "spin") as session:
        session.debuggee.resume(session.run_to("Program.Mark"))
        session.process.wait_until_busy()
        session.debuggee.request_stop(2000)
        ended = session.wait(RuntimeEvent, only=lambda event: isinstance(event, StopCompleted | StopTimedOut))
        # Before 9 the runtime cannot stop a loop without a call.
        expected = StopCompleted if version_key(runtime.version) >= version_key("9.0.0") else StopTimedOut
        assert isinstance(ended, expected)


@pytest.mark.parametrize("held", [False, True], ids=["running", "held"])
def test_terminate_ends_a_launched_process(runtime: Runtime, held: bool) -> None:
    with Session.launch(build(runtime), "forever") as session:
        hit = session.run_to("Program.Mark")
        if not held:
            session.debuggee.remove_breakpoints([hit.bound])
            session.debuggee.resume(hit)
        session.debuggee.terminate()
        session.wait(ProcessExited)
        assert session.process.wait() == 137
        session.debuggee.resume(hit)
        session.debuggee.terminate()
        with pytest.raises(DebuggeeGoneError):
            session.debuggee.threads()


@pytest.mark.parametrize("mode", ["forever", "spin"])
def test_terminate_ends_an_attached_process(runtime: Runtime, mode: str) -> None:
    with Process(build(runtime), "forever", mode) as process:
        process.wait_until_ready()
        with Session.attach(build(runtime), process) as session:
            # No event comes from a spinning program on the runtimes that cannot stop it.
            if mode == "forever":
                session.wait(RuntimeEvent)
            session.debuggee.terminate()
            session.wait(ProcessExited)
        assert process.wait() == 137


def test_close_ends_a_launched_process(runtime: Runtime) -> None:
    session = Session.launch(build(runtime), "forever")
    session.run_to("Program.Mark")
    session.debuggee.close()
    session.debuggee.close()
    assert session.process.wait() == 137
    session.process.close()


@pytest.mark.parametrize("held", [False, True], ids=["running", "held"])
def test_close_leaves_an_attached_process_running(runtime: Runtime, held: bool) -> None:
    with Process(build(runtime), "forever") as process:
        process.wait_until_ready()
        with Session.attach(build(runtime), process) as session:
            hit = session.run_to("Program.Mark")
            if not held:
                session.debuggee.resume(hit)
        assert process.loops()


def test_detached_process_runs_without_breakpoints(runtime: Runtime) -> None:
    with Process(build(runtime), "forever") as process:
        process.wait_until_ready()
        with Session.attach(build(runtime), process) as session:
            hit = session.run_to("Program.Mark")
            session.debuggee.detach()
            assert process.loops()
            session.debuggee.resume(hit)
            with pytest.raises(DebuggeeGoneError):
                session.debuggee.threads()
            session.debuggee.terminate()
        assert process.loops()


def test_detach_needs_a_held_process(runtime: Runtime) -> None:
    with Process(build(runtime), "forever") as process:
        process.wait_until_ready()
        with Session.attach(build(runtime), process) as session:
            hit = session.run_to("Program.Mark")
            session.debuggee.remove_breakpoints([hit.bound])
            session.debuggee.resume(hit)
            with pytest.raises(RuntimeCallError, match="running"):
                session.debuggee.detach()
        assert process.loops()


def test_attach_and_detach_works_many_times(newest_runtime: Runtime) -> None:
    program = build(newest_runtime)
    with Process(program, "forever") as process:
        process.wait_until_ready()
        for turn in range(50):
            # Each debugger is a process of its own, as each adapter is.
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    _attach_and_leave(Session.attach(program, process), turn)
                    status = 0
                finally:
                    os._exit(status)
            assert os.waitpid(child, 0)[1] == 0, f"turn {turn}"
        assert process.loops()


def _attach_and_leave(session: Session, turn: int) -> None:
    hit: RuntimeEvent = session.run_to("Program.Mark")
    if turn % 3 == 1:
        # Other callbacks may be queued behind this stop.
        session.debuggee.resume(hit)
        hit = session.stop()
    if turn % 3 != 2:
        session.debuggee.detach()
    session.debuggee.close()
