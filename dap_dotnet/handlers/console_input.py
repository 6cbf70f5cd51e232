"""The program's standard input: `dap-dotnet/input`, our own request, and lines of the debug console after a >."""

from __future__ import annotations

from dap_dotnet.errors import UserError
from dap_dotnet.protocol.messages.execution import InputArguments
from dap_dotnet.session.session import Session

END = "^D"
"""A line that ends the input, spelled as terminals show the key."""
INTERRUPT = "^C"
"""A line that interrupts the program, where its input is a pseudo-terminal."""


def input_(session: Session, arguments: InputArguments) -> None:
    """Write text to the program's input as it is, and optionally close the input. At any time."""
    program_input = session.need_debuggee().input
    if program_input is None:
        raise UserError(
            "The debugger does not provide the program's input: it was attached to, runs in a terminal, or was "
            "started with consoleInput none.",
            code="NO_INPUT",
        )
    if arguments.text:
        program_input.write(arguments.text)
    if arguments.end:
        program_input.end()


def hand_line(session: Session, expression: str) -> None:
    """Hand the program what follows the first letter, a >, and one space after it, with the line's end."""
    line = expression.lstrip()[1:].removeprefix(" ")
    program_input = session.need_debuggee().input
    if line.strip() == INTERRUPT and program_input is not None and program_input.is_terminal:
        program_input.interrupt()
    elif line.strip() == END:
        input_(session, InputArguments(end=True))
    else:
        input_(session, InputArguments(text=line.rstrip("\r\n") + "\n"))
