"""Runtimes that wait at their start for a diagnostic tool: telling them to go on, or saying whom they wait for.

The message is one of the Diagnostic IPC Protocol (dotnet/diagnostics, documentation/design-docs/ipc-protocol.md). Such
a runtime makes its pipes for a debugger only when it goes on.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import struct
import time
from collections.abc import Iterator, Mapping

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import procfs

RESUMED = "The process waited for a diagnostic tool (DOTNET_DefaultDiagnosticPortSuspend); it starts now.\n"
_PREFIXES = ("DOTNET_", "COMPlus_")
HEADER = struct.Struct("<14sHBBH")
"""Magic, size with the header, command set, command id, reserved."""
MAGIC = b"DOTNET_IPC_V1\0"
_RESUME_RUNTIME = HEADER.pack(MAGIC, HEADER.size, 0x04, 0x01, 0)
OK = (0xFF, 0x00)
"""Command set and id of a good answer. A runtime that knows no such command, .NET Core 3.1, says otherwise."""
_ANSWER_S = 2.0
_OTHER_TOOL_S = 1.0
"""How long the tool of another port may take to let the runtime go on."""


def resume_if_suspended(process_id: int, folder: str) -> bool:
    """Let a runtime go on that waits at its start (DOTNET_DefaultDiagnosticPortSuspend); whether it did wait.

    `folder` is the process's TMPDIR. Raises LaunchError when it waits for the tool of another port
    (DOTNET_DiagnosticPorts), and ProcessLookupError and PermissionError as `procfs` does.
    """
    environment = procfs.environment_of(process_id)
    suspends = _suspends_default_port(environment)
    other = _suspending_port(environment)
    if not (suspends or other) or procfs.has_debugger_pipe(process_id, folder):
        return False
    is_resumed = suspends and _resume(process_id, folder)
    if other is not None:
        _wait_for_other_tool(process_id, folder, other)
    return is_resumed


def _suspends_default_port(environment: Mapping[str, str]) -> bool:
    """The runtime reads its numbers as hexadecimal, and DOTNET_ before COMPlus_."""
    for prefix in _PREFIXES:
        value = environment.get(prefix + "DefaultDiagnosticPortSuspend")
        if value is not None:
            try:
                return int(value, 16) != 0
            except ValueError:
                return False
    return False


def _suspending_port(environment: Mapping[str, str]) -> str | None:
    """The first port of DOTNET_DiagnosticPorts that suspends, as all do that do not say otherwise."""
    for prefix in _PREFIXES:
        for port in environment.get(prefix + "DiagnosticPorts", "").split(";"):
            address, *options = (part.strip() for part in port.split(","))
            if address and "nosuspend" not in (option.lower() for option in options):
                return address
    return None


def _resume(process_id: int, folder: str) -> bool:
    """False where nobody answers on a socket of the process's own."""
    for connection in connections(process_id, folder, timeout_s=_ANSWER_S):
        with contextlib.suppress(OSError):
            connection.sendall(_RESUME_RUNTIME)
            answer = connection.recv(HEADER.size)
            if len(answer) == HEADER.size and HEADER.unpack(answer)[2:4] == OK:
                return True
    return False


def connections(process_id: int, folder: str, *, timeout_s: float) -> Iterator[socket.socket]:
    """Connections to the diagnostics server of a process's runtime: to sockets of its own, closed afterwards.

    `folder` is the process's TMPDIR. Raises as `procfs` does.
    """
    owner = procfs.owner_of(process_id)
    place = procfs.PROC / str(process_id) / "root" / folder.lstrip("/")
    for path in place.glob(f"dotnet-diagnostic-{procfs.id_inside_namespace(process_id)}-*-socket"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            try:
                status = os.lstat(path)
                if not stat.S_ISSOCK(status.st_mode) or status.st_uid != owner:
                    continue
                connection.settimeout(timeout_s)
                connection.connect(str(path))
            except OSError:
                continue  # what a process before it with this number has left
            yield connection


def _wait_for_other_tool(process_id: int, folder: str, port: str) -> None:
    deadline = time.monotonic() + _OTHER_TOOL_S
    while not procfs.has_debugger_pipe(process_id, folder):
        if procfs.has_ended(process_id):
            raise ProcessLookupError(process_id)
        if time.monotonic() > deadline:
            raise LaunchError(
                f"Process {process_id} waits at its start for a diagnostic tool at {port} (DOTNET_DiagnosticPorts). "
                "Start that tool, or start the process with ',nosuspend' after that port.",
                code="SUSPENDED",
            )
        time.sleep(0.01)
