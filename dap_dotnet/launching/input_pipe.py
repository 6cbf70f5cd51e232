"""The standard input of a program that runs without a terminal: a pipe, to which the user's lines are written."""

from __future__ import annotations

import fcntl
import os
import threading

from dap_dotnet.errors import DebuggeeError
from dap_dotnet.launching.input_writing import write_input

_CAPACITY_BYTES = 1 << 20
"""What an ordinary user may ask of a pipe, on Linux."""


class InputPipe:
    """The write end. Nothing here waits for the program: what it has not read yet is in the pipe. Any thread."""

    is_terminal = False

    def __init__(self) -> None:
        """`program_end` is for the program, to be closed once it has a copy."""
        self.program_end, self._fd = os.pipe()
        self._lock = threading.Lock()
        os.set_blocking(self._fd, False)
        try:
            fcntl.fcntl(self._fd, getattr(fcntl, "F_SETPIPE_SZ", 1031), _CAPACITY_BYTES)
        except OSError:
            pass  # the user's share of memory for pipes is used up: it has its usual size

    def write(self, text: str) -> None:
        """Hand the program text, as UTF-8. Raises `DebuggeeError` when it reads no more, or far too little."""
        with self._lock:
            if self._fd < 0:
                raise DebuggeeError("The program's input has already ended.", code="NO_INPUT")
            write_input(self._fd, text.encode(errors="replace"))

    def end(self) -> None:
        """The program finds the end of its input after what it was handed. Idempotent."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def interrupt(self) -> None:
        """A pipe has no Ctrl-C."""
        raise DebuggeeError("The program's input is not a terminal: only a terminal has Ctrl-C.", code="NO_INPUT")

    def close(self) -> None:
        """The same as `end`."""
        self.end()
