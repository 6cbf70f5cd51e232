"""What a test run reports, out of the messages of the test platform."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from dap_dotnet.launching.assertion_texts import expected_and_actual
from dap_dotnet.launching.vstest_protocol import property_of
from dap_dotnet.protocol.messages.tests import TestReport, TestResultBody, TestRunBody, TestStartedBody
from dap_dotnet.test_discovery.filters import id_of_run

_OUTCOMES: dict[int, Literal["passed", "failed", "skipped", "none"]] = {1: "passed", 2: "failed", 3: "skipped"}
"""TestOutcome; none and not found (0, 4) are neither."""
_FRAME = re.compile(r"^\s*at .+? in (?P<file>.+):line (?P<line>\d+)\s*$", re.MULTILINE)
_DURATION = re.compile(r"(?:(\d+)\.)?(\d+):(\d+):(\d+(?:\.\d+)?)")


class RunReports:
    """Collects what a run has told so far. For one thread."""

    def __init__(self, target_framework: str | None = None) -> None:
        self._target_framework = target_framework
        self._counts = {"passed": 0, "failed": 0, "skipped": 0, "none": 0}
        self._running: dict[str, str] = {}
        """The id of each test that has begun, by the id of its case."""
        self._duration_ms = 0.0
        self.has_failed = False

    def of_statistics(self, payload: Mapping[str, Any] | None) -> Iterator[TestReport]:
        """What a change of the statistics says: tests that have ended, and those that run now."""
        for result in (payload or {}).get("NewTestResults") or ():
            yield self._result(result)
        for case in (payload or {}).get("ActiveTests") or ():
            key = str(case.get("Id"))
            if key not in self._running:
                self._running[key] = _id_of(case)
                yield TestStartedBody(
                    id=_id_of(case),
                    display_name=str(case.get("DisplayName") or ""),
                    assembly=str(case.get("Source") or ""),
                    target_framework=self._target_framework,
                )

    def ended(self, payload: Mapping[str, Any] | None, error: str | None) -> Iterator[TestReport]:
        """What the end of the run says, with results that came with it."""
        yield from self.of_statistics((payload or {}).get("LastRunTests"))
        arguments = (payload or {}).get("TestRunCompleteArgs") or {}
        failure = arguments.get("Error") or {}
        if error is None and arguments.get("IsAborted"):
            error = str(failure.get("Message") or "The run was aborted.")
        self.has_failed = bool(self._counts["failed"] or error)
        yield TestRunBody(
            passed=self._counts["passed"],
            failed=self._counts["failed"],
            skipped=self._counts["skipped"],
            duration_ms=_milliseconds(str(arguments.get("ElapsedTimeInRunningTests") or "")) or self._duration_ms,
            error=error,
            unfinished=list(dict.fromkeys(self._running.values())),
        )

    def running(self) -> list[str]:
        """The ids of the tests that have begun and have no result."""
        return list(dict.fromkeys(self._running.values()))

    def _result(self, result: Mapping[str, Any]) -> TestResultBody:
        case = result.get("TestCase") or {}
        self._running.pop(str(case.get("Id")), None)
        outcome = _OUTCOMES.get(int(result.get("Outcome") or 0), "none")
        self._counts[outcome] += 1
        duration_ms = _milliseconds(str(result.get("Duration") or ""))
        self._duration_ms += duration_ms
        message = result.get("ErrorMessage")
        trace = result.get("ErrorStackTrace")
        values = expected_and_actual(message) if message and outcome == "failed" else None
        place = place_in(trace or "")
        messages = [entry for entry in result.get("Messages") or () if isinstance(entry, Mapping)]
        return TestResultBody(
            id=_id_of(case),
            display_name=str(result.get("DisplayName") or case.get("DisplayName") or ""),
            assembly=str(case.get("Source") or ""),
            target_framework=self._target_framework,
            outcome=outcome,
            duration_ms=duration_ms,
            message=message,
            stack_trace=trace,
            file=place[0] if place is not None else None,
            line=place[1] if place is not None else None,
            expected=values[0] if values is not None else None,
            actual=values[1] if values is not None else None,
            output=_text(messages, "StdOutMsgs"),
            error_output=_text(messages, "StdErrMsgs"),
        )


def place_in(trace: str) -> tuple[str, int] | None:
    """The newest frame of a stack trace whose source is on this machine: that of the user's code, not of a package."""
    for frame in _FRAME.finditer(trace):
        if os.path.isfile(frame["file"]):
            return frame["file"], int(frame["line"])
    return None


def _id_of(case: Mapping[str, Any]) -> str:
    """That of the method, whatever the framework adds to the name of a case."""
    type_, method = property_of(case, "TestCase.ManagedType"), property_of(case, "TestCase.ManagedMethod")
    if isinstance(type_, str) and isinstance(method, str) and type_ and method:
        return f"{re.sub(r'`[0-9]+', '', type_)}.{re.split(r'[(`]', method)[0]}"
    return id_of_run(str(case.get("FullyQualifiedName") or ""))


def _text(messages: list[Mapping[str, Any]], category: str) -> str | None:
    return "".join(str(entry.get("Text") or "") for entry in messages if entry.get("Category") == category) or None


def _milliseconds(duration: str) -> float:
    match = _DURATION.fullmatch(duration)
    if match is None:
        return 0.0
    days, hours, minutes, seconds = int(match[1] or 0), int(match[2]), int(match[3]), float(match[4])
    return round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000, 3)
