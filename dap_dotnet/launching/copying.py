"""Starts the process that makes copies of another one: the launcher program, with --copy."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dap_dotnet.launching.spawning import spawn_controlled

if TYPE_CHECKING:
    from dap_dotnet.runtime.copies import Copier

_END_S = 3.0
"""How long it may take to end all copies."""
_POLL_S = 0.001


def start_copier(process_id: int, *, parent_reaps: bool, program: Path | None = None) -> Copier:
    """Who makes copies of a process; to be closed. With `parent_reaps` the process's parent is our launcher process.

    Copies are invisible to the process: they are its parent's children where that is ours, else its own, which no call
    of the C library tells it of. Raises `InternalError` when the launcher program is missing, and as `Copier`.
    """
    from dap_dotnet.runtime.copies import Copier

    ours, launcher = _spawn(process_id, parent_reaps=parent_reaps, program=program)
    copier = Copier(process_id, ours.detach())

    def wait(copies: list[int]) -> None:
        if _ended_by_signal(launcher) and not parent_reaps:
            _have_reaped(process_id, copies, program)

    copier.on_closed = wait
    return copier


def _spawn(process_id: int, *, parent_reaps: bool, program: Path | None) -> tuple[socket.socket, int]:
    reaping = ["--parent-reaps", "yes"] if parent_reaps else []
    return spawn_controlled(program, ["--copy", str(process_id), *reaping], {})


def _ended_by_signal(launcher: int) -> bool:
    """Wait for it, for a while; whether somebody has killed it."""
    deadline = time.monotonic() + _END_S
    while time.monotonic() < deadline:
        try:
            waited, status = os.waitpid(launcher, os.WNOHANG)
        except ChildProcessError:
            return False  # somebody else in this process waited for it
        if waited:
            return os.WIFSIGNALED(status)
        time.sleep(_POLL_S)
    return False


def _have_reaped(process_id: int, copies: list[int], program: Path | None) -> None:
    """Have the process wait for copies whose copier was killed: they have ended, and would stay in its list."""
    control, launcher = _spawn(process_id, parent_reaps=False, program=program)
    with control:
        control.sendall("".join(f"reap {copy}\n" for copy in copies).encode())
    _ended_by_signal(launcher)
