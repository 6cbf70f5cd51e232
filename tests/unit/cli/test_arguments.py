from __future__ import annotations

import json
import os

import pytest

from dap_dotnet.cli.arguments import parse_debug_arguments
from dap_dotnet.cli.breakpoint_arguments import (
    BreakpointArgument,
    ExceptionArgument,
    FieldArgument,
    FunctionArgument,
    LineArgument,
    parse_line,
)
from dap_dotnet.startup.options import AdapterOptions, UsageError, parse_adapter_options


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Missing.cs:12", LineArgument("Missing.cs", 12, None)),
        ("Missing.cs:12:5", LineArgument("Missing.cs", 12, 5)),
        ("/src/a b/Missing.cs:1", LineArgument("/src/a b/Missing.cs", 1, None)),
        ("C:\\src\\Program.cs:12", LineArgument("C:\\src\\Program.cs", 12, None)),
        ("C:\\src\\Program.cs:12:7", LineArgument("C:\\src\\Program.cs", 12, 7)),
        ("c:/src/Program.cs:12:7", LineArgument("c:/src/Program.cs", 12, 7)),
        ("odd:1:2:3", LineArgument("odd:1", 2, 3)),
    ],
)
def test_breakpoint_argument_is_file_line_and_column(text, expected):
    assert parse_line(text) == expected


def test_breakpoint_argument_is_found_from_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "Program.cs").touch()
    monkeypatch.chdir(tmp_path)
    assert parse_line("./Program.cs:3").path == str(tmp_path / "Program.cs")
    assert parse_line("Other.cs:3").path == "Other.cs"


@pytest.mark.parametrize("text", ["Program.cs", "Program.cs:", "Program.cs:x", ":5", "Program.cs:-1", ""])
def test_breakpoint_argument_must_have_a_line(text):
    with pytest.raises(ValueError, match="expected FILE:LINE"):
        parse_line(text)


@pytest.mark.parametrize("text", ["Program.cs:0", "Program.cs:1:0", "Program.cs:99999999999"])
def test_breakpoint_argument_counts_from_one(text):
    with pytest.raises(ValueError, match="start at 1"):
        parse_line(text)


def test_run_arguments_are_all_taken():
    found = parse_debug_arguments(
        ["run", "-b", "x.cs:1", "-b", "x.cs:2:3", "--stop-at-entry", "-e", "a b", "-e", "c", "--stack", "5", "--locals",
         "--step", "into", "--max-stops", "7", "--timeout", "1.5", "--json", "prog.dll", "--", "-b", "--", "x"]
    )  # fmt: skip
    assert [(entry.place.line, entry.place.column) for entry in found.breakpoints] == [(1, None), (2, 3)]
    assert (found.program, found.program_arguments) == ("prog.dll", ("-b", "--", "x"))
    assert (found.expressions, found.stack, found.locals, found.step) == (("a b", "c"), 5, True, "into")
    assert (found.max_stops, found.timeout_s, found.json, found.stop_at_entry) == (7, 1.5, True, True)


def test_attach_arguments_have_a_process_and_no_program():
    found = parse_debug_arguments(["attach", "4711", "--max-stops", "1"])
    assert (found.process_id, found.program, found.max_stops, found.json) == (4711, None, 1, False)


def test_options_follow_the_breakpoint_that_they_are_for():
    found = parse_debug_arguments(
        ["run", "-b", "x.cs:1", "--when", "i == 2", "--hits", ">= 3", "--break-function", " A.B ", "--log", "{i}",
         "--after", "1", "-b", "y.cs:2", "--temporary", "--break-exception", "all:A, !B", "--break-exception",
         "unhandled", "--list-breakpoints", "--explain", "prog"]
    )  # fmt: skip
    assert found.breakpoints == (
        BreakpointArgument(LineArgument("x.cs", 1, None), when="i == 2", hits=">= 3"),
        BreakpointArgument(FunctionArgument("A.B"), log="{i}", after=1),
        BreakpointArgument(LineArgument("y.cs", 2, None), is_temporary=True),
    )
    assert found.exceptions == (ExceptionArgument("all", "A, !B"), ExceptionArgument("unhandled", None))
    assert (found.list_breakpoints, found.explain) == (True, True)
    assert parse_debug_arguments(["run", "prog"]).exceptions is None


def test_dumps_of_exceptions():
    bare = parse_debug_arguments(["run", "--dump-on-exception", "prog", "--dump-folder", "/d"])
    assert bare.program == "prog"
    assert bare.exceptions == (ExceptionArgument("dump", None),)
    assert bare.attributes["dumps"] == {"folder": "/d", "dumpType": "heap"}
    typed = parse_debug_arguments(["attach", "--dump-on-exception=A, B", "--dump-kind", "mini", "7"])
    assert typed.exceptions == (ExceptionArgument("dump", "A, B"),)
    assert typed.attributes["dumps"] == {"folder": os.getcwd(), "dumpType": "mini"}
    assert "dumps" not in parse_debug_arguments(["attach", "7"]).attributes


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-b", "x.cs:0"], "INVALID_LINE", "start at 1"),
        (["-b", "x.cs"], "INVALID_LINE", "FILE:LINE"),
        (["-b", "x.cs:1:0"], "INVALID_COLUMN", "start at 1"),
        (["-b", "x.cs:1", "-b", "y.cs:1", "-b", "x.cs:1"], "BREAKPOINT_EXISTS", "breakpoint 1"),
        (["--break-function", "F", "--break-function", "F"], "BREAKPOINT_EXISTS", "breakpoint 1"),
        (["-b", "x.cs:1", "--hits", "often"], "INVALID_CONDITION", "% N"),
        (["-b", "x.cs:1", "--after", "1"], "BREAKPOINT_NOT_FOUND", "no breakpoint comes before"),
        (["-b", "x.cs:1", "-b", "x.cs:2", "--after", "2"], "BREAKPOINT_NOT_FOUND", "1 breakpoint comes before"),
        (["-b", "x.cs:1", "-b", "x.cs:2", "--after", "0"], "BREAKPOINT_NOT_FOUND", "1 breakpoint comes before"),
        (["--when", "true"], "INVALID_REQUEST", "must follow a -b"),
        (["-b", "x.cs:1", "--break-exception", "all", "--temporary"], "INVALID_REQUEST", "must follow a -b"),
        (["-b", "x.cs:1", "--when", " "], "INVALID_REQUEST", "empty"),
        (["--break-exception", "some"], "INVALID_REQUEST", "user-unhandled"),
        (["--step", "back"], "INVALID_REQUEST", "over"),
    ],
)
def test_wrong_breakpoints_have_a_code_in_json(arguments, code, words, capsys):
    with pytest.raises(SystemExit) as ending:
        parse_debug_arguments(["run", "--json", *arguments, "prog"])
    assert ending.value.code == 2
    written = capsys.readouterr()
    line = json.loads(written.out)
    assert (line["kind"], line["code"]) == ("error", code)
    assert words in line["message"]
    assert words in written.err


