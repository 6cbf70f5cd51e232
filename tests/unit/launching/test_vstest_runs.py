"""A run of tests with a platform of our own, which speaks the protocol and plays what it is told."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from dap_dotnet.launching.vstest_runs import HostOutput, VstestRun
from dap_dotnet.protocol.messages.tests import TestResultBody, TestRunBody, TestStartedBody
from dap_dotnet.runtime.events import OutputWritten, RunReported
from dap_dotnet.runtime.model import LaunchSpec, TestRun
from tests.unit.launching.helpers import DEADLINE_SECONDS

PLATFORM = Path(__file__).with_name("fake_platform.py")


def case(name: str, **more: object) -> dict[str, object]:
    return {"Id": name, "FullyQualifiedName": name, "DisplayName": name, "Source": "/a/Tests.dll", **more}


def result(name: str, outcome: int, **more: object) -> dict[str, object]:
    return {"TestCase": case(name), "Outcome": outcome, "Duration": "00:00:01.5000000", **more}


class Played:
    """A run of a script: what the platform sends, in order."""

    def __init__(self, tmp_path: Path, script: list[object]) -> None:
        file = tmp_path / "script.json"
        file.write_text(json.dumps(script))
        self.received = tmp_path / "received.json"
        command = (sys.executable, str(PLATFORM), str(file), str(self.received))
        tests = TestRun("/a/Tests.dll", "Name=A", "<RunSettings />", "net8.0")
        spec = LaunchSpec(command, str(tmp_path), dict(os.environ), tests=tests)
        self.events: list[object] = []
        self.run = VstestRun(spec, self.events.append, debugging=False)
        self._ended = threading.Event()
        self.exit_code: int | None = None

    def play(self) -> Played:
        self.run.start()
        self.run.when_ended(self._end)
        assert self._ended.wait(DEADLINE_SECONDS)
        self.run.close()
        return self

    def _end(self, exit_code: int) -> None:
        self.exit_code = exit_code
        self._ended.set()

    def reports(self) -> list[object]:
        return [event.report for event in self.events if isinstance(event, RunReported)]

    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, OutputWritten))


COMPLETED = {"TestRunCompleteArgs": {"IsAborted": False, "ElapsedTimeInRunningTests": "00:00:02"}}


def test_results_come_one_by_one_and_the_exit_code_says_whether_all_passed(tmp_path):
    active = {"NewTestResults": [], "ActiveTests": [case("Ns.C.M(1)")]}
    trace = f"   at Lib.That() in /nowhere/Lib.cs:line 3\n   at Ns.C.M() in {__file__}:line 7"
    failed = result(
        "Ns.C.M(1)", 2, ErrorMessage="Expected: 1\nActual:   2", ErrorStackTrace=trace,
        Messages=[{"Category": "StdOutMsgs", "Text": "one\n"}, {"Category": "StdErrMsgs", "Text": "two"}],
    )  # fmt: skip
    played = Played(
        tmp_path,
        [
            ["TestExecution.StatsChange", active],
            ["TestSession.Message", {"MessageLevel": 1, "Message": "a warning"}],
            ["TestSession.Message", {"MessageLevel": 2, "Message": "[xUnit.net 00:00:01]   Ns.C.M [FAIL]"}],
            ["TestExecution.StatsChange", {"NewTestResults": [failed, result("Ns.C.N", 1)], "ActiveTests": []}],
            ["TestExecution.Completed", {**COMPLETED, "LastRunTests": {"NewTestResults": [result("Ns.C.O", 3)]}}],
        ],
    ).play()
    started, first, second, third, end = played.reports()
    assert started == TestStartedBody(
        id="Ns.C.M", display_name="Ns.C.M(1)", assembly="/a/Tests.dll", target_framework="net8.0"
    )
    assert isinstance(first, TestResultBody)
    assert (first.id, first.outcome, first.duration_ms) == ("Ns.C.M", "failed", 1500)
    assert (first.expected, first.actual, first.output, first.error_output) == ("1", "2", "one\n", "two")
    assert (first.file, first.line) == (__file__, 7)
    assert [(each.id, each.outcome) for each in (second, third)] == [("Ns.C.N", "passed"), ("Ns.C.O", "skipped")]
    assert end == TestRunBody(passed=1, failed=1, skipped=1, duration_ms=2000, unfinished=[])
    assert played.exit_code == 1
    assert "a warning" in played.text()
    assert "[FAIL]" not in played.text()
    assert "  Failed Ns.C.M(1) [1.5 s]\n  Error Message:\n   Expected: 1\n" in played.text()
    assert "Failed!  - Failed:     1, Passed:     1, Skipped:     1, Total:     3, Duration: 2.0 s" in played.text()


def test_platform_is_asked_for_what_is_to_run(tmp_path):
    played = Played(tmp_path, [["TestExecution.Completed", COMPLETED]]).play()
    received = json.loads(played.received.read_text())
    assert received["MessageType"] == "TestExecution.GetTestRunnerProcessStartInfoForRunAll"
    payload = received["Payload"]
    assert (payload["Sources"], payload["RunSettings"]) == (["/a/Tests.dll"], "<RunSettings />")
    assert payload["TestPlatformOptions"] == {"TestCaseFilter": "Name=A"}
    assert played.exit_code == 0
    assert played.text() == "No test of Tests.dll matches the filter, or it has none.\n"


def test_host_that_dies_is_said_with_the_test_that_ran(tmp_path):
    host = {"FileName": sys.executable, "Arguments": '-c "import os; os.abort()"', "WorkingDirectory": str(tmp_path)}
    aborted = {"TestRunCompleteArgs": {"IsAborted": True, "Error": {"Message": "crashed"}}}
    played = Played(
        tmp_path,
        [
            ["TestExecution.CustomTestHostLaunch", host],
            ["TestExecution.StatsChange", {"ActiveTests": [case("Ns.C.M")]}],
            ["TestExecution.Completed", aborted],
        ],
    ).play()
    end = played.reports()[-1]
    assert isinstance(end, TestRunBody)
    assert end.error is not None
    assert end.error.startswith("The test host was killed by signal 6 while Ns.C.M ran.")
    assert "Debug the test to stop there." in end.error
    assert end.unfinished == ["Ns.C.M"]
    assert played.exit_code == 1


def test_host_writes_to_the_user(tmp_path):
    host = {"FileName": sys.executable, "Arguments": "-c \"print('from a test')\"", "EnvironmentVariables": {"A": "1"}}
    played = Played(
        tmp_path, [["TestExecution.CustomTestHostLaunch", host], ["TestExecution.Completed", COMPLETED]]
    ).play()
    assert "from a test\n" in played.text()


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["Bitte warten ...\nProcess Id: 12, Na", "me: dotnet\nfrom", " a test"], "from a test"),
        (["no request", " of a host"], "no request of a host"),
    ],
)
def test_request_of_a_host_for_a_debugger_is_not_shown(texts, shown):
    written: list[OutputWritten] = []
    output = HostOutput(written.append, is_held=True)
    for text in texts:
        output(OutputWritten(is_error=False, text=text))
    output.release()
    output(OutputWritten(is_error=False, text="!"))
    assert "".join(event.text for event in written) == f"{shown}!"


@pytest.mark.parametrize("script", [[], [["ProtocolError", None]], ["nonsense"]])
def test_platform_that_hangs_up_or_is_not_understood_is_said(tmp_path, script):
    played = Played(tmp_path, script).play()
    end = played.reports()[-1]
    assert isinstance(end, TestRunBody)
    assert end.error
    assert played.exit_code == 1


def test_run_that_hangs_is_ended(tmp_path):
    played = Played(tmp_path, [["TestExecution.StatsChange", {"ActiveTests": [case("Ns.C.M")]}], "wait"])
    played.run.start()
    played.run.when_ended(played._end)
    deadline = threading.Event()
    while not played.reports():
        assert not deadline.wait(0.01)
    played.run.kill()
    assert played._ended.wait(DEADLINE_SECONDS)
    end = played.reports()[-1]
    assert isinstance(end, TestRunBody)
    assert (end.error, end.unfinished) == ("The run was ended while Ns.C.M ran.", ["Ns.C.M"])
    played.run.close()
