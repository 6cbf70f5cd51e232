"""A terminal such as an editor opens for `runInTerminal`: a command on a pseudo-terminal of its own."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping
from typing import Any

from dap_dotnet.client import ClientError

DEADLINE_S = 20.0


class Terminal:
    """Answers one `runInTerminal` request; a context manager that closes the terminal."""

    def __init__(self, environment: Mapping[str, str], *, refuses: bool = False, opens: bool = True) -> None:
        """`environment` is the terminal's own, which the request changes. `opens` False: only `open_late` opens it."""
        self.requests: list[Mapping[str, Any]] = []
        self._environment = dict(environment)
        self._refuses, self._opens = refuses, opens
        self._process: subprocess.Popen[bytes] | None = None
        self._ours, self._theirs = pty.openpty()
        self._text = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self._process is not None:
            self._process.wait(DEADLINE_S)

    def run(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The handler of the request."""
        self.requests.append(arguments)
        if self._refuses:
            raise ClientError("no terminal here")
        if self._opens:
            self._start(arguments)
        return {"shellProcessId": self._process.pid} if self._process is not None else {}

    def open_late(self) -> None:
        """Open it, long after the request."""
        self._start(self.requests[-1])

    def _start(self, arguments: Mapping[str, Any]) -> None:
        environment = dict(self._environment)
        for name, value in arguments["env"].items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value
        # The leader of a new session that opens a terminal is controlled by it.
        script = 'exec "$@" <"$0" >"$0" 2>&1'
        command = ["sh", "-c", script, os.ttyname(self._theirs), *arguments["args"]]
        self._process = subprocess.Popen(command, cwd=arguments["cwd"], env=environment, start_new_session=True)
        os.close(self._theirs)
        self._theirs = -1

    def type(self, text: str) -> None:
        """What the user types."""
        os.write(self._ours, text.encode())

    def wait_for(self, wanted: str) -> str:
        """Wait until the screen has shown a text; everything shown so far."""
        deadline = time.monotonic() + DEADLINE_S
        while wanted not in self._text:
            ready, _, _ = select.select([self._ours], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"the terminal did not show {wanted!r}, but {self._text!r}"
            self._text += os.read(self._ours, 4096).decode()
        return self._text

    def close(self) -> None:
        """The user closes the terminal. Idempotent."""
        for fd in (self._ours, self._theirs):
            if fd >= 0:
                os.close(fd)
        self._ours = self._theirs = -1
