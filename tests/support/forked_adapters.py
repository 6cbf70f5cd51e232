"""Adapters for tests that are not about how one starts: forked from a process that has imported everything.

Of the processor time of a short session the imports are more than half. What runs is the installed package in a
process of its own, as ever; only its command line, its first environment (/proc/PID/environ) and its parent are those
of the process that forks.
"""

from __future__ import annotations

import atexit
import functools
import io
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from dap_dotnet.client.adapter import AdapterProcess

CAN_FORK = hasattr(os, "pidfd_open") and hasattr(signal, "pidfd_send_signal")
"""Whether this system and this Python have what it takes."""
FORKER = Path(__file__).with_name("adapter_forks.py")


class ForkedAdapter(AdapterProcess):
    """A forked adapter. `command` is its command line without the program."""

    def _start(self, command: Sequence[str], cwd: str | None, env: Mapping[str, str] | None) -> _ForkedProcess:
        wanted = {"arguments": list(command), "folder": cwd or os.getcwd(), "environment": dict(env or os.environ)}
        return _ForkedProcess(json.dumps(wanted).encode())

    def _watch(self, timeout_s: float) -> float:
        return timeout_s  # its `wait` does not look again and again


class _ForkedProcess:
    """What is used of `subprocess.Popen`, of a process that is not a child of this one."""

    def __init__(self, wanted: bytes) -> None:
        (input_, stdin), (stdout, output), (stderr, errors) = os.pipe(), os.pipe(), os.pipe()
        self._outcome, sent = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        passed = [input_, output, errors, sent.fileno()]
        with sent:
            socket.send_fds(_forker(), [wanted], passed)
        for descriptor in passed[:-1]:
            os.close(descriptor)
        self.stdin = io.FileIO(stdin, "w")
        self.stdout = io.FileIO(stdout)
        self.stderr = io.FileIO(stderr)
        process_id, (self._process, *_), _, _ = socket.recv_fds(self._outcome, 64, 1)
        self.pid = int(process_id)
        self.returncode: int | None = None

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, as `subprocess.Popen.wait` has it. Raises `subprocess.TimeoutExpired`."""
        if self.returncode is None:
            poll = select.poll()
            poll.register(self._outcome, select.POLLIN)
            if not poll.poll(None if timeout is None else timeout * 1000):
                raise subprocess.TimeoutExpired("the forked adapter", timeout or 0.0)
            self.returncode = int(self._outcome.recv(64))
            self._outcome.close()
            os.close(self._process)
        return self.returncode

    def kill(self) -> None:
        """End it at once. Harmless when it has ended."""
        if self.returncode is None:
            try:
                signal.pidfd_send_signal(self._process, signal.SIGKILL)
            except ProcessLookupError:
                pass


@functools.cache
def _forker() -> socket.socket:
    """The connection to this process's forker, which is started by the first call."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there:
        process = subprocess.Popen(
            [sys.executable, str(FORKER), str(there.fileno())],
            stdin=subprocess.DEVNULL,
            pass_fds=[there.fileno()],
            start_new_session=True,
        )

    def end() -> None:
        here.close()
        process.wait()

    atexit.register(end)
    return here
