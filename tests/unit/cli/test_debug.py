from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dap_dotnet.cli.style import Style
from tests.unit.client.fake_adapter import COMMAND

ROOT = str(Path(__file__).resolve().parents[3])
START = (
    "import sys; sys.path[:0] = sys.argv.pop(1).split(); from dap_dotnet.cli.debug import debug; "
    "from dap_dotnet.cli.arguments import parse_debug_arguments; "
    "from dap_dotnet.startup.options import AdapterOptions; "
    "import json; command = json.loads(sys.argv.pop(1)); "
    "sys.exit(debug(parse_debug_arguments(sys.argv[1:]), AdapterOptions(), command))"
)
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}


def command_line(*arguments: str, adapter: list[str] = COMMAND) -> list[str]:
    return [sys.executable, "-c", START, ROOT, json.dumps(adapter), *arguments]


def run(*arguments: str, timeout: float = 60, cwd=None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command_line(*arguments),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        cwd=cwd,
        env={**ENVIRONMENT, "PYTHONUTF8": "1", **environment},
    )


def lines(done: subprocess.CompletedProcess[str]) -> list[dict]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def kinds(found: list[dict], kind: str) -> list[dict]:
    return [line for line in found if line["kind"] == kind]


def test_run_gives_the_programs_exit_code_and_output():
    done = run("run", "loop", "--", "x", "-b")
    assert done.returncode == 3
    assert "round 1 x -b\nround 2 x -b\nround 3 x -b\n" in done.stdout
    assert done.stderr == "done\n"


def test_run_tells_everything_of_a_stop_as_json():
    done = run("run", "--json", "-b", "/src/P.cs:2", "-e", "i", "-e", "oops", "--locals", "--stack", "2", "loop")
    assert done.returncode == 3
    found = lines(done)
    stops = kinds(found, "stopped")
    assert [stop["hitCount"] for stop in stops] == [1, 2, 3]
    stop = stops[0]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", stop.pop("timestamp"))
    place = {
        "function": "Main(string[] args)", "module": "Program.dll", "file": "/src/P.cs", "line": 2, "column": 5,
        "endLine": 2, "endColumn": 9,
    }  # fmt: skip
    outside = dict.fromkeys(("module", "file", "endLine", "endColumn"))
    assert stop == {
        "kind": "stopped",
        "reason": "breakpoint",
        "threadId": 41,
        "allThreadsStopped": True,
        "number": 1,
        "hitBreakpointIds": [1],
        "hitCount": 1,
        "thread": {"id": 41, "name": "Main Thread"},
        "location": place,
        "stack": [place, {"function": "[External Code]", "line": 0, "column": 0, **outside}],
        "locals": [
            {"name": "i", "value": "2", "type": "int", "variablesReference": 0},
            {"name": "s", "value": '"\ud800é"', "type": "string", "variablesReference": 0},
        ],
        "evaluations": [
            {"expression": "i", "result": "2", "type": "int", "variablesReference": 0},
            {
                "expression": "oops",
                "error": {
                    "code": "EVAL_FAILED",
                    "message": "error CS0103: The name 'oops' does not exist in the current context",
                },
            },
        ],
    }
    assert kinds(found, "breakpoint")[0] == {
        "kind": "breakpoint",
        "reason": "new",
        "breakpoint": {"id": 1, "verified": True, "line": 2, "source": {"path": "/src/P.cs"}},
    }
    assert {"kind": "output", "category": "stdout", "output": "round 1\n"} in found
    assert {"kind": "output", "category": "console", "output": "filters ['user-unhandled']\n"} in found
    # What is written while breakpoints are set, such as by a build, is told before the answers are there.
    assert [line["kind"] for line in found[:3]] == ["output", "breakpoint", "process"]
    assert found[-2:] == [{"kind": "exited", "exitCode": 3}, {"kind": "terminated"}]
    assert kinds(found, "process")[0]["name"] == "loop"


