"""Sessions that a script leads, and the schema of what --json writes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.unit.cli.test_debug import kinds, lines, run

SCHEMA = json.loads((Path(__file__).resolve().parents[3] / "docs" / "headless-json.schema.json").read_text())


@pytest.fixture
def scripted(tmp_path):
    def start(*commands: str, options=("--json",), program=("loop",)):
        script = tmp_path / "script"
        script.write_text("\n".join(commands))
        done = run("run", *options, "--script", str(script), *program)
        if "--json" in options:
            for line in lines(done):
                jsonschema.validate(line, SCHEMA)
        return done

    return start


def test_script_leads_from_breakpoint_to_breakpoint(scripted):
    done = scripted("# first", "", "b /src/P.cs:2", "c", "p i", "locals", "bt", "n", "c", "p i", "c")
    found = lines(done)
    assert done.returncode == 3
    assert [line["reason"] for line in kinds(found, "stopped")][:2] == ["breakpoint", "step"]
    assert [line["expression"] for line in kinds(found, "evaluation")] == ["i", "i"]
    assert kinds(found, "locals")[0]["variables"][0]["name"] == "i"
    (stack,) = kinds(found, "stack")
    assert (stack["first"], stack["selected"]) == (0, 0)
    assert stack["frames"]


def test_threads_are_frozen_and_thawed(scripted):
    done = scripted("b /src/P.cs:2", "c", "freeze 7", "thaw 7", "freeze", "thaw x", "x")
    notices = [line["message"] for line in kinds(lines(done), "notice")]
    assert notices[:2] == ["Frozen: 7.", "Frozen: no thread."]
    wrong = [line["message"] for line in kinds(lines(done), "error")]
    assert wrong == ["a thread number is needed, as shown by threads.", "expected a number, not 'x'."]


def test_exceptions_to_stop_at_are_chosen(scripted):
    done = scripted("catch all:System.IO.IOException", "catch unhandled", "catch off", "catch", "catch some", "x")
    found = lines(done)
    assert [line["message"] for line in kinds(found, "notice")][:3] == [
        "Stops at exceptions: all:System.IO.IOException.",
        "Stops at exceptions: all:System.IO.IOException; unhandled.",
        "Stops at exceptions: only unhandled ones.",
    ]
    wrong = [line["message"] for line in kinds(found, "error")]
    assert wrong[0] == "catch needs one of all, user-unhandled, unhandled, or off."
    assert wrong[1].startswith("expected all, user-unhandled, unhandled, alone or with :TYPES")


def test_program_runs_on_after_the_last_line(scripted):
    done = scripted("b /src/P.cs:2", "c", "p i")
    assert done.returncode == 3
    assert len(kinds(lines(done), "stopped")) == 3
    assert len(kinds(lines(done), "evaluation")) == 1


def test_session_ends_where_the_script_says(scripted):
    done = scripted("b /src/P.cs:2", "c", "x", "p i")
    assert done.returncode == 0
    assert len(kinds(lines(done), "stopped")) == 1
    assert not kinds(lines(done), "evaluation")
    assert kinds(lines(done), "notice")[-1]["message"] == "The program was ended."


def test_session_may_end_before_the_program_has_begun(scripted):
    done = scripted("x")
    assert done.returncode == 0
    assert not kinds(lines(done), "stopped")


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("dance", "There is no command 'dance'"),
        ("p", "p needs an expression"),
        ("b", "b needs a place"),
        ("b /src/P.cs:0", "start at 1"),
        ("d", "d needs the number"),
        ("d 77", "There is no breakpoint 77"),
        ("d x", "expected a number, not 'x'"),
        ("frame 99", "There is no frame 99"),
        ("down", "There is no frame -1"),
        ("b /src/P.cs:2", "There is a breakpoint at this place already"),
        ("explain 9", "There is no breakpoint 9"),
    ],
)
def test_what_is_wrong_is_told_and_the_script_goes_on(scripted, command, problem):
    found = lines(scripted("b /src/P.cs:2", "c", command, "p i", "x"))
    (error,) = kinds(found, "error")
    assert problem in error["message"]
    assert error["code"] in ("INVALID_COMMAND", "INVALID_LINE")
    assert kinds(found, "evaluation")


@pytest.mark.parametrize("command", ["n", "p i", "bt", "locals"])
def test_nothing_is_seen_before_the_program_has_begun(scripted, command):
    found = lines(scripted(command, "x"))
    assert "has not started yet" in kinds(found, "error")[0]["message"]


def test_breakpoint_is_deleted(scripted):
    found = lines(scripted("b /src/P.cs:2", "c", "d 1", "c"))
    assert len(kinds(found, "stopped")) == 1
    assert kinds(found, "breakpoint")[-1]["reason"] == "removed"


def test_people_read_the_same(scripted):
    done = scripted("b /src/P.cs:2", "c", "bt", "p i", "locals", "threads", "async", "h", "x", options=())
    assert "i = " in done.stdout
    assert "#0 " in done.stdout
    assert "P.Later() waits" in done.stdout
    assert "the value of a C# expression" in done.stdout


def test_script_that_cannot_be_read(tmp_path):
    done = run("run", "--json", "--script", str(tmp_path / "none"), "loop")
    assert done.returncode == 2
    (error,) = kinds(lines(done), "error")
    assert "The script cannot be read" in error["message"]


def test_all_that_a_stop_has_is_in_the_schema():
    options = ["-e", "i", "-e", "oops", "--locals", "--stack", "2", "--list-breakpoints", "--explain", "--async"]
    done = run("run", "--json", "-b", "/src/P.cs:2", *options, "loop")
    found = lines(done)
    told = {line["kind"] for line in found}
    assert told >= {"stopped", "asyncTasks", "breakpoint", "breakpoints", "process", "exited", "terminated"}
    for line in found:
        jsonschema.validate(line, SCHEMA)
    known = {case["properties"]["kind"].get("const") for case in SCHEMA["anyOf"]}
    assert told <= known


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "stopped", "reason": "step"},
        {"kind": "evaluation", "expression": "i"},
        {"kind": "exited"},
        {"kind": "breakpoints", "when": "later", "breakpoints": []},
        {"message": "no kind"},
    ],
)
def test_schema_refuses_what_is_incomplete(wrong):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, SCHEMA)
