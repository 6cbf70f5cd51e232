"""``--children``: sessions beside the program's."""

from __future__ import annotations

import json
import signal
import subprocess

import jsonschema

from dap_dotnet.cli.arguments import parse_debug_arguments
from dap_dotnet.cli.breakpoint_arguments import BreakpointArgument, FunctionArgument
from dap_dotnet.cli.breakpoints import BreakpointSet
from dap_dotnet.cli.children import ChildDriver, Newcomer
from tests.unit.cli.test_debug import command_line, kinds, lines, run
from tests.unit.cli.test_script import SCHEMA

CHILD = {"name": "worker", "processId": 4711}


def test_children_stop_at_the_programs_breakpoints_and_are_told_apart(tmp_path):
    done = run("run", "--json", "--children", "-b", "/src/P.cs:2", "-e", "i", "parent", "--", str(tmp_path / "end"))
    found = lines(done)
    for line in found:
        jsonschema.validate(line, SCHEMA)
    assert done.returncode == 3
    stops = kinds(found, "stopped")
    assert len(stops) == 3
    assert all(stop["child"] == CHILD and stop["hitBreakpointIds"] == [1] for stop in stops)
    assert [line.get("child") for line in kinds(found, "exited")] == [CHILD, None]


def test_what_is_said_of_a_child_begins_with_its_name(tmp_path):
    done = run("run", "--children", "-b", "/src/P.cs:2", "parent", "--", str(tmp_path / "end"))
    assert done.stdout.count("[worker 4711] # stopped at breakpoint 1") + done.stdout.count("[worker 4711] ■ ") == 3
    assert "[worker 4711] the program ended with exit code 3" in done.stdout
    assert "Sessions can be started only for running processes." in done.stdout
    assert done.stdout.rstrip().endswith("\nthe program ended with exit code 3")


def test_children_are_left_when_the_session_is_ended(tmp_path):
    line = command_line("run", "--json", "--children", "parent", "--", str(tmp_path / "end"))
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for text in process.stdout:
            read = json.loads(text)
            if (read["kind"], read.get("child")) == ("process", CHILD):
                break
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(30) == 130
        finally:
            process.kill()
        rest = [json.loads(text) for text in process.stdout]
    assert [read["message"] for read in kinds(rest, "notice")] == ["Interrupted. The program was ended."]
    assert (tmp_path / "end").exists(), "nobody has left the child"


def test_what_a_child_has_bound_at_its_beginning_counts_as_bound():
    newcomer = Newcomer(None, None, {"name": "child: worker [4711]", "processId": 4711})
    assert (newcomer.name, newcomer.process_id) == ("worker", 4711)
    child = ChildDriver(newcomer, parse_debug_arguments(["attach", "4711"]), None, None)
    child.note("breakpoint", {"reason": "new", "breakpoint": {"id": 1, "verified": True}})
    child.note("breakpoint", {"reason": "new", "breakpoint": {"id": 2, "verified": False}})
    child.note("breakpoint", {"reason": "changed", "breakpoint": {"id": 3, "verified": True}})
    assert child.bound == {1, 3}
    assert child.never_bound() == {}


def test_a_child_gets_the_breakpoints_that_are_still_wanted():
    def argument(name: str, after: int | None = None) -> BreakpointArgument:
        return BreakpointArgument(FunctionArgument(name), after=after)

    class Client:
        capabilities = None

        def request(self, command, arguments):
            return {"breakpoints": [{"id": 10 + int(one["name"])} for one in arguments.get("breakpoints", ())]}

    arguments = [argument("1"), argument("2"), argument("3", after=2), argument("4", after=3), argument("5", after=1)]
    breakpoints = BreakpointSet(Client(), arguments, None)
    breakpoints.set_all()
    assert breakpoints.wanted() == (tuple(arguments), None)
    assert breakpoints.remove(12)
    assert breakpoints.wanted() == ((argument("1"), argument("5", after=1)), None)
