"""A guardian for a process that was attached to: it goes on running even if this adapter is killed.

A .NET process whose debugger dies without detaching stops at its next debug event, forever. The launcher program,
started with --watch, notices that the adapter has ended and detaches in its place.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

from dap_dotnet.errors import InternalError
from dap_dotnet.launching.spawning import spawn_controlled

_START_TIMEOUT_SECONDS = 5.0
_LOG_VARIABLE = "DAP_DOTNET_GUARDIAN_LOG"
"""Names a file to which guardians append what they do (launcher/journal.h)."""


class Guardian:
    """One launcher process that guards one debuggee. Any thread may call."""

    def __init__(self, process_id: int, temporary_folder: str, *, program: Path | None = None) -> None:
        """Begin to guard a process that is about to be attached to; `temporary_folder` is its TMPDIR.

        Raises InternalError when the launcher program is missing or does not start.
        """
        environment = {"TMPDIR": temporary_folder}
        if _LOG_VARIABLE in os.environ:
            environment[_LOG_VARIABLE] = os.environ[_LOG_VARIABLE]
        ours, self._launcher_process_id = spawn_controlled(program, ["--watch", str(process_id)], environment)
        self._control: socket.socket | None = ours
        ours.settimeout(_START_TIMEOUT_SECONDS)
        if not self._has_begun():
            self.release()
            raise InternalError(f"The launcher program does not guard process {process_id}.")

    def attached(self) -> None:
        """Say that the process is under our control."""
        self._send(b"attached\n")

    def free_unanswering(self) -> bool:
        """Say that the runtime did not answer; whether it takes debuggers again, and the program runs. Stops guarding.

        A runtime whose debugger was lost in the middle of a session waits for that one, and takes no other: the
        launcher takes its place and detaches. Waits for that, some seconds where the runtime does not answer at all.
        """
        if self._control is None:
            return False
        self._send(b"unanswered\n")
        self._control.close()
        self._control = None
        try:
            _, status = os.waitpid(self._launcher_process_id, 0)
        except ChildProcessError:
            return False  # somebody else in this process waited for it
        return os.waitstatus_to_exitcode(status) == 0

    def release(self, *, runs: bool = False) -> None:
        """Stop guarding: the process was detached from, or has ended. Idempotent; waits for the launcher's end.

        The launcher first sees to it that the process runs, unless that is known (`runs`): where it does nothing, it
        comes as a debugger once more, for which the runtime opens two more descriptors that it never closes.
        """
        if self._control is None:
            return
        self._send(b"runs\nrelease\n" if runs else b"release\n")
        self._control.close()
        self._control = None
        try:
            os.waitpid(self._launcher_process_id, 0)
        except ChildProcessError:
            pass  # somebody else in this process waited for it

    def _send(self, line: bytes) -> None:
        if self._control is not None:
            try:
                self._control.sendall(line)
            except OSError:
                pass  # somebody killed the launcher

    def _has_begun(self) -> bool:
        assert self._control is not None
        try:
            return self._control.recv(64).startswith(b"watching")
        except OSError:
            return False
