"""What a program that runs without a terminal of the client has as standard input, output and error."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dap_dotnet.launching.input_pipe import InputPipe
from dap_dotnet.launching.output import OutputStream
from dap_dotnet.runtime.model import WindowSize

if TYPE_CHECKING:
    from dap_dotnet.launching.pseudo_terminal import PseudoTerminal


@dataclass(frozen=True)
class StandardStreams:
    """Both sides, until the program has its own."""

    program_ends: dict[int, int]
    """Number that the program knows -> our descriptor."""
    output: list[OutputStream]
    """What the program writes."""
    input: InputPipe | PseudoTerminal | None
    """None: it reads nothing."""

    def close_program_ends(self) -> None:
        """The program has copies of them."""
        for fd in set(self.program_ends.values()):
            os.close(fd)

    def abandon(self) -> None:
        """There is no program: close our side, too."""
        for stream in self.output:
            os.close(stream.read_fd)
        if self.input is not None:
            self.input.close()


def make_streams(*, takes_input: bool, window: WindowSize | None) -> StandardStreams:
    """A pseudo-terminal of the size of the `window`, or pipes, the input's if it `takes_input`; `LaunchError`."""
    if window is not None:
        from dap_dotnet.launching.pseudo_terminal import PseudoTerminal  # few launches ask for one

        terminal = PseudoTerminal(window)
        return StandardStreams(dict.fromkeys((0, 1, 2), terminal.program_end), [terminal.stream], terminal)
    stdout_read, stdout_write = os.pipe()
    stderr_read, stderr_write = os.pipe()
    program_input = InputPipe() if takes_input else None
    read_ends = [OutputStream(stdout_read, is_error=False), OutputStream(stderr_read, is_error=True)]
    inputs = {0: program_input.program_end} if program_input is not None else {}
    return StandardStreams({**inputs, 1: stdout_write, 2: stderr_write}, read_ends, program_input)