def test_run_tells_everything_of_a_stop_to_people(tmp_path):
    source = tmp_path / "P.cs"
    source.write_text("class P {\n\tint two = 2;\n}\n")
    arguments = ["-b", "P.cs:2", "-b", f"{source}:5", "-b", "Q.cs:77", "-e", "i", "-e", "oops", "--locals"]
    done = run("run", *arguments, "--stack", "2", "--max-stops", "1", "loop", cwd=tmp_path)
    assert done.returncode == 3
    assert "● breakpoint 1 bound at" in done.stdout
    assert "○ breakpoint 2 pending at" in done.stdout
    assert "● breakpoint 2 bound at" in done.stdout
    assert "breakpoint 3 not bound at Q.cs:77: The file has no such line." in done.stdout
    stop = done.stdout[done.stdout.index("■") :]
    assert stop.startswith("■ stopped at breakpoint") or stop.startswith("■ stopped")
    for expected in (
        "in Main(string[] args), thread 41 (Main Thread)",
        "    #1 [External Code]",
        "    i = ",
        '    s = "\\ud800é"  (string)',
        "    oops: error CS0103",
        "the program ended with exit code 3",
    ):
        assert expected in stop
    assert "\x1b" not in done.stdout


def test_run_shows_the_source_line_with_the_statement_marked(tmp_path):
    (tmp_path / "P.cs").write_text("class P {\n\tint two = 2;\n}\n")
    done = run("run", "-b", "P.cs:2", "--max-stops", "1", "loop", cwd=tmp_path)
    assert "  P.cs:2:5\n      2 │  int two = 2;\n              ‾‾‾‾\n" in done.stdout


def test_run_is_coloured_when_asked_and_plain_where_the_stream_has_no_marks():
    assert "\x1b[32m● breakpoint 1 bound\x1b[0m" in run("run", "-b", "P.cs:2", "loop", FORCE_COLOR="1").stdout
    assert "\x1b" not in run("run", "-b", "P.cs:2", "loop", FORCE_COLOR="1", NO_COLOR="1").stdout
    plain = run("run", "-b", "P.cs:2", "--locals", "loop", PYTHONUTF8="0", PYTHONIOENCODING="ascii").stdout
    assert "* breakpoint 1 bound" in plain
    assert '"\\ud800\\xe9"' in plain


def test_style_colours_a_terminal():
    terminal, other_end = os.openpty()
    with os.fdopen(other_end, "w", encoding="utf-8") as stream:
        assert Style(stream).paint("x", "red") in ("\x1b[31mx\x1b[0m", "x" if os.environ.get("NO_COLOR") else "")
    os.close(terminal)


def test_run_stops_at_entry_and_steps_until_the_stops_are_used_up():
    done = run("run", "--json", "--stop-at-entry", "--step", "over", "--max-stops", "3", "loop")
    stops = kinds(lines(done), "stopped")
    assert [(stop["reason"], stop["location"]["line"]) for stop in stops] == [("entry", 1), ("step", 2), ("step", 3)]
    assert done.returncode == 3


def test_run_continues_where_no_step_is_possible():
    done = run("run", "--stop-at-entry", "--step", "into", "loop")
    assert "No step is possible here" in done.stdout
    assert done.returncode == 3


def test_run_runs_on_without_breakpoints_after_the_last_stop():
    done = run("run", "--json", "-b", "P.cs:1", "-b", "P.cs:3", "--max-stops", "2", "loop")
    found = lines(done)
    assert [stop["hitBreakpointIds"] for stop in kinds(found, "stopped")] == [[1], [2]]
    assert found[-1]["kind"] == "terminated"
    assert not kinds(found, "notice")


def test_run_tells_of_an_unhandled_exception_and_gives_its_exit_code():
    done = run("run", "throws")
    assert "■ stopped: Unhandled exception" in done.stdout
    assert "System.Exception: oh" in done.stdout
    assert done.returncode == 134


