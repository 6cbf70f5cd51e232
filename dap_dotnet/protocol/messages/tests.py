"""Bodies of the events on a run of tests: `dap-dotnet/testStarted`, `testResult` and `testRun`."""

from __future__ import annotations

from typing import Literal

from dap_dotnet.protocol.messages.base import WireModel


class TestStartedBody(WireModel):
    """A test begins, or a row of one."""

    __test__ = False  # not for pytest
    id: str
    display_name: str
    assembly: str
    target_framework: str | None = None


class TestResultBody(WireModel):
    """A test has ended, or a row of one: `id` is that of the method, `displayName` has the row's data."""

    __test__ = False
    id: str
    display_name: str
    assembly: str
    target_framework: str | None = None
    outcome: Literal["passed", "failed", "skipped", "none"]
    duration_ms: float
    message: str | None = None
    stack_trace: str | None = None
    file: str | None = None
    line: int | None = None
    expected: str | None = None
    actual: str | None = None
    output: str | None = None
    error_output: str | None = None


class TestRunBody(WireModel):
    """A run has ended. `unfinished`: the ids of tests that had begun and have no result."""

    __test__ = False
    passed: int
    failed: int
    skipped: int
    duration_ms: float
    error: str | None = None
    unfinished: list[str]


TestReport = TestStartedBody | TestResultBody | TestRunBody
EVENT_NAMES: dict[type, str] = {
    TestStartedBody: "dap-dotnet/testStarted",
    TestResultBody: "dap-dotnet/testResult",
    TestRunBody: "dap-dotnet/testRun",
}
