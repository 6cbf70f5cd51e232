"""The program's standard input: `dap-dotnet/input`, our own request, and lines of the debug console."""

from __future__ import annotations

from dap_dotnet.errors import NotStoppedError, UserError
from dap_dotnet.launching import procfs
from dap_dotnet.launching.arguments import LaunchArguments
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
            f"The debugger does not provide the program's input: {_where_input_is(session)}.", code="NO_INPUT"
        )
    if arguments.text:
        program_input.write(arguments.text)
    if arguments.end:
        program_input.end()


def hand_marked(session: Session, expression: str) -> str:
    """Hand the program what follows the first letter, a >, and one space after it; the answer has nothing to add."""
    _hand_line(session, expression.lstrip()[1:].removeprefix(" "))
    return ""


def hand_unmarked(session: Session, expression: str) -> str:
    """Hand a program that runs and waits for a line what could be one or an expression. The answer is the marked form.

    Raises `NotStoppedError`, which says what else to do, where it is not seen to wait.
    """
    debuggee = session.need_debuggee()
    if debuggee.input is None:
        raise NotStoppedError(f"The program is running: pause it to evaluate; {_where_input_is(session)}.")
    if not procfs.waits_for_input(debuggee.process_id):
        raise NotStoppedError(
            "The program is running: pause it to evaluate, or write `> text` to hand it a line of input."
        )
    _hand_line(session, expression)
    return "> " + expression.rstrip("\r\n")


def _hand_line(session: Session, line: str) -> None:
    program_input = session.need_debuggee().input
    if line.strip() == INTERRUPT and program_input is not None and program_input.is_terminal:
        program_input.interrupt()
    elif line.strip() == END:
        input_(session, InputArguments(end=True))
    else:
        input_(session, InputArguments(text=line.rstrip("\r\n") + "\n"))


def _where_input_is(session: Session) -> str:
    """Of a program whose input is not the debugger's."""
    launched = session.beginning
    if not isinstance(launched, LaunchArguments):
        return "it was attached to: it reads its input where it was started"
    if session.options.runs_tests:
        return "tests have no input"
    if launched.chosen_console != "internalConsole" and session.view.supports_run_in_terminal:
        return "it reads its input in its terminal"
    return "it was started without input (consoleInput none)"