@pytest.mark.parametrize("most", [[], ["--max-stops", "1"]], ids=["all stops", "one stop"])
def test_run_explains_breakpoints_at_the_end(most):
    found = lines(run("run", "--json", "--explain", "-b", "/src/P.cs:2", *most, "loop"))
    (explained,) = kinds(found, "explanation")
    assert explained["error"]["code"] == "UNKNOWN_REQUEST"  # which the adapter here does not have


def test_run_tells_of_breakpoints_that_were_not_bound():
    done = run("run", "-b", "P.cs:77", "loop")
    assert "Breakpoint 1 was not bound: The file has no such line." in done.stdout


def test_run_tells_why_a_program_cannot_be_launched():
    done = run("run", "fails")
    assert done.returncode == 125
    assert done.stderr == "error: There is no such program; build it first.\n"
    *_, error = lines(run("run", "--json", "fails"))
    assert error == {"kind": "error", "code": "NO_PROGRAM", "message": "There is no such program; build it first."}


def test_run_tells_that_the_adapter_died():
    done = run("run", "dies")
    assert done.returncode == 125
    assert "ended with exit code 9" in done.stderr


def test_run_tells_that_the_adapter_cannot_be_started():
    done = subprocess.run(
        command_line("run", "x", adapter=["/no/such"]), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 125
    assert "The adapter cannot be started" in done.stderr


@pytest.mark.parametrize("arguments", [["forever"], ["-b", "P.cs:2", "-e", "hang", "loop"]])
def test_run_ends_the_program_when_its_time_is_over(arguments):
    for limit_s in (1, 4, 16, 64):  # a busy machine needs longer until the program runs
        begin = time.monotonic()
        done = run("run", "--json", "--timeout", str(limit_s), *arguments, timeout=limit_s + 60)
        assert done.returncode == 124
        assert limit_s <= time.monotonic() - begin < limit_s + 50
        found = lines(done)
        (error,) = kinds(found, "error")
        assert error["code"] == "TIMEOUT"
        if kinds(found, "process"):
            break
    assert {"kind": "exited", "exitCode": 137} in found


def test_threads_are_shown_when_the_time_is_over():
    done = run("run", "--json", "--timeout", "2", "--on-timeout", "threads", "forever")
    assert done.returncode == 124
    (shown,) = kinds(lines(done), "threads")
    (thread,) = shown["threads"]
    assert (thread["name"], thread["stack"][0]["function"]) == ("Main Thread", "Main(string[] args)")
    assert shown["cycles"] == [[thread["id"]]]
    assert shown["text"] == "Main Thread waits for itself"
    assert [error["code"] for error in kinds(lines(done), "error")] == ["TIMEOUT"]


def test_attach_detaches_after_its_stops_or_its_time():
    done = run("attach", "--json", "-b", "P.cs:2", "--max-stops", "1", "4711")
    assert done.returncode == 0
    assert len(kinds(lines(done), "stopped")) == 1
    assert not kinds(lines(done), "exited")
    done = run("attach", "--timeout", "0.5", "4711")
    assert done.returncode == 124
    assert "The process was left running." in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("what", [["run", "forever"], ["attach", "4711"]])
def test_run_ends_on_a_signal(number, code, what):
    with subprocess.Popen(command_line(what[0], "--json", what[1]), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["kind"] == "process":
                break
        process.send_signal(number)
        try:
            assert process.wait(30) == code
        finally:
            process.kill()
        rest = [json.loads(line) for line in process.stdout]
    killed = {"kind": "exited", "exitCode": 137} in rest
    assert killed == (what[0] == "run")
    (notice,) = kinds(rest, "notice")
    assert ("was ended" if killed else "left running") in notice["message"]


def test_run_ends_when_nobody_reads_its_output():
    with subprocess.Popen(
        command_line("run", "--stop-at-entry", "--step", "over", "loop"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(30) == 141
        assert process.stderr.read() == b""
