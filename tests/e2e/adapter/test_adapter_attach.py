"""Attaching to a running program, and leaving it alone again."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.launching import procfs
from dap_dotnet.session.watchdog import PATIENCE_S
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import SpinProcess, spinning, wait_until
from tests.support.session import Place, Session

pytestmark = [pytest.mark.e2e, pytest.mark.editor_start]

KERNEL_TELLS = tuple(int(part) for part in os.uname().release.split(".")[:2]) >= (6, 15)
QUIET_ROUNDS, MOST_ROUNDS = 3, 10
# Set, the tests that go through many moments or rounds take more of them.
LONG = bool(os.environ.get("DAP_DOTNET_TEST_LONG"))


@pytest.fixture
def spin(place: Place, runtime: Runtime) -> Iterator[SpinProcess]:
    """The program Spin at work without a debugger; it must come to its own end."""
    with spinning(programs.build("Spin", runtime), place.folder, place.environment) as process:
        yield process


@pytest.fixture
def newest_spin(place: Place, newest_runtime: Runtime) -> Iterator[SpinProcess]:
    """As `spin`, for what does not differ between runtimes."""
    with spinning(programs.build("Spin", newest_runtime), place.folder, place.environment) as process:
        yield process


def test_attach_sees_the_program_and_detach_leaves_it_alone(session: Session, spin: SpinProcess) -> None:
    program = spin.program
    (made,) = session.attach(
        spin.process_id, breakpoints={str(program.source): [program.line("round")]}, exception_filters=[]
    )
    stop = session.wait_for_stop()
    assert stop.breakpoint_ids == (made.id,)
    assert session.here() == ("Spin.Program.Work(int round)", program.line("round"))
    assert int(session.values()["squared"]) == int(session.values()["round"]) ** 2
    assert session.events("process")[0]["startMethod"] == "attach"
    assert session.events("process")[0]["systemProcessId"] == spin.process_id
    session.step_out()
    assert session.function() == "Main"
    session.disconnect()
    assert session.process.wait(5) == 0
    spin.stop()


def test_attach_stops_where_that_is_wanted(session: Session, spin: SpinProcess) -> None:
    session.attach(spin.process_id, stopOnAttach=True)
    assert session.wait_for_stop().reason == "pause"
    session.disconnect()
    assert session.process.wait(5) == 0
    spin.stop()


def test_attach_and_detach_many_times(spin: SpinProcess, open_session: Callable[..., Session]) -> None:
    line = spin.program.line("round")
    for turn in range(50 if LONG else 10):
        session = open_session(forked=turn > 0)
        session.attach(spin.process_id)
        if turn % 2:
            session.set_breakpoints(str(spin.program.source), [line])
            session.wait_for_stop()
        session.disconnect()
        assert session.process.wait(5) == 0
    spin.stop()


def test_attach_and_detach_leave_no_more_descriptors_than_the_runtime_forgets(
    runtime: Runtime, place: Place, open_session: Callable[..., Session]
) -> None:
    """Two for each attach, in a program that does nothing.

    A round in which a thread of the runtime worked, as on a busy machine, may bring the guardian, and two more.
    """
    program = programs.build("Stdin", runtime)
    environment = {**program.environment(), **place.environment}
    with subprocess.Popen(program.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        try:
            wait_until(lambda: procfs.waits_for_input(process.pid), "it waits")
            left: list[int] = []
            while sum(count <= 2 for count in left) < QUIET_ROUNDS and len(left) < MOST_ROUNDS:
                before = len(os.listdir(f"/proc/{process.pid}/fd"))
                session = open_session(forked=True)
                session.attach(process.pid)
                session.disconnect()
                assert session.process.wait(5) == 0
                left.append(len(os.listdir(f"/proc/{process.pid}/fd")) - before)
            assert max(left) <= 4
            assert sum(count <= 2 for count in left) == QUIET_ROUNDS, left
            assert process.communicate(b"one\n", timeout=10)[0] == b"line: one\nend of input after 1 lines\n"
        finally:
            process.kill()


def test_disconnect_can_end_an_attached_program(session: Session, spin: SpinProcess) -> None:
    session.attach(spin.process_id)
    session.disconnect(terminate_debuggee=True)
    wait_until(lambda: not spin.is_running, "the end of the program")
    remove_traces(session.place)


def test_terminate_ends_an_attached_program(session: Session, newest_spin: SpinProcess) -> None:
    session.attach(newest_spin.process_id)
    session.request("terminate", {})
    session.wait_for("terminated")
    wait_until(lambda: not newest_spin.is_running, "the end of the program")
    remove_traces(session.place)


def test_end_of_an_attached_program_ends_the_session(session: Session, spin: SpinProcess) -> None:
    session.attach(spin.process_id)
    spin.stop()
    session.wait_for("terminated")


@pytest.mark.parametrize("state", ["running", "stopped"])
def test_kill_of_an_attached_program_ends_the_session(session: Session, spin: SpinProcess, state: str) -> None:
    session.attach(spin.process_id)
    session.pause()
    if state == "running":
        session.continue_()
    os.kill(spin.process_id, signal.SIGKILL)
    session.wait_for("terminated")
    session.disconnect()
    # The runtime's library may wait without end for a process that was killed: then the guard ends the adapter.
    assert session.process.wait(PATIENCE_S + 15) == 0
    remove_traces(session.place)


def test_client_that_goes_leaves_an_attached_program_running(session: Session, spin: SpinProcess) -> None:
    session.checks_conversation = False
    session.attach(spin.process_id, breakpoints={str(spin.program.source): [spin.program.line("round")]})
    session.wait_for_stop()
    session.process.close_input()
    assert session.process.wait(5) == 0
    spin.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_signal_to_the_adapter_leaves_an_attached_program_running(
    session: Session, newest_spin: SpinProcess, number: signal.Signals
) -> None:
    session.checks_conversation = False
    session.attach(newest_spin.process_id)
    session.pause()
    os.kill(session.process.process_id, number)
    assert session.process.wait(5) == 128 + number
    newest_spin.stop()


def test_program_that_waits_for_a_tool_starts_when_it_is_attached_to(
    session: Session, place: Place, runtime: Runtime
) -> None:
    if runtime.id == "net3.1":
        pytest.skip(".NET Core 3.1 knows no such thing, and starts at once")
    program = programs.build("Spin", runtime)
    environment = {**program.environment(), **place.environment, "DOTNET_DefaultDiagnosticPortSuspend": "1"}
    with subprocess.Popen(
        [*program.command, str(place.folder / "stop-spin")], env=environment, stdout=subprocess.PIPE
    ) as process:
        try:
            socket = f"dotnet-diagnostic-{process.pid}-"
            wait_until(lambda: any(name.startswith(socket) for name in place.files()), "its diagnostic port")
            session.attach(process.pid, breakpoints={str(program.source): [program.line("round")]})
            session.wait_for_stop()
            assert len([event for event in session.events("output") if "it starts now" in event["output"]]) == 1
            session.disconnect()
            (
                place.folder / "stop-spin"
            ).touch()  # not before: a program that ends meanwhile is let go of in another way
            assert session.process.wait(10) == 0
            assert process.wait(10) == 0
        finally:
            process.kill()


def test_second_debugger_learns_of_the_first(
    spin: SpinProcess, session: Session, open_session: Callable[..., Session]
) -> None:
    session.attach(spin.process_id)
    second = open_session()
    with pytest.raises(DapRequestError) as refused:
        second.attach(spin.process_id)
    assert refused.value.code == "ALREADY_DEBUGGED"
    assert str(session.process.process_id) in refused.value.text
    # The first is not disturbed.
    assert session.pause().reason == "pause"
    session.disconnect()


def test_of_two_debuggers_at_once_one_gets_the_program(spin: SpinProcess, open_session: Callable[..., Session]) -> None:
    # Both could take the runtime's pipes, as was seen on 3.1, and neither got an answer.
    for _ in range(50 if LONG else 2):
        both = [open_session() for _ in range(2)]
        for one in both:
            one.initialize()
        at_once = threading.Barrier(2)

        def attach(one: Session, at_once: threading.Barrier = at_once) -> str:
            at_once.wait()
            try:
                one.attach(spin.process_id)
            except DapRequestError as error:
                return error.code
            return "attached"

        with ThreadPoolExecutor(2) as threads:
            assert sorted(threads.map(attach, both)) == ["ALREADY_DEBUGGED", "attached"]
        for one in both:
            one.disconnect()
            assert one.process.wait(10) == 0


def test_attach_to_a_process_that_is_gone(session: Session) -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    assert_refused(session, gone.pid, "NO_PROCESS", "dap-dotnet ps")


@pytest.mark.parametrize("process_id", [0, -1, 2**31 - 1, 2**40])
def test_attach_to_an_impossible_process(session: Session, process_id: int) -> None:
    assert_refused(session, process_id, "NO_PROCESS", "dap-dotnet ps")


def test_attach_to_something_else_than_dotnet(session: Session) -> None:
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        try:
            assert_refused(session, sleeper.pid, "NOT_DOTNET", "dap-dotnet ps")
            assert sleeper.poll() is None
        finally:
            sleeper.kill()


def test_attach_to_the_adapter_itself(session: Session) -> None:
    assert_refused(session, session.process.process_id, "NOT_DOTNET", "dap-dotnet ps")


def test_attach_where_diagnostics_are_disabled(session: Session, runtime: Runtime, place: Place) -> None:
    environment = {**place.environment, "DOTNET_EnableDiagnostics": "0", "COMPlus_EnableDiagnostics": "0"}
    with spinning(programs.build("Spin", runtime), place.folder, environment) as process:
        assert_refused(session, process.process_id, "DIAGNOSTICS_DISABLED", "EnableDiagnostics")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program as somebody else")
def test_attach_without_permission(place: Place, open_session: Callable[..., Session]) -> None:
    as_nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all"]
    try:
        refused = subprocess.run([*as_nobody, "cat", "/proc/1/environ"], capture_output=True, check=False).returncode
    except FileNotFoundError:
        refused = 0
    if not refused:
        pytest.skip("there is no setpriv, or nobody may read the processes of root here")
    os.chmod(place.folder, 0o777)
    session = open_session(prefix=as_nobody)
    assert_refused(session, 1, "NO_PERMISSION", "root")


@pytest.mark.parametrize("arguments", [{}, {"processId": "abc"}, {"processId": None}, {"processId": [1]}])
def test_attach_without_a_usable_process_id(session: Session, arguments: dict[str, object]) -> None:
    session.initialize()
    with pytest.raises(DapRequestError, match="processId"):
        session.request("attach", arguments)
    session.disconnect()


def assert_refused(session: Session, process_id: int, code: str, remedy: str) -> None:
    with pytest.raises(DapRequestError) as refused:
        session.attach(process_id)
    assert refused.value.code == code
    assert remedy in refused.value.text
    # Such a session is over: the client is notified, and can go.
    session.wait_for("terminated")
    session.disconnect()
    assert session.process.wait(5) == 0


def remove_traces(place: Place) -> None:
    """A runtime that is killed leaves its pipes, debugger or not."""
    for name in place.files():
        (place.folder / name).unlink(missing_ok=True)


def test_pause_right_after_an_attach_sees_the_whole_program(
    spin: SpinProcess, open_session: Callable[..., Session]
) -> None:
    for _ in range(5):
        session = open_session()
        session.attach(spin.process_id)
        stop = session.pause()
        assert "Spin.dll" in {module["name"] for module in session.request("modules", {})["modules"]}
        frames = session.stack(stop.thread_id)
        assert any(frame.name == "Spin.Program.Main(string[] args)" and frame.line > 0 for frame in frames)
        session.disconnect()
    spin.stop()


def test_end_of_an_attached_program_has_its_exit_code(session: Session, newest_spin: SpinProcess) -> None:
    session.attach(newest_spin.process_id)
    newest_spin.stop()
    session.wait_for("terminated")
    if KERNEL_TELLS:
        assert [body["exitCode"] for body in session.events("exited")] == [0]


def test_kill_of_an_attached_program_has_its_exit_code(session: Session, newest_spin: SpinProcess) -> None:
    session.attach(newest_spin.process_id)
    os.kill(newest_spin.process_id, signal.SIGKILL)
    session.wait_for("terminated")
    if KERNEL_TELLS:
        assert [body["exitCode"] for body in session.events("exited")] == [128 + signal.SIGKILL]
    remove_traces(session.place)
