"""The adapter as a child process."""

from __future__ import annotations

import io
import os
import select
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from typing import IO, Any, Protocol

from dap_dotnet.protocol.transport import ByteReader, ByteWriter

KILL_AFTER_S = 5.0
"""How long an adapter has to end by itself once its input is closed."""
_LAST_LINES_S = 1.0
"""How long its standard error may take to arrive after its end."""


def adapter_command(options: Sequence[str] = ()) -> list[str]:
    """The command that starts this very dap-dotnet as an adapter, whatever folder it is started in."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    # Not `-m`: it would search the current folder, the user's, for modules first.
    code = (
        f"import sys; sys.path.pop(0); sys.path.append({root!r}); "
        "from dap_dotnet.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    return [sys.executable, "-c", code, *options]


class _Process(Protocol):
    """What is used of `subprocess.Popen`."""

    pid: int

    @property
    def stdin(self) -> IO[bytes] | io.FileIO | None: ...
    @property
    def stdout(self) -> IO[bytes] | io.FileIO | None: ...
    @property
    def stderr(self) -> IO[bytes] | io.FileIO | None: ...
    @property
    def returncode(self) -> int | Any: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def kill(self) -> None: ...


class AdapterProcess:
    """A running adapter. The end of its error output is kept."""

    def __init__(self, command: Sequence[str], *, cwd: str | None = None, env: Mapping[str, str] | None = None) -> None:
        """Start it, in a session of its own: a terminal's Ctrl-C is for the client to handle.

        Raises `OSError` when the command cannot be started.
        """
        self._process = self._start(command, cwd, env)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin = self._process.stdin
        self.reader: ByteReader = self._process.stdout
        self.writer: ByteWriter = self._stdin
        self.kill_after_s = KILL_AFTER_S
        self._errors: deque[str] = deque(maxlen=200)
        self._pump = threading.Thread(target=self._read_errors, name="adapter-stderr", daemon=True)
        self._pump.start()

    def _start(self, command: Sequence[str], cwd: str | None, env: Mapping[str, str] | None) -> _Process:
        """Start it; for whoever starts it in another way."""
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )

    @property
    def process_id(self) -> int:
        """Of the adapter."""
        return self._process.pid

    @property
    def error_output(self) -> str:
        """The last 200 lines that it wrote to standard error."""
        return "".join(self._errors)

    def close_input(self) -> None:
        """Let it see that the client is gone."""
        try:
            self._stdin.close()
        except OSError:
            pass

    def wait(self, timeout_s: float) -> int | None:
        """Wait for its end; its exit code, None when it still runs."""
        if timeout_s > 0:
            timeout_s = self._watch(timeout_s)
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        self._pump.join(_LAST_LINES_S)  # its last words say why
        return code

    def kill(self) -> None:
        """End it at once (SIGKILL). Harmless when it has ended."""
        self._process.kill()

    def end(self) -> int:
        """Close its input, give it time to end by itself, kill it otherwise; its exit code."""
        self.close_input()
        if self.wait(self.kill_after_s) is None:
            self.kill()
        code = self._process.wait()
        self._pump.join(_LAST_LINES_S)  # a child that outlives the adapter may hold the pipe
        if not self._pump.is_alive():
            for stream in (self._process.stdout, self._process.stderr):
                if stream is not None:
                    stream.close()
        return code

    def _watch(self, timeout_s: float) -> float:
        """Wait for its end where the system tells of it: Python looks for it again and again, every 50 ms at last.

        Returns the time for which there is still to wait.
        """
        if self._process.returncode is not None or not hasattr(os, "pidfd_open"):
            return timeout_s
        try:
            descriptor = os.pidfd_open(self._process.pid)
        except OSError:
            return timeout_s
        try:
            watched = select.poll()
            watched.register(descriptor, select.POLLIN)
            watched.poll(timeout_s * 1000)
        finally:
            os.close(descriptor)
        return 0.0

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        pending = b""
        while data := self._process.stderr.read(65536):
            *lines, pending = (pending + data).split(b"\n")
            self._errors.extend(line.decode("utf-8", "replace") + "\n" for line in lines)
        if pending:
            self._errors.append(pending.decode("utf-8", "replace"))
