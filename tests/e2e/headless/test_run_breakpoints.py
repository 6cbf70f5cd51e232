"""Every option of the command line for breakpoints, on real programs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import describe_process
from tests.support.programs import Program
from tests.support.session import Place, adapter_program

pytestmark = pytest.mark.e2e

TIMEOUT_S = 60
Lines = list[dict[str, Any]]
Run = Callable[..., Lines]


@pytest.fixture
def run() -> Iterator[Run]:
    """``run(program, options, arguments)``: the lines of ``run --json``, which must end with the expected exit code."""
    with Place() as place:

        def start(program: Program, *options: str, arguments: tuple[str, ...] = (), code: int = 0) -> Lines:
            log = place.folder / "adapter.log"
            log.touch()
            command = [
                adapter_program(),
                "--log",
                str(log),
                "run",
                "--json",
                *options,
                str(program.dll),
                "--",
                *arguments,
            ]
            environment = {**place.environment, **program.env}
            with subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            ) as process:
                try:
                    written, complaints = process.communicate(timeout=TIMEOUT_S)
                except subprocess.TimeoutExpired:
                    seen = [*map(describe_process, place.processes()), log.read_text(encoding="utf-8")[-8000:]]
                    process.kill()
                    written, complaints = process.communicate()
                    pytest.fail("\n".join([f"no end in {TIMEOUT_S} s", written, complaints, *seen]))
            assert process.returncode == code, written + complaints
            return [json.loads(line) for line in written.splitlines()]

        yield start


def of_kind(lines: Lines, kind: str) -> Lines:
    return [line for line in lines if line["kind"] == kind]


def at(program: Program, marker: str) -> str:
    return f"{program.source}:{program.line(marker)}"


def logged(lines: Lines) -> str:
    return "".join(line["output"] for line in of_kind(lines, "output") if line["category"] == "console")


def test_condition_and_hits_stop_where_they_should_with_the_adapters_count(runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", runtime)
    options = ["-b", at(program, "square-return"), "--when", "value % 2 == 0", "--hits", "% 3", "-e", "value"]
    lines = run(program, *options, arguments=("20",))
    stops = of_kind(lines, "stopped")
    assert [stop["evaluations"][0]["result"] for stop in stops] == ["4", "10", "16"]
    assert [stop["hitCount"] for stop in stops] == [3, 6, 9]


def test_log_points_write_everything_in_order_and_before_the_output_that_follows(
    newest_runtime: Runtime, run: Run
) -> None:
    program = programs.build("Loop", newest_runtime)
    lines = run(program, "-b", at(program, "square-return"), "--log", "v={value} $HITCOUNT", arguments=("500",))
    assert logged(lines) == "".join(f"v={value} {value + 1}\n" for value in range(500))
    texts = [line["output"] for line in of_kind(lines, "output")]
    assert texts[-1].startswith("total ")
    assert len(texts) < 400  # gathered, if only by two where the machine is slow


def test_triggered_breakpoint_stops_after_the_other_one_only(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", newest_runtime)
    trigger = ["-b", at(program, "square"), "--when", "value == 3", "--log", "now"]
    lines = run(program, *trigger, "-b", at(program, "loop"), "--after", "1", "-e", "i", arguments=("6",))
    stops = of_kind(lines, "stopped")
    assert [(stop["hitBreakpointIds"], stop["evaluations"][0]["result"]) for stop in stops] == [
        ([2], "3"),
        ([2], "4"),
        ([2], "5"),
    ]


def test_temporary_breakpoint_stops_once(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", newest_runtime)
    options = ["-b", at(program, "square"), "--temporary", "--list-breakpoints"]
    lines = run(program, *options, arguments=("5",))
    assert len(of_kind(lines, "stopped")) == 1
    first, last = of_kind(lines, "breakpoints")
    assert (first["when"], last["when"]) == ("set", "end")
    (entry,) = last["breakpoints"]
    assert (entry["state"], entry["hitCount"], entry["temporary"]) == ("removed", 1, True)
    removed = [line["breakpoint"]["id"] for line in of_kind(lines, "breakpoint") if line["reason"] == "removed"]
    assert removed == [1]


def test_function_breakpoint_stops_and_logs(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", newest_runtime)
    options = ["--break-function", "Loop.Program.Square", "--hits", "2", "--break-function", "Main", "--log", "began"]
    lines = run(program, *options, arguments=("5",))
    (stop,) = of_kind(lines, "stopped")
    assert stop["location"]["function"] == "Loop.Program.Square(int value)"
    assert logged(lines) == "began\n"


def test_exception_breakpoint_stops_for_its_types(newest_runtime: Runtime, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "Throws"
    folder.mkdir()
    (folder / "Program.cs").write_text(
        "using System;\nclass Program\n{\n    static int Main()\n    {\n"
        "        try { throw new ArgumentException(); } catch (Exception) { }\n"
        "        try { throw new FormatException(); } catch (Exception) { }\n"
        "        return 0;\n    }\n}\n"
    )
    program = programs.build(folder, newest_runtime)
    lines = run(program, "--break-exception", "all:System.FormatException", "--list-breakpoints")
    (stop,) = of_kind(lines, "stopped")
    assert (stop["reason"], stop["location"]["line"]) == ("exception", 7)
    (entry,) = of_kind(lines, "breakpoints")[-1]["breakpoints"]
    assert (entry["kind"], entry["filters"], entry["condition"]) == ("exception", ["all"], "System.FormatException")


def test_every_breakpoint_that_does_not_work_has_its_code(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", newest_runtime)
    source = program.source
    options = ["-b", f"{source}:9999", "-b", f"{source}:{program.line('square')}:90", "--when", "false"]
    options += ["-b", at(program, "call"), "--when", "1 +", "-b", at(program, "after"), "--when", "nothing == 1"]
    options += ["-b", "/nowhere/Other.cs:3", "--break-exception", "all:1x", "--list-breakpoints"]
    lines = run(program, *options, arguments=("2",))
    codes = {line["breakpoint"].get("id"): line["breakpoint"].get("code") for line in of_kind(lines, "breakpoint")}
    assert codes == {
        1: "INVALID_LINE",
        2: "INVALID_COLUMN",
        3: "INVALID_CONDITION",
        4: "EVAL_FAILED",
        5: "INVALID_FILE",
        None: "INVALID_CONDITION",
    }
    listed = of_kind(lines, "breakpoints")[-1]["breakpoints"]
    assert [entry.get("code") for entry in listed] == [codes[number] for number in range(1, 6)]
    assert all(entry["message"] for entry in listed)


def test_list_has_the_actual_places_and_the_hits_at_the_end(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", newest_runtime)
    options = ["-b", at(program, "square"), "--hits", "> 1000", "--list-breakpoints"]
    first, last = of_kind(run(program, *options, arguments=("30",)), "breakpoints")
    (entry,) = first["breakpoints"]
    assert entry["hitCount"] == 0
    (entry,) = last["breakpoints"]
    assert (entry["hitCount"], entry["state"], entry["hitCondition"]) == (30, "bound", "> 1000")
    (location,) = entry["locations"]
    assert (location["module"], location["line"]) == ("Loop.dll", program.line("square"))


def test_list_has_breakpoints_that_max_stops_removed(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", newest_runtime)
    options = ["-b", at(program, "square"), "--max-stops", "2", "--list-breakpoints"]
    (entry,) = of_kind(run(program, *options, arguments=("30",)), "breakpoints")[-1]["breakpoints"]
    assert (entry["state"], entry["hitCount"]) == ("removed", 2)


def test_explanation_says_what_became_of_the_condition(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", newest_runtime)
    options = ["-b", at(program, "square"), "--when", "value > 100", "--explain"]
    (explanation,) = of_kind(run(program, *options, arguments=("30",)), "explanation")
    assert (explanation["breakpointId"], explanation["state"]) == (1, "bound")
    assert explanation["condition"]["tested"] == 30
    assert explanation["condition"]["held"] == 0
    assert "30" in explanation["text"]


def test_list_comes_also_when_the_time_is_over(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Loop", newest_runtime)
    options = ["-b", at(program, "square"), "--when", "value < 0", "--list-breakpoints", "--timeout", "4"]
    lines = run(program, *options, arguments=("100000000",), code=124)
    assert of_kind(lines, "error")[0]["code"] == "TIMEOUT"
    assert of_kind(lines, "breakpoints")[-1]["when"] == "end"


def test_watched_fields_stop_list_and_explain_themselves(runtime: Runtime, run: Run) -> None:
    program = programs.build("Watched", runtime)
    options = ["--watch", "Counter.count", "--when", "one.count == 5", "--watch", "Counter.Nope", "--list-breakpoints"]
    lines = run(program, *options, "--explain", arguments=("loop",))
    (stop,) = of_kind(lines, "stopped")
    assert (stop["reason"], stop["text"]) == ("data breakpoint", "Counter.count: 4 -> 5")
    assert (stop["hitBreakpointIds"], stop["hitCount"]) == ([1], 1)
    listed = {entry["id"]: entry for entry in of_kind(lines, "breakpoints")[-1]["breakpoints"]}
    assert (listed[1]["kind"], listed[1]["field"], listed[1]["state"]) == ("data", "Counter.count", "bound")
    assert (listed[2]["state"], listed[2]["code"]) == ("pending", "MODULE_NOT_LOADED")
    explained = {entry["breakpointId"]: entry["text"] for entry in of_kind(lines, "explanation")}
    assert "instructions that can store to it" in explained[1]
    assert "No loaded module has a field Counter.Nope" in explained[2]
    new = [entry["breakpoint"]["field"] for entry in of_kind(lines, "breakpoint") if entry["reason"] == "new"]
    assert new == ["Counter.count", "Counter.Nope"]


def test_hits_of_a_watched_field_are_changes(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Watched", newest_runtime)
    lines = run(program, "--watch", "Counter.count", "--hits", "% 4", "--max-stops", "2", arguments=("loop",))
    # Two objects are constructed: 0 -> 1 twice and 1 -> 5.
    assert [stop["text"] for stop in of_kind(lines, "stopped")] == ["Counter.count: 1 -> 0", "Counter.count: 3 -> 4"]


def test_log_of_a_watched_field_writes_at_each_change(newest_runtime: Runtime, run: Run) -> None:
    program = programs.build("Watched", newest_runtime)
    lines = run(program, "--watch", "Counter.Total", "--log", "total {Counter.Total}", arguments=("statics",))
    assert logged(lines).split("total ")[1:] == [f"{value}\n" for value in (3, 4, 9, 12, 20, 21, 22)]


def test_program_begins_again_at_the_word_of_a_script(newest_runtime: Runtime, run: Run, tmp_path: Path) -> None:
    program = programs.build("Loop", newest_runtime)
    script = tmp_path / "script"
    script.write_text(f"restart\nb {at(program, 'loop')}\nc\nc\nrestart\nc\nx\n")
    lines = run(program, "--script", str(script))
    assert [line["code"] for line in of_kind(lines, "error")] == ["NOT_STOPPED"]  # nothing had begun
    stops = of_kind(lines, "stopped")
    assert len(stops) == 4
    processes = [line["systemProcessId"] for line in of_kind(lines, "process")]
    assert len(set(processes)) == 2
    assert [stop["hitBreakpointIds"] for stop in stops] == [[1]] * 4
    assert [stop["threadId"] for stop in stops] == [processes[0]] * 2 + [processes[1]] * 2


def test_step_is_explained_at_the_word_of_a_script(newest_runtime: Runtime, run: Run, tmp_path: Path) -> None:
    program = programs.build("Loop", newest_runtime)
    script = tmp_path / "script"
    script.write_text(f"b {at(program, 'call')}\nexplain step\nc\ns\nexplain step\nx\n")
    lines = run(program, "--script", str(script))
    assert [line["code"] for line in of_kind(lines, "error")] == ["NO_STEP"]
    (explained,) = of_kind(lines, "explainedStep")
    assert explained["step"].startswith("into the statement at Loop.Program.Main")
    assert explained["why"] == "the statement has called that"


def test_processes_that_the_program_starts_stop_too(newest_runtime: Runtime, run: Run) -> None:
    if newest_runtime.major == "3.1":
        pytest.skip("what a program on .NET Core 3.1 starts runs free (docs/children.md)")
    program = programs.build("Children", newest_runtime)
    options = ["--children", "-b", at(program, "leaf"), "-b", at(program, "sum"), "-e", "args.Length", "--stack", "9"]
    lines = run(program, *options, arguments=("tree",), code=3)
    stops = of_kind(lines, "stopped")
    assert [stop["hitBreakpointIds"] for stop in stops] == [[1], [2], [2]]
    leaf, middle, program_itself = (stop.get("child", {}).get("processId") for stop in stops)
    assert None not in (leaf, middle)
    assert leaf != middle
    assert program_itself is None
    assert stops[0]["evaluations"][0]["result"] == "1"
    ended = {line.get("child", {}).get("processId"): line["exitCode"] for line in of_kind(lines, "exited")}
    assert ended == {leaf: 3, middle: 3, None: 3}
    assert not [line for line in of_kind(lines, "notice") if "not bound" in line["message"]]
