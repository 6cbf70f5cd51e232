"""A diagnostic port for the .NET processes that a program starts: each waits there, at its start, for a debugger.

The runtime calls the Unix socket that DOTNET_DiagnosticPorts names before it opens its debugger interface, and goes on
when it is told to (.NET 6 and later). The launcher program keeps the socket (cordebug_shim/launcher/port.h), so that
nobody waits for an adapter that is gone.
"""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from dap_dotnet.errors import InternalError, LaunchError
from dap_dotnet.launching.environment import DEFAULT_TEMPORARY_FOLDER
from dap_dotnet.launching.spawning import launcher_path, spawn_launcher

VARIABLE = "DOTNET_DiagnosticPorts"
_CONTROL_FD, _PORT_FD = 3, 4
_START_TIMEOUT_S = 10.0
_ANSWER_TIMEOUT_S = 5.0
_LONGEST_PATH = 100
"""Bytes; the kernel takes 107 in the name of a socket."""
_NEVER_IN_PATHS = frozenset(",;")
"""They separate the parts of the variable's value."""
_CLAIM = b"DAPCLM1\0"
_CALL_SIZE = 34


class PortListener(Protocol):
    """What happens at the port. Called on the port's own thread."""

    def suspended(self, process_id: int) -> None:
        """A .NET process of this user waits at its start."""

    def claimed(self, process_id: int) -> None:
        """A debugger has come for it, and will let it go on."""

    def gone(self, process_id: int) -> None:
        """It has ended while it waited."""


class ChildPort:
    """One port, for one program and its descendants. Any thread may call."""

    def __init__(self, listener: PortListener, *, program: Path | None = None) -> None:
        """Open the port. `program` is the launcher program, by default the installed one.

        Raises `LaunchError` where no socket can be made, `InternalError` when the launcher program does not start.
        """
        self._listener = listener
        self.path, door = _listen()
        ours, theirs = socket.socketpair()
        sink = os.open(os.devnull, os.O_WRONLY)
        arguments = ["--control", str(_CONTROL_FD), "--port", str(_PORT_FD), "--port-path", self.path]
        descriptors = {1: sink, 2: sink, _CONTROL_FD: theirs.fileno(), _PORT_FD: door.fileno()}
        try:
            # Without variables: its own must not look like those of a process that may call.
            self._keeper_process_id = spawn_launcher(program or launcher_path(), arguments, {}, descriptors)
        except BaseException:
            ours.close()
            remove_port(self.path)
            raise
        finally:
            os.close(sink)
            theirs.close()
            door.close()
        self._control = ours
        self._lines = ours.makefile("r", encoding="ascii")
        ours.settimeout(_START_TIMEOUT_S)
        if not self._has_begun():
            self._lines.close()
            ours.close()
            remove_port(self.path)
            raise InternalError("The launcher program does not keep the port for child processes.")
        ours.settimeout(None)
        threading.Thread(target=self._read_lines, name="child port", daemon=True).start()

    def variable(self, environment: Mapping[str, str]) -> str:
        """The value of `VARIABLE` for a program whose environment is to be this: ports that it names already stay."""
        others = environment.get(VARIABLE, "")
        own = f"{self.path},connect,suspend"
        return f"{others.rstrip(';')};{own}" if others else own

    def let_pass(self, process_id: int) -> None:
        """This process is not to wait: the program itself. Before it starts."""
        self._send(f"pass {process_id}")

    def resume(self, process_id: int) -> None:
        """Let a process go on without a debugger. Nothing happens to one that does not wait, or that has one."""
        self._send(f"resume {process_id}")

    def close(self) -> None:
        """Hold nobody any more. Those that wait go on within seconds, unless a debugger comes for them. Idempotent."""
        try:
            self._control.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the keeper is gone, or this was done before

    def _has_begun(self) -> bool:
        try:
            return self._lines.readline() == "keeping\n"
        except OSError:
            return False

    def _send(self, line: str) -> None:
        try:
            self._control.sendall(f"{line}\n".encode())
        except OSError:
            pass  # closed: nobody waits

    def _read_lines(self) -> None:
        calls = {
            "suspended": self._listener.suspended,
            "claimed": self._listener.claimed,
            "gone": self._listener.gone,
        }
        with self._control, self._lines:
            try:
                for line in self._lines:
                    word, _, number = line.partition(" ")
                    if word in calls:
                        calls[word](int(number))
            except OSError:
                pass
        try:
            os.waitpid(self._keeper_process_id, 0)
        except ChildProcessError:
            pass  # somebody else in this process waited for it


class ClaimedChild:
    """A process that waits at a port, and that is ours to debug. It goes on when this is closed, at the latest."""

    def __init__(self, connection: socket.socket) -> None:
        """Use `claim_child`."""
        self._connection = connection

    def resume(self) -> None:
        """Let its runtime go on. Raises `LaunchError` when the process has ended."""
        try:
            self._connection.sendall(b"g")
            answer = self._connection.recv(1)
        except OSError:
            answer = b""
        finally:
            self.close()
        if answer != b"d":
            raise LaunchError("The process ended before it could be debugged.", code="NO_PROCESS")

    def close(self) -> None:
        """Idempotent."""
        self._connection.close()


def claim_child(port: str, process_id: int) -> ClaimedChild | None:
    """Come for a process that waits at the port of this path; None when it does not wait there (any more)."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(_ANSWER_TIMEOUT_S)
        connection.connect(port)
        connection.sendall((_CLAIM + process_id.to_bytes(8, "little")).ljust(_CALL_SIZE, b"\0"))
        if connection.recv(1) == b"y":
            return ClaimedChild(connection)
    except (OSError, ValueError, OverflowError):
        pass  # no such port: its session is over
    connection.close()
    return None


def remove_port(path: str) -> None:
    """Remove the socket and its folder, where nobody keeps them."""
    try:
        os.unlink(path)
        os.rmdir(os.path.dirname(path))
    except OSError:
        pass


def _listen() -> tuple[str, socket.socket]:
    """A new socket, and its path. Descendants of every user may call: one that could not would wait for ever."""
    problem = "its path is too long"
    for parent in dict.fromkeys((tempfile.gettempdir(), DEFAULT_TEMPORARY_FOLDER)):
        if len(os.fsencode(parent)) > _LONGEST_PATH - len("/dap-dotnet-12345678/children") or (
            _NEVER_IN_PATHS & set(parent)
        ):
            continue
        try:
            return _listen_in(parent)
        except OSError as error:
            problem = f"{parent}: {error.strerror or error}"
    raise LaunchError(
        f"autoAttachChildProcesses needs a socket in a temporary folder, and none can be created ({problem}). Set "
        "TMPDIR for dap-dotnet to a folder with a short path that is writable."
    )


def _listen_in(parent: str) -> tuple[str, socket.socket]:
    folder = tempfile.mkdtemp(prefix="dap-dotnet-", dir=parent)
    path = os.path.join(folder, "children")
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        door.bind(path)
        os.chmod(path, 0o666)
        os.chmod(folder, 0o711)
        door.listen(1024)
    except OSError:
        door.close()
        remove_port(path)
        raise
    return path, door
