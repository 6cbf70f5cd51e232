"""``test --no-debug``: build a project and run its tests without a debugger."""

from __future__ import annotations

import queue
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

from dap_dotnet.cli.arguments import DebugArguments
from dap_dotnet.cli.exit_codes import BROKEN_PIPE, INTERNAL_FAILURE, TIMED_OUT
from dap_dotnet.cli.human import HumanReporter
from dap_dotnet.cli.json_lines import JsonReporter
from dap_dotnet.cli.report import ErrorReport, Reporter
from dap_dotnet.cli.style import accept_any_text, discard_output
from dap_dotnet.errors import DapDotnetError, LaunchError
from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.launching.builds import BuildLine, build
from dap_dotnet.launching.dotnet_test_plans import plan_tests, remark_on_filter, tests_to_start
from dap_dotnet.launching.launcher import Launcher
from dap_dotnet.launching.output import PacedOutput
from dap_dotnet.launching.plans import LaunchPlan, tests_wanted
from dap_dotnet.launching.programs import resolve_program
from dap_dotnet.launching.vstest_runs import VstestRun
from dap_dotnet.protocol.messages.tests import EVENT_NAMES
from dap_dotnet.protocol.reading import read
from dap_dotnet.runtime.events import OutputWritten, RunReported, RuntimeEvent
from dap_dotnet.runtime.model import LaunchSpec

_POLL_S = 0.1


def run_tests(arguments: DebugArguments) -> int:
    """Run as asked and return the exit code."""
    accept_any_text()
    reporter: Reporter = (
        JsonReporter(sys.stdout) if arguments.json else HumanReporter(sys.stdout, sys.stderr, show_stack=False)
    )
    try:
        return _Run(arguments, reporter).run()
    except DapDotnetError as error:
        reporter.error(ErrorReport(error.code, error.message))
        return INTERNAL_FAILURE
    except BrokenPipeError:
        discard_output()
        return BROKEN_PIPE


class _Run:
    def __init__(self, arguments: DebugArguments, reporter: Reporter) -> None:
        self._arguments = arguments
        self._reporter = reporter
        self._events: queue.SimpleQueue[RuntimeEvent | int] = queue.SimpleQueue()
        """What the threads of the run tell, and at the end its exit code."""
        self._signal: int | None = None

    def run(self) -> int:
        before = {number: signal.signal(number, self._interrupted) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            return self._run()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _interrupted(self, number: int, _frame: FrameType | None) -> None:
        self._signal = number

    def _run(self) -> int:
        sent: dict[str, Any] = {**self._arguments.attributes, "args": list(self._arguments.program_arguments)}
        launch = read(LaunchArguments, sent, "launch")
        tests = tests_wanted(launch)
        assert tests is not None
        plan = plan_tests(launch, tests)
        for remark in plan.remarks:
            self._reporter.notice(remark)
        assembly = Path(plan.program)
        if plan.project is not None:
            assembly = build(
                plan.project, plan.build, plan.environment, self._build_line, lambda: self._signal is not None
            ).made
        remark_of_filter = remark_on_filter(assembly, plan.tests or "")
        if remark_of_filter is not None:
            self._reporter.notice(remark_of_filter)
        spec = tests_to_start(plan, assembly, _resolve)
        if spec.tests is None:
            return self._run_program(spec)
        run = VstestRun(spec, self._events.put, debugging=False)
        run.start()
        try:
            run.when_ended(self._events.put)
            return self._until_end(run.kill)
        finally:
            run.close()

    def _run_program(self, spec: LaunchSpec) -> int:
        self._reporter.notice(
            "These tests are an executable that runs itself: its output tells what became of each test, the exit code "
            "whether all have passed."
        )
        launcher = Launcher.start(
            spec.command, spec.working_directory, spec.environment, self._events.put, ends_children=True
        )
        try:
            launcher.when_ended(lambda status: self._events.put(status.exit_code))
            launcher.open_gate()
            return self._until_end(launcher.kill)
        finally:
            launcher.close()

    def _until_end(self, kill: Any) -> int:
        """Report until the exit code comes; the run is ended when a signal comes, or its time is over."""
        timeout_s = self._arguments.timeout_s
        deadline = time.monotonic() + timeout_s if timeout_s is not None else None
        exit_code: int | None = None
        while True:
            if exit_code is None and self._signal is not None:
                exit_code = 128 + self._signal
                self._reporter.notice(f"{signal.Signals(self._signal).name}: the run is ended.")
                kill()
            if exit_code is None and deadline is not None and time.monotonic() > deadline:
                exit_code = TIMED_OUT
                text = f"The time limit of {timeout_s:g} s is over. The run is ended."
                self._reporter.error(ErrorReport("TIMEOUT", text))
                kill()
            try:
                event = self._events.get(timeout=_POLL_S)
            except queue.Empty:
                continue
            if isinstance(event, int):
                self._reporter.event("exited", {"exitCode": event})
                return exit_code if exit_code is not None else event
            self._tell(event)

    def _tell(self, event: RuntimeEvent) -> None:
        if isinstance(event, RunReported):
            body = event.report.model_dump(by_alias=True, exclude_none=True, mode="json")
            self._reporter.event(EVENT_NAMES[type(event.report)], body)
        elif isinstance(event, OutputWritten):
            self._reporter.event("output", {"category": "stderr" if event.is_error else "stdout", "output": event.text})
            if isinstance(event, PacedOutput):
                event.taken()

    def _build_line(self, line: BuildLine) -> None:
        body: dict[str, Any] = {"category": "console", "output": line.text + "\n"}
        problem = line.diagnostic
        if problem is not None:
            body["category"] = "stderr" if problem.is_error else "console"
            if problem.is_in_source:
                body["source"] = {"name": Path(problem.path).name, "path": problem.path}
                body["line"], body["column"] = problem.line, max(problem.column, 1)
        self._reporter.event("output", body)


def _resolve(plan: LaunchPlan, assembly: Path) -> LaunchSpec:
    try:
        return resolve_program(str(assembly), plan.arguments, plan.working_directory, plan.environment)
    except OSError as error:
        raise LaunchError(f"{assembly} cannot be started: {error.strerror}.") from error
