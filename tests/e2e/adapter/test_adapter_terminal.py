"""Where the program writes: in a terminal of the client (`console`), or in the debug console, and in which order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from dap_dotnet.launching import procfs
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.programs import Program
from tests.support.session import Place, Session
from tests.support.terminal import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.editor_start]


def open_in(open_session: Callable[..., Session], terminal: Terminal) -> Session:
    session = open_session(reverse_handlers={"runInTerminal": terminal.run})
    session.initialize(supportsRunInTerminalRequest=True)
    return session


def in_terminal(program: Program) -> dict[str, Any]:
    return {"program": str(program.dll), "env": dict(program.env), "console": "integratedTerminal"}


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"console": "integratedTerminal"}, "integrated"),
        ({"console": "externalTerminal"}, "external"),
        ({"externalConsole": True}, "external"),
    ],
)
def test_program_reads_and_writes_in_the_terminal(
    runtime: Runtime, open_session: Callable[..., Session], place: Place, attributes: dict[str, Any], kind: str
) -> None:
    program = programs.build("Stdin", runtime)
    with Terminal(place.environment) as terminal:
        session = open_in(open_session, terminal)
        session.launch_program(program, stop_at=["line"], env={"GIVEN": "ü b"}, **attributes)
        terminal.type("hello\n")
        session.wait_for_stop()
        assert session.here()[1] == program.line("line")
        session.continue_()
        terminal.wait_for("line: hello")
        terminal.type("\x04")
        terminal.wait_for("end of input after 1 lines")
        assert session.wait_for_exit() == 1
        (asked,) = terminal.requests
        assert (asked["kind"], asked["title"]) == (kind, ".NET: Stdin.dll")
        assert asked["env"]["GIVEN"] == "ü b"
        assert session.output() == ""


def test_debug_console_can_be_a_terminal(runtime: Runtime, session: Session) -> None:
    program = programs.build("Stdin", runtime)
    session.launch_program(
        program, "keys", stop_at=["line"], consoleInput="terminal", consoleSize={"columns": 97, "rows": 23}
    )

    def see(text: str) -> None:
        session.wait_until(lambda: text in session.output(), text)

    see("redirected: False\n")
    assert re.search(r"\x1b\[[0-9;]*31m97x23|\x1b\[91m97x23", session.output())
    session.request("dap-dotnet/input", {"text": "k"})
    see("key: k\n")
    session.wait_until(lambda: procfs.waits_for_input(session.debuggee()), "it waits for a line")
    session.request("evaluate", {"expression": "hello", "context": "repl"})
    session.wait_for_stop()
    assert session.here()[1] == program.line("line")
    session.continue_()
    see("line: hello\n")
    session.request("evaluate", {"expression": "> ^C", "context": "repl"})
    assert session.wait_for_exit() == 130
    assert "\x1b[?" not in session.output()


def test_ctrl_c_in_the_terminal_reaches_the_program(
    newest_runtime: Runtime, open_session: Callable[..., Session], place: Place
) -> None:
    program = programs.build("Stdin", newest_runtime)
    with Terminal(place.environment) as terminal:
        session = open_in(open_session, terminal)
        session.launch_program(program, console="integratedTerminal")
        terminal.type("ready\n")
        terminal.wait_for("line: ready")
        terminal.type("\x03")
        assert session.wait_for_exit() == 130


def test_end_of_the_terminal_ends_a_stopped_program(
    newest_runtime: Runtime, open_session: Callable[..., Session], place: Place
) -> None:
    program = programs.build("Stdin", newest_runtime)
    with Terminal(place.environment) as terminal:
        session = open_in(open_session, terminal)
        session.launch_program(program, stop_at=["line"], console="integratedTerminal")
        terminal.type("hello\n")
        session.wait_for_stop()
        terminal.close()
        session.wait_for("terminated")


def test_refused_terminal_gives_the_debug_console_and_says_so(
    newest_runtime: Runtime, open_session: Callable[..., Session], place: Place
) -> None:
    with Terminal(place.environment, refuses=True) as terminal:
        session = open_in(open_session, terminal)
        session.launch_program(programs.build("Hello", newest_runtime), console="integratedTerminal")
        session.wait_for_exit()
        assert "Hello, world" in session.output()
        text = (
            "The editor opened no terminal (no terminal here): the program runs in the debug console, which takes its "
        )
        assert session.output("console").count(text + "input.\n") == 1


def test_terminal_that_comes_late_is_waited_for_with_progress(
    newest_runtime: Runtime, open_session: Callable[..., Session], place: Place
) -> None:
    with Terminal(place.environment, opens=False) as terminal:
        session = open_session(reverse_handlers={"runInTerminal": terminal.run})
        session.initialize(supportsRunInTerminalRequest=True, supportsProgressReporting=True)
        program = programs.build("Hello", newest_runtime)
        starting = session.start(
            "launch", {"program": str(program.dll), "env": dict(program.env), "console": "integratedTerminal"}
        )
        shown = session.wait_for("progressStart").body
        assert (shown["title"], shown["cancellable"]) == ("Waiting for the terminal", True)
        terminal.open_late()
        assert session.wait_for("progressEnd").body["progressId"] == shown["progressId"]
        starting.result()
        session.configuration_done()
        terminal.wait_for("Hello, world")
        session.wait_for_exit()


def test_wait_for_a_terminal_that_is_cancelled_gives_the_debug_console(
    newest_runtime: Runtime, open_session: Callable[..., Session], place: Place
) -> None:
    with Terminal(place.environment, opens=False) as terminal:
        session = open_session(reverse_handlers={"runInTerminal": terminal.run})
        session.initialize(supportsRunInTerminalRequest=True, supportsProgressReporting=True)
        program = programs.build("Stdin", newest_runtime)
        starting = session.start(
            "launch", {"program": str(program.dll), "env": dict(program.env), "console": "integratedTerminal"}
        )
        session.request("cancel", {"progressId": session.wait_for("progressStart").body["progressId"]})
        starting.result()
        session.configuration_done()
        assert "the program runs in the debug console, which takes its input" in session.output("console")
        session.request("evaluate", {"expression": "> hello", "context": "repl"})
        session.wait_for_output("line: hello")
        session.disconnect()


def test_client_without_terminals_gets_the_debug_console_and_a_line(newest_runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Hello", newest_runtime), console="externalTerminal")
    session.wait_for_exit()
    assert "Hello, world" in session.output()
    assert session.output("console").count("opens no terminals") == 1


def test_output_written_before_a_stop_comes_before_it(runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Output", runtime), stop_at=["return"])
    session.wait_for_stop()
    names = [recorded.message.get("event") for recorded in session.messages]
    shown = "".join(
        str(recorded.message["body"]["output"])
        for recorded in session.messages[: names.index("stopped")]
        if recorded.message.get("event") == "output"
    )
    for number in range(20):
        assert f"out {number}\n" in shown
        assert f"err {number}\n" in shown
    session.continue_()
    session.wait_for_exit()
