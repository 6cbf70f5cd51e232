"""A pseudo-terminal as a program's standard input and output, where the debug console is to be a terminal."""

from __future__ import annotations

import errno
import os
import struct
import threading
from collections.abc import Callable, Mapping

from dap_dotnet.errors import DebuggeeError, LaunchError
from dap_dotnet.launching.input_writing import input_has_ended, write_input
from dap_dotnet.launching.output import OutputStream
from dap_dotnet.launching.terminal_text import TerminalText
from dap_dotnet.runtime.model import WindowSize

DEFAULT_TYPE = "xterm-256color"
_INTERRUPT, _END = "\x03", "\x04"


def with_terminal_type(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables with a TERM that has colours, where there is none: editors are started without a terminal."""
    kind = environment.get("TERM", "")
    return {**environment, "TERM": DEFAULT_TYPE if kind in ("", "dumb") else kind}


class PseudoTerminal:
    """Its two sides. What is written comes as from the keyboard, and nothing here waits for the program. Any thread."""

    is_terminal = True

    def __init__(self, size: WindowSize) -> None:
        """`program_end` is for the program, to be closed once it has a copy. Raises `LaunchError` where none is had."""
        try:
            import fcntl
            import termios
        except ImportError as error:
            raise LaunchError(
                "The debug console can be a terminal (consoleInput) on Linux and macOS only. Use console "
                "integratedTerminal, or leave consoleInput out."
            ) from error
        try:
            self._fd, self.program_end = os.openpty()
        except OSError as error:
            raise LaunchError(
                f"No pseudo-terminal can be created (consoleInput terminal): {error.strerror}. Is /dev/pts mounted? "
                "Use console integratedTerminal, or leave consoleInput out."
            ) from error
        window = struct.pack("HHHH", size.rows, size.columns, 0, 0)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, window)
        modes = termios.tcgetattr(self.program_end)
        modes[1] &= ~termios.ONLCR  # lines end in the console as the program writes them
        termios.tcsetattr(self.program_end, termios.TCSANOW, modes)
        self._lock = threading.Lock()
        os.set_blocking(self._fd, False)
        self.stream = TerminalStream(os.dup(self._fd), size, self._answer)
        """What it writes; whoever reads it closes its descriptor."""

    def write(self, text: str) -> None:
        """Type text. `DebuggeeError` when the program is gone, or does not read what was typed before."""
        with self._lock:
            if self._fd >= 0:
                write_input(self._fd, text.encode(errors="replace"))
            elif text:
                raise input_has_ended()

    def end(self) -> None:
        """The key Ctrl-D: what reads a line finds the end. The terminal stays, and more may be typed."""
        self.write(_END)

    def interrupt(self) -> None:
        """The key Ctrl-C."""
        self.write(_INTERRUPT)

    def close(self) -> None:
        """Nothing is typed any more. Idempotent."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def _answer(self, text: str) -> None:
        try:
            self.write(text)
        except DebuggeeError:
            pass  # it has asked, and does not read


class TerminalStream(OutputStream):
    """Our side of a pseudo-terminal, for reading."""

    def __init__(self, read_fd: int, size: WindowSize, answer: Callable[[str], None]) -> None:
        """`answer` types what the program has asked its terminal for."""
        super().__init__(read_fd, is_error=False)
        self._text = TerminalText(size.columns, size.rows)
        self._answer = answer

    def read(self) -> tuple[bytes, str]:
        """See `OutputStream`. When nobody has the other side any more, Linux has an error for the end of file."""
        try:
            chunk, text = super().read()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            chunk, text = b"", super().flush()
        shown, answers = self._text.feed(text)
        if answers:
            self._answer(answers)
        return chunk, shown if chunk else shown + self._text.rest()
