"""Runtimes that wait for a diagnostic tool, played by a socket and a made-up /proc."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from pathlib import Path

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import diagnostic_port, procfs
from dap_dotnet.launching.diagnostic_port import resume_if_suspended

PROCESS = 100
SUSPENDED = "DOTNET_DefaultDiagnosticPortSuspend"
OK = b"DOTNET_IPC_V1\0\x18\0\xff\0\0\0\0\0\0\0"


class Suspended:
    """One process that waits; `asked` is what its diagnostic port was sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = folder / "tmp"
        self.place.mkdir()
        self.asked: list[bytes] = []
        self.answer = OK
        process = folder / str(PROCESS)
        process.mkdir()
        (process / "root").symlink_to("/")
        (process / "status").write_text(f"Uid:\t0\t{os.geteuid()}\t0\t0\nNSpid:\t{PROCESS}\n")
        (process / "stat").write_text(f"{PROCESS} (dotnet) S 1")
        self.variables()
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(self.place / f"dotnet-diagnostic-{PROCESS}-4711-socket"))
        self.socket.listen()
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()

    def variables(self, **variables: str) -> None:
        text = "".join(f"{name}={value}\0" for name, value in variables.items())
        (self.folder / str(PROCESS) / "environ").write_text(text)

    def goes_on(self) -> None:
        (self.place / f"clr-debug-pipe-{PROCESS}-4711-in").touch()

    def resume(self) -> bool:
        return resume_if_suspended(PROCESS, str(self.place))

    def _answer(self) -> None:
        while True:
            connection, _ = self.socket.accept()
            with connection:
                message = connection.recv(100)
                if not message:
                    return
                self.asked.append(message)
                connection.sendall(self.answer)

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX) as last:
            last.connect(self.socket.getsockname())
        self._thread.join()
        self.socket.close()


@pytest.fixture
def suspended(monkeypatch):
    with tempfile.TemporaryDirectory() as folder:  # short: a socket's path has at most 107 characters
        monkeypatch.setattr(procfs, "PROC", Path(folder))
        process = Suspended(Path(folder))
        yield process
        process.close()


@pytest.mark.parametrize("variable", [SUSPENDED, "COMPlus_DefaultDiagnosticPortSuspend"])
def test_suspended_runtime_is_told_to_go_on(suspended, variable):
    suspended.variables(**{variable: "1"})
    assert suspended.resume()
    assert suspended.asked == [b"DOTNET_IPC_V1\0" + bytes([20, 0, 4, 1, 0, 0])]


@pytest.mark.parametrize("answer", [OK.replace(b"\xff\0", b"\xff\xff"), b"", b"DOTNET"])
def test_runtime_that_knows_no_such_command_does_not_wait(suspended, answer):
    suspended.answer = answer
    suspended.variables(**{SUSPENDED: "1"})
    assert not suspended.resume()


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {SUSPENDED: "0"},
        {SUSPENDED: "yes"},
        {SUSPENDED: "0", "COMPlus_DefaultDiagnosticPortSuspend": "1"},
        {"DOTNET_DiagnosticPorts": "/tmp/a,nosuspend"},
        {"DOTNET_DiagnosticPorts": ""},
    ],
)
def test_runtime_that_does_not_wait_is_left_alone(suspended, variables):
    suspended.variables(**variables)
    assert not suspended.resume()
    assert suspended.asked == []


def test_runtime_that_has_gone_on_is_left_alone(suspended):
    suspended.variables(**{SUSPENDED: "1", "DOTNET_DiagnosticPorts": "/tmp/a"})
    suspended.goes_on()
    assert not suspended.resume()
    assert suspended.asked == []


def test_socket_of_somebody_else_is_told_nothing(suspended, monkeypatch):
    suspended.variables(**{SUSPENDED: "1"})
    monkeypatch.setattr(procfs, "owner_of", lambda _: os.geteuid() + 1)
    assert not suspended.resume()
    assert suspended.asked == []


@pytest.mark.parametrize("port", ["/run/a.sock", "/run/a.sock,connect,suspend", "a,nosuspend; /run/a.sock"])
def test_runtime_that_waits_for_another_tool_says_for_which(suspended, monkeypatch, port):
    monkeypatch.setattr(diagnostic_port, "_OTHER_TOOL_S", 0.05)
    suspended.variables(DOTNET_DiagnosticPorts=port)
    with pytest.raises(LaunchError, match=r"at /run/a\.sock") as refused:
        suspended.resume()
    assert refused.value.code == "SUSPENDED"
    assert suspended.asked == []


def test_other_tool_may_come_in_time(suspended, monkeypatch):
    monkeypatch.setattr(diagnostic_port, "_OTHER_TOOL_S", 60.0)
    monkeypatch.setattr(diagnostic_port.time, "sleep", lambda _: suspended.goes_on())
    suspended.variables(DOTNET_DiagnosticPorts="/run/a.sock")
    assert not suspended.resume()