def test_attach_may_stop_at_once():
    assert parse_debug_arguments(["attach", "--stop-on-attach", "12"]).stop_on_attach
    assert not parse_debug_arguments(["attach", "12"]).stop_on_attach


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "PROGRAM"),
        (["run", "prog", "extra"], "extra"),
        (["run", "prog", "--step", "back"], "over"),
        (["run", "prog", "--max-stops", "0"], "at least 1"),
        (["run", "prog", "--stack", "-1"], "at least 0"),
        (["run", "prog", "--timeout", "0"], "greater than 0"),
        (["run", "prog", "--timeout", "soon"], "could not convert"),
        (["run", "prog", "--timeout", "nan"], "greater than 0"),
        (["run", "prog", "--on-timeout", "threads"], "needs --timeout"),
        (["run", "prog", "--timeout", "1", "--on-timeout", "core"], "threads"),
        (["run", "prog", "-b", "nowhere"], "FILE:LINE"),
        (["attach", "x"], "at least 1"),
        (["attach"], "PID"),
        (["attach", "--stop-at-entry", "1"], "--stop-at-entry"),
        (["run", "prog", "--stop-on-attach"], "--stop-on-attach"),
    ],
)
def test_wrong_arguments_exit_with_2_and_say_what_is_right(arguments, words, capsys):
    with pytest.raises(SystemExit) as ending:
        parse_debug_arguments(arguments)
    assert ending.value.code == 2
    assert words in capsys.readouterr().err


def test_adapter_options_stand_before_the_subcommand():
    options, rest = parse_adapter_options(
        ["--interpreter=vscode", "--log", "a.log", "--log-level=info", "run", "--log", "x"]
    )
    assert options == AdapterOptions("a.log", "info")
    assert rest == ["run", "--log", "x"]
    assert parse_adapter_options(options.to_arguments()) == (options, [])
    assert parse_adapter_options(["--interpreter", "vscode", "--version"]) == (AdapterOptions(), ["--version"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--log"], "needs a value"), (["--log-level", "loud"], "must be one of"), (["--what"], "unknown option --what")],
)
def test_adapter_options_that_are_wrong_are_refused(arguments, words):
    with pytest.raises(UsageError, match=words):
        parse_adapter_options(arguments)


def test_watch_takes_the_options_that_follow_it():
    found = parse_debug_arguments(["run", "--watch", "Cart.total", "--when", "x", "--hits", "2", "--watch", "A.b", "p"])
    assert found.breakpoints == (
        BreakpointArgument(FieldArgument("Cart.total"), when="x", hits="2"),
        BreakpointArgument(FieldArgument("A.b")),
    )


@pytest.mark.parametrize("name", ["", "total", "Cart.", "Cart.total()", "Cart.1"])
def test_watch_needs_a_type_and_a_field(name, capsys):
    with pytest.raises(SystemExit):
        parse_debug_arguments(["run", "--json", "--watch", name, "p"])
    error = json.loads(capsys.readouterr().out)
    assert (error["kind"], error["code"]) == ("error", "INVALID_FIELD")
    assert "Ns.Type.Field" in error["message"]


def test_field_is_watched_once(capsys):
    with pytest.raises(SystemExit):
        parse_debug_arguments(["run", "--json", "--watch", "A.b", "--watch", "A.b", "p"])
    assert json.loads(capsys.readouterr().out)["code"] == "BREAKPOINT_EXISTS"


@pytest.mark.parametrize(
    ("arguments", "looks", "every_s"),
    [
        ([], 1, 1.0),
        (["--count", "5"], 5, 1.0),
        (["--every", "200ms"], 60, 0.2),
        (["--every", "2", "--count", "3"], 3, 2.0),
        (["--folded", "looks.txt"], 60, 1.0),
    ],
)
def test_looks_of_peek(arguments: list[str], looks: int, every_s: float) -> None:
    parsed = parse_debug_arguments(["peek", *arguments, "12"])
    assert parsed.is_frozen
    assert parsed.attributes == {"mode": "peek"}
    assert parsed.peek is not None
    assert (parsed.peek.looks, parsed.peek.every_s) == (looks, every_s)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--every", "fast", "12"],
        ["--every", "0s", "12"],
        ["--count", "3", "--heap", "12"],
        ["--count", "2", "-i", "12"],
        [],
    ],
)
def test_wrong_command_lines_of_peek_are_refused(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_debug_arguments(["peek", *arguments])
    assert ended.value.code == 2
