"""The port at which child processes wait, kept by the real launcher program; runtimes are played by sockets."""

from __future__ import annotations

import os
import queue
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.child_port import ChildPort, claim_child
from tests.unit.launching.helpers import DEADLINE_SECONDS, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
RESUME = b"DOTNET_IPC_V1\0" + bytes([0x14, 0, 4, 1, 0, 0])
OWN_ID = os.getpid()


class Heard:
    """What the port has said."""

    def __init__(self) -> None:
        self.lines: queue.Queue[tuple[str, int]] = queue.Queue()

    def suspended(self, process_id: int) -> None:
        self.lines.put(("suspended", process_id))

    def claimed(self, process_id: int) -> None:
        self.lines.put(("claimed", process_id))

    def gone(self, process_id: int) -> None:
        self.lines.put(("gone", process_id))

    def next(self) -> tuple[str, int]:
        return self.lines.get(timeout=DEADLINE_SECONDS)


class FakeRuntime:
    """Calls a port as a runtime does, with this process's id."""

    def __init__(self, path: str, cookie: int = 1) -> None:
        self.call = b"ADVR_V1\0" + bytes([cookie]) * 16 + OWN_ID.to_bytes(8, "little") + b"\0\0"
        self.path = path
        self.connect()

    def connect(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE_SECONDS)
        self.socket.connect(self.path)
        self.socket.sendall(self.call)

    def is_resumed(self) -> bool:
        """Waits for the word; False when the port hangs up instead."""
        return self.socket.recv(len(RESUME), socket.MSG_WAITALL) == RESUME

    def is_left_in_peace(self) -> bool:
        self.socket.settimeout(0.1)
        try:
            return bool(self.socket.recv(1)) and False
        except TimeoutError:
            return True


@pytest.fixture
def heard():
    return Heard()


@pytest.fixture
def port(launcher_program, heard):
    opened = ChildPort(heard, program=launcher_program)
    yield opened
    opened.close()
    wait_until(lambda: not os.path.exists(os.path.dirname(opened.path)), "the end of the port")


def test_runtime_waits_until_it_is_told_to_go_on(port, heard):
    runtime = FakeRuntime(port.path)
    assert heard.next() == ("suspended", OWN_ID)
    assert runtime.is_left_in_peace()
    port.resume(OWN_ID)
    runtime.socket.settimeout(DEADLINE_SECONDS)
    assert runtime.is_resumed()
    runtime.socket.close()


def test_runtime_that_calls_again_is_not_held_again(port, heard):
    runtime = FakeRuntime(port.path)
    heard.next()
    port.resume(OWN_ID)
    assert runtime.is_resumed()
    runtime.socket.close()
    runtime.connect()
    assert runtime.is_left_in_peace()
    assert heard.lines.empty()
    runtime.socket.close()


def test_program_itself_passes(port, heard):
    port.let_pass(OWN_ID)
    runtime = FakeRuntime(port.path)
    assert runtime.is_resumed()
    assert heard.lines.empty()
    runtime.socket.close()


def test_debugger_claims_a_process_and_lets_it_go_on(port, heard):
    runtime = FakeRuntime(port.path)
    heard.next()
    child = claim_child(port.path, OWN_ID)
    assert child is not None
    assert heard.next() == ("claimed", OWN_ID)
    assert claim_child(port.path, OWN_ID) is None, "it has a debugger"
    port.resume(OWN_ID)  # does nothing: the debugger is not ready
    assert runtime.is_left_in_peace()
    child.resume()
    runtime.socket.settimeout(DEADLINE_SECONDS)
    assert runtime.is_resumed()
    runtime.socket.close()


def test_process_goes_on_when_its_debugger_hangs_up(port, heard):
    runtime = FakeRuntime(port.path)
    heard.next()
    child = claim_child(port.path, OWN_ID)
    assert child is not None
    child.close()
    assert runtime.is_resumed()
    runtime.socket.close()


