"""The ends of a session that launched a program: terminate, disconnect, and adapters that die."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable

import pytest

from dap_dotnet.client import AdapterGoneError, DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime, version_key
from tests.support.processes import has_ended, wait_until
from tests.support.session import Place, Session

pytestmark = [pytest.mark.e2e, pytest.mark.editor_start]


def test_terminate_lets_the_program_end_itself(runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Signals", runtime))
    session.wait_for_output("READY")
    session.request("terminate", {})
    assert session.wait_for_exit() in {0, 128 + signal.SIGTERM}
    # Since 10 the runtime leaves SIGTERM to the kernel.
    assert ("process exit" in session.output()) == (version_key(runtime.version) < (10,))


def test_terminate_while_stopped(runtime: Runtime, session: Session) -> None:
    program = programs.build("Signals", runtime)
    session.stop_in(program, "ready")
    session.request("terminate", {})
    assert session.wait_for_exit() in {0, 128 + signal.SIGTERM}


def test_terminate_twice_and_then_disconnect(newest_runtime: Runtime, session: Session, place: Place) -> None:
    session.launch_program(programs.build("Spin", newest_runtime), str(place.folder / "stop"))
    session.wait_for_output("READY")
    first, second = session.send("terminate", {}), session.send("terminate", {})
    first.result()
    with contextlib.suppress(DapRequestError):  # it may have ended by then
        second.result()
    session.wait_for_exit()
    session.disconnect()


@pytest.mark.parametrize("terminate_debuggee", [None, True])
def test_disconnect_ends_a_launched_program(
    runtime: Runtime, session: Session, place: Place, terminate_debuggee: bool | None
) -> None:
    session.launch_program(programs.build("Spin", runtime), str(place.folder / "stop"))
    session.wait_for_output("READY")
    process_id = session.debuggee()
    session.disconnect(terminate_debuggee=terminate_debuggee)
    wait_until(lambda: has_ended(process_id), "the end of the program")
    assert session.process.wait(5) == 0


@pytest.mark.parametrize("state", ["running", "stopped"])
def test_disconnect_can_leave_a_launched_program_running(
    runtime: Runtime, session: Session, place: Place, open_session: Callable[..., Session], state: str
) -> None:
    program = programs.build("Spin", runtime)
    stop_file = place.folder / "stop"
    done_file = place.folder / "done"
    session.launch_program(program, str(stop_file), "60", str(done_file), stop_at=["round"])
    process_id = session.debuggee()
    session.wait_for_stop()
    if state == "running":
        session.set_breakpoints(str(program.source), [program.line("end")])
        session.continue_()
    session.disconnect(terminate_debuggee=False)
    assert session.process.wait(5) == 0
    # It runs, and the breakpoint is gone: another session finds it at work and stops it where it likes.
    second = open_session()
    second.attach(process_id)
    (made,) = second.set_breakpoints(str(program.source), [program.line("sleep")])
    assert second.wait_for_stop().breakpoint_ids == (made.id,)
    second.disconnect()
    stop_file.touch()
    wait_until(lambda: has_ended(process_id), "the end of the program")
    assert done_file.exists()


def test_disconnect_before_launch(session: Session) -> None:
    session.initialize()
    session.disconnect()
    assert session.process.wait(5) == 0


def test_disconnect_before_configuration_done(runtime: Runtime, session: Session) -> None:
    program = programs.build("Hello", runtime)
    starting = session.start("launch", {"program": str(program.dll), "env": dict(program.env)})
    session.debuggee()
    session.disconnect()
    starting.result()
    assert session.output() == ""
    assert session.process.wait(5) == 0


def test_disconnect_right_after_launch(runtime: Runtime, session: Session) -> None:
    program = programs.build("Hello", runtime)
    session.initialize()
    starting = session.send("launch", {"program": str(program.dll), "env": dict(program.env)})
    session.disconnect()
    with pytest.raises((DapRequestError, AdapterGoneError)):
        starting.result()
    assert session.process.wait(5) == 0


def test_disconnect_after_the_end(newest_runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("ExitCode", newest_runtime))
    session.wait_for_exit()
    session.disconnect()
    assert session.process.wait(5) == 0


def test_requests_after_the_end_are_refused(newest_runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("ExitCode", newest_runtime))
    session.wait_for_exit()
    for command, arguments in (
        ("continue", {"threadId": 1}),
        ("next", {"threadId": 1}),
        ("pause", {"threadId": 1}),
        ("stackTrace", {"threadId": 1}),
        ("scopes", {"frameId": 1}),
        ("variables", {"variablesReference": 1}),
    ):
        with pytest.raises(DapRequestError) as refused:
            session.request(command, arguments)
        assert refused.value.code in {"NO_SESSION", "STALE_HANDLE"}
    assert session.request("threads")["threads"] == []


def test_client_that_closes_its_end_ends_the_program(runtime: Runtime, session: Session, place: Place) -> None:
    session.checks_conversation = False
    session.launch_program(programs.build("Spin", runtime), str(place.folder / "stop"))
    process_id = session.debuggee()
    session.process.close_input()
    assert session.process.wait(5) == 0
    wait_until(lambda: has_ended(process_id), "the end of the program")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_signal_to_the_adapter_ends_the_program(
    newest_runtime: Runtime, session: Session, place: Place, number: signal.Signals
) -> None:
    session.checks_conversation = False
    session.stop_in(programs.build("Spin", newest_runtime), "round", str(place.folder / "stop"))
    process_id = session.debuggee()
    os.kill(session.process.process_id, number)
    assert session.process.wait(5) == 128 + number
    wait_until(lambda: has_ended(process_id), "the end of the program")


def test_signal_after_the_end_is_no_failure(newest_runtime: Runtime, session: Session) -> None:
    session.checks_conversation = False
    session.launch_program(programs.build("Hello", newest_runtime))
    session.wait_for("terminated")
    os.kill(session.process.process_id, signal.SIGINT)  # as nvim-dap does
    assert session.process.wait(5) == 0


def test_program_that_is_killed_by_others_ends_the_session(runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Loop", runtime), "loop")
    os.kill(session.debuggee(), signal.SIGKILL)
    assert session.wait_for_exit() == 128 + signal.SIGKILL


def test_late_disconnect_is_answered(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Hello", newest_runtime)
    session.launch_program(program)
    session.wait_for("terminated")
    # Longer than any client takes to hear of the end: nothing may end the adapter meanwhile.
    assert session.process.wait(4) is None
    session.disconnect()
    assert session.process.wait(5) == 0
