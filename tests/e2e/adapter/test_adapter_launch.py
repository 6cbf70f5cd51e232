"""Launching: arguments, environment, working folder, output, exit codes, the order of events."""

from __future__ import annotations

from pathlib import Path

import pytest

from dap_dotnet.launching import procfs
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Place, Session

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime, pytest.mark.editor_start]


def test_launch_passes_arguments_environment_and_folder(runtime: Runtime, session: Session, place: Place) -> None:
    program = programs.build("Hello", runtime)
    folder = place.folder / "working folder"
    folder.mkdir()
    arguments = ["7", "two words", "", "naïve 日本", 'quo"te', "-x", "--", "*"]
    session.launch_program(program, *arguments, cwd=str(folder), env={"HELLO_VARIABLE": "ä=b c"})
    assert session.wait_for_exit() == 7
    assert session.output().splitlines() == [
        "Hello, world",
        *(f"argument: {argument}" for argument in arguments),
        "HELLO_VARIABLE=ä=b c",
        f"folder: {folder}",
    ]
    assert session.output("stderr") == "to standard error\n"


def test_launch_removes_a_variable_that_is_null(newest_runtime: Runtime, open_session) -> None:
    session = open_session(env={"HELLO_VARIABLE": "from the adapter"})
    session.launch_program(programs.build("Hello", newest_runtime), env={"HELLO_VARIABLE": None})
    session.wait_for_exit()
    assert "HELLO_VARIABLE=<not set>" in session.output()


def test_launch_inherits_the_environment_of_the_adapter(newest_runtime: Runtime, open_session) -> None:
    session = open_session(env={"HELLO_VARIABLE": "from the adapter"})
    session.launch_program(programs.build("Hello", newest_runtime))
    session.wait_for_exit()
    assert "HELLO_VARIABLE=from the adapter" in session.output()


def test_launch_of_an_apphost(runtime: Runtime, session: Session) -> None:
    program = programs.build("Hello", runtime)
    session.launch_program(program, "5", executable=program.apphost, stop_at=["return"])
    session.wait_for_stop()
    assert session.here() == ("Hello.Program.Main(string[] args)", program.line("return"))
    session.continue_()
    assert session.wait_for_exit() == 5


def test_launch_of_a_native_host(newest_runtime: Runtime, session: Session) -> None:
    program = programs.build("Hello", newest_runtime)
    command = [str(newest_runtime.dotnet), str(program.dll), "5"]
    session.launch_program(program, *command, executable=Path("/usr/bin/env"), stop_at=["return"])
    session.wait_for_stop()
    assert session.here() == ("Hello.Program.Main(string[] args)", program.line("return"))
    session.continue_()
    assert session.wait_for_exit() == 5


@pytest.mark.parametrize(("arguments", "code"), [(["0"], 0), (["255"], 255), (["-1"], 255), (["3", "exit"], 3)])
def test_exit_code_is_the_program_s_own(
    newest_runtime: Runtime, session: Session, arguments: list[str], code: int
) -> None:
    session.launch_program(programs.build("ExitCode", newest_runtime), *arguments)
    assert session.wait_for_exit() == code


def test_exit_by_a_signal_is_reported(runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Signals", runtime), "9")
    assert session.wait_for_exit() == 128 + 9
    assert "signal 9" in session.output("console")


def test_lines_of_the_console_are_the_standard_input(runtime: Runtime, session: Session) -> None:
    program = programs.build("Stdin", runtime)
    session.launch_program(program, stop_at=["line"])
    session.request("evaluate", {"expression": "> one ä", "context": "repl"})
    session.wait_for_stop()
    assert session.locals()["line"].value == '"one ä"'
    session.continue_()
    session.wait_until(lambda: procfs.waits_for_input(session.debuggee()), "it waits for a line")
    assert session.request("evaluate", {"expression": "two", "context": "repl"})["result"] == "> two"
    session.wait_for_stop()
    session.request("dap-dotnet/input", {"text": "three\n", "end": True})
    session.continue_()
    session.wait_for_stop()
    session.continue_()
    assert session.wait_for_exit() == 3
    assert session.output() == "line: one ä\nline: two\nline: three\nend of input after 3 lines\n"


def test_standard_input_is_empty_where_none_is_wanted(newest_runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Stdin", newest_runtime), consoleInput="none")
    assert session.wait_for_exit() == 0
    assert session.output() == "end of input after 0 lines\n"


def test_output_of_both_streams_keeps_its_order(runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Output", runtime))
    assert session.wait_for_exit() == 0
    texts = [(body["category"], body["output"]) for body in session.events("output")]
    assert "".join(text for category, text in texts if category == "stdout") == "".join(f"out {i}\n" for i in range(20))
    assert "".join(text for category, text in texts if category == "stderr") == "".join(f"err {i}\n" for i in range(20))


def test_output_in_utf8_byte_by_byte(runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Output", runtime), "utf8")
    session.wait_for_exit()
    assert session.output() == "naïve 日本 🎉\n"


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("invalid", "a\ufffd\ufffdb\ufffd\n"),
        ("unended", "no newline at the end"),
        ("long", "y" * (1 << 20) + "\n"),
        ("big", ("x" * 63 + "\n") * 65536),
    ],
)
def test_output_is_complete_before_exited(newest_runtime: Runtime, session: Session, how: str, expected: str) -> None:
    session.launch_program(programs.build("Output", newest_runtime), how)
    session.wait_for("exited")
    assert session.output() == expected
    session.wait_for("terminated")


def test_stop_at_entry_is_the_first_statement_of_main(runtime: Runtime, session: Session) -> None:
    program = programs.build("Hello", runtime)
    session.launch_program(program, stopAtEntry=True)
    stop = session.wait_for_stop()
    assert stop.reason == "entry"
    function, line = session.here()
    assert function == "Hello.Program.Main(string[] args)"
    assert program.line("hello") - 1 <= line <= program.line("hello")
    assert session.output() == ""
    session.continue_()
    assert session.wait_for_exit() == 0


@pytest.mark.parametrize(("condition", "is_hit"), [("args.Length < 9", True), ("args.Length > 9", False)])
def test_stop_at_entry_with_a_breakpoint_there_stops_once(
    newest_runtime: Runtime, session: Session, condition: str, is_hit: bool
) -> None:
    program = programs.build("Hello", newest_runtime)
    wanted = {"line": program.line("hello") - 1, "condition": condition}
    (breakpoint_,) = session.launch(
        str(program.dll),
        breakpoints={str(program.source): [wanted]},
        env=dict(program.env),
        stopAtEntry=True,
    )
    stop = session.wait_for_stop()
    assert (stop.reason, stop.breakpoint_ids) == ("entry", (breakpoint_.id,) if is_hit else ())
    session.continue_()
    assert session.wait_for_exit() == 0


def test_launch_events_come_in_order(runtime: Runtime, session: Session) -> None:
    session.launch_program(programs.build("Hello", runtime))
    session.wait_for_exit()
    names = [recorded.message["event"] for recorded in session.messages if recorded.message.get("event")]
    assert names.index("initialized") < names.index("process") < names.index("exited") < names.index("terminated")
    assert names[-1] == "terminated"
    process = session.events("process")[0]
    assert process["startMethod"] == "launch"
    assert process["name"].endswith("Hello.dll")
    modules = [body["module"]["name"] for body in session.events("module") if body["reason"] == "new"]
    assert "System.Private.CoreLib.dll" in modules
    assert "Hello.dll" in modules
    assert session.events("thread")[0]["reason"] == "started"