def test_process_that_ends_while_it_waits_is_reported(port, heard):
    runtime = FakeRuntime(port.path)
    heard.next()
    runtime.socket.close()
    assert heard.next() == ("gone", OWN_ID)
    assert claim_child(port.path, OWN_ID) is None


def test_process_that_ends_before_its_debugger_is_ready_is_an_error(port, heard):
    runtime = FakeRuntime(port.path)
    heard.next()
    child = claim_child(port.path, OWN_ID)
    assert child is not None
    assert heard.next() == ("claimed", OWN_ID)
    runtime.socket.close()
    assert heard.next() == ("gone", OWN_ID)
    with pytest.raises(LaunchError, match="ended"):
        child.resume()


def test_nobody_waits_for_an_adapter_that_is_gone(port, heard):
    waiting = FakeRuntime(port.path)
    heard.next()
    port.close()
    late = FakeRuntime(port.path, cookie=2)
    assert late.is_resumed(), "new ones are not held"
    assert waiting.is_resumed(), "those that waited go on, after a while"
    late.socket.close()
    waiting.socket.close()


def test_debugger_may_still_come_after_the_end_of_the_adapter(port, heard):
    runtime = FakeRuntime(port.path)
    heard.next()
    port.close()
    child = claim_child(port.path, OWN_ID)
    assert child is not None
    child.resume()
    assert runtime.is_resumed()
    runtime.socket.close()


def test_port_stays_as_long_as_somebody_may_call(port, heard):
    environment = {"PATH": os.environ["PATH"], "DOTNET_DiagnosticPorts": port.variable({})}
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, env=environment) as may_call:
        wait_until(lambda: b"DOTNET_" in Path(f"/proc/{may_call.pid}/environ").read_bytes(), "its exec")
        port.close()
        for cookie in range(1, 6):  # over more looks than one
            runtime = FakeRuntime(port.path, cookie)
            assert runtime.is_resumed()
            runtime.is_left_in_peace()
            runtime.socket.close()


@pytest.mark.parametrize(
    "garbage", [b"", b"\0" * 34, b"GET / HTTP/1.1\r\n\r\n" * 100, b"ADVR_V1\0", b"DAPCLM1\0" + b"\xff" * 26]
)
def test_peers_that_say_anything_else_change_nothing(port, heard, garbage):
    other = socket.socket(socket.AF_UNIX)
    other.connect(port.path)
    other.sendall(garbage)
    runtime = FakeRuntime(port.path)
    assert heard.next() == ("suspended", OWN_ID)
    port.resume(OWN_ID)
    assert runtime.is_resumed()
    runtime.socket.close()
    other.close()


def test_hundreds_of_processes_wait_at_once(port, heard):
    runtimes = []
    for number in range(250):
        runtime = FakeRuntime(port.path, number)
        runtimes.append(runtime)
    for _ in runtimes:
        assert heard.next() == ("suspended", OWN_ID)  # one that is not known to wait cannot be told to go on
    for _ in runtimes:
        port.resume(OWN_ID)
    assert all(runtime.is_resumed() for runtime in runtimes)
    for runtime in runtimes:
        runtime.socket.close()


def test_variable_keeps_ports_that_are_named_already(port):
    own = f"{port.path},connect,suspend"
    assert port.variable({}) == own
    assert port.variable({"DOTNET_DiagnosticPorts": "/tmp/monitor,nosuspend;"}) == f"/tmp/monitor,nosuspend;{own}"


def test_no_port_without_a_folder_for_it(monkeypatch, launcher_program, heard):
    monkeypatch.setattr("tempfile.tempdir", "/no/such,folder")
    monkeypatch.setattr("dap_dotnet.launching.child_port.DEFAULT_TEMPORARY_FOLDER", "/no/such/folder")
    with pytest.raises(LaunchError, match="none can be created"):
        ChildPort(heard, program=launcher_program)
