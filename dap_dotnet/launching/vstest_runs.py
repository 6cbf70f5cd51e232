"""A run of tests by the test platform: its two processes, and what it reports while it runs.

vstest.console does what `dotnet test` does after the build. It is told over its protocol for editors what to run, asks
for the host, which is started here, and tells each result when it is there.
"""

from __future__ import annotations

import re
import shlex
import socket
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import vstest_protocol as protocol
from dap_dotnet.launching.failures import OutputRecorder
from dap_dotnet.launching.launcher import ExitStatus, Launcher
from dap_dotnet.launching.output import PacedOutput
from dap_dotnet.launching.result_texts import result_text, run_text
from dap_dotnet.launching.test_reports import RunReports
from dap_dotnet.launching.vstest_hosts import PATIENT, WAITS
from dap_dotnet.protocol.messages.tests import TestReport, TestResultBody, TestRunBody
from dap_dotnet.runtime.events import EventSink, OutputWritten, RunReported
from dap_dotnet.runtime.model import LaunchSpec, TestRun

_CONNECT_S = 60.0
_HANG_UP_S = 10.0
"""Which the platform has to end in once it has told the end of the run; it looks for its host for a while."""
_ADAPTER_NEWS = "[xUnit.net "
"""What xunit's adapter says of each failed test and each skipped one; the results say it, too."""
_WARNING = 1
_REQUEST = re.compile(r"\bProcess Id: \d+, Name: [^\n]*\n")
"""The last line of what a host writes that waits for a debugger; the words before it are translated."""


class VstestRun:
    """One run. `start` begins it; `on_ended` is called once, with the exit code, when all is over."""

    def __init__(
        self, spec: LaunchSpec, sink: EventSink, *, debugging: bool, launcher_program: Path | None = None
    ) -> None:
        """The events `OutputWritten` and `RunReported` go to `sink`, on threads of the run."""
        assert spec.tests is not None
        self._spec = spec
        self._tests: TestRun = spec.tests
        self._sink = sink
        self._debugging = debugging
        self._launcher_program = launcher_program
        self._reports = RunReports(self._tests.target_framework or None)
        self._listener = socket.socket()
        self._channel: protocol.Channel | None = None
        self._changed = threading.Condition()
        self._host: Launcher | None = None
        self._error: str | None = None
        self._is_over = False
        self._is_told = False
        self._has_warned = False
        self._is_killed = False
        self._console: Launcher | None = None
        self._last_error = ""
        self._on_ended: Callable[[int], None] | None = None
        self.platform_output = OutputRecorder(lambda event: None)
        self.host_output = HostOutput(sink, is_held=debugging)

    def start(self) -> None:
        """Start the platform. Raises `LaunchError`."""
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(1)
        port = self._listener.getsockname()[1]
        self._console = Launcher.start(
            [*self._spec.command, f"--port:{port}"],
            self._spec.working_directory,
            {**PATIENT, **self._spec.environment},
            self.platform_output,
            program=self._launcher_program,
            ends_children=True,
        )
        self._console.open_gate()
        threading.Thread(target=self._follow, name="test run", daemon=True).start()

    def when_ended(self, callback: Callable[[int], None]) -> None:
        """Have `callback` called with the run's exit code, once all has ended. On a thread of the run."""
        with self._changed:
            self._on_ended = callback
            is_over = self._is_over
        if is_over:
            self._tell_end()

    def await_host(self, timeout_s: float, is_unwanted: Callable[[], bool]) -> Launcher | None:
        """The host, once the platform has asked for it; None when the run ended before, or not in time."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while self._host is None and not self._is_over and time.monotonic() < deadline and not is_unwanted():
                self._changed.wait(0.1)
            return self._host

    @property
    def is_over(self) -> bool:
        """Whether the platform has ended."""
        with self._changed:
            return self._is_over

    def failure(self) -> str:
        """Why no test began, in words that follow a sentence."""
        return self._error or self._last_error or self.platform_output.quotation().strip()

    def kill(self) -> None:
        """End the host and the platform, at once."""
        with self._changed:
            self._is_killed = True
        for launcher in (self._host, self._console):
            if launcher is not None:
                launcher.kill()

    def close(self) -> None:
        """As `kill`, and wait for both. Idempotent."""
        self.kill()
        self._listener.close()
        for launcher in (self._host, self._console):
            if launcher is not None:
                launcher.close()

    # the thread that follows the run

    def _follow(self) -> None:
        payload: Mapping[str, Any] | None = None
        try:
            channel = self._connect()
            if channel is not None:
                self._channel = channel
                payload = self._converse(channel)
        except (OSError, ValueError) as error:
            self._error = self._error or f"The test platform cannot be understood: {error}."
        self._end(payload)

    def _connect(self) -> protocol.Channel | None:
        assert self._console is not None
        deadline = time.monotonic() + _CONNECT_S
        self._listener.settimeout(0.1)
        while time.monotonic() < deadline and self._console.is_alive():
            try:
                connection, _ = self._listener.accept()
            except TimeoutError:
                continue
            connection.settimeout(None)
            return protocol.Channel(connection)
        return None

    def _converse(self, channel: protocol.Channel) -> Mapping[str, Any] | None:
        """Until the run is complete: its summary, None when the platform hung up before."""
        while (message := channel.receive()) is not None:
            if message.name == protocol.CONNECTED:
                channel.send(protocol.PROTOCOL_VERSION, protocol.VERSION)
            elif message.name == protocol.PROTOCOL_VERSION:
                channel.send(protocol.INITIALIZE, [])
                tests = self._tests
                request = protocol.run_request(tests.assembly, tests.filter, tests.settings)
                channel.send(protocol.RUN, request)
            elif message.name == protocol.LAUNCH_HOST:
                channel.send(protocol.HOST_LAUNCHED, self._start_host(message.payload))
            elif message.name == protocol.STATISTICS:
                self._report(self._reports.of_statistics(message.payload))
            elif message.name == protocol.LOGGED:
                self._log(message.payload)
            elif message.name == protocol.PROTOCOL_ERROR:
                self._error = "The test platform of this SDK is too old."
                return None
            elif message.name == protocol.COMPLETED:
                completed: Mapping[str, Any] = message.payload or {}
                return completed
        return None

    def _start_host(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        if self._host is not None:
            return {"HostProcessId": -1, "ErrorMessage": "dap-dotnet runs one test host at a time."}
        environment = {**self._spec.environment, **(payload.get("EnvironmentVariables") or {})}
        command = [str(payload.get("FileName")), *shlex.split(str(payload.get("Arguments") or ""))]
        try:
            host = Launcher.start(
                command,
                str(payload.get("WorkingDirectory") or self._spec.working_directory),
                {**environment, **WAITS} if self._debugging else environment,
                self.host_output,
                program=self._launcher_program,
                ends_children=True,
            )
        except LaunchError as error:
            self._error = error.message
            return {"HostProcessId": -1, "ErrorMessage": error.message}
        if self._spec.on_forked is not None:
            self._spec.on_forked(host.process_id)
        host.open_gate()
        with self._changed:
            self._host = host
            is_killed = self._is_killed
            self._changed.notify_all()
        if is_killed:
            host.kill()
        return {"HostProcessId": host.process_id, "ErrorMessage": None}

    def _log(self, payload: Mapping[str, Any]) -> None:
        text = str(payload.get("Message") or "")
        level = int(payload.get("MessageLevel") or 0)
        if level < _WARNING or text.startswith(_ADAPTER_NEWS):
            return
        if level > _WARNING:
            self._last_error = text
        self._has_warned = True
        self._write(text + "\n", is_error=level > _WARNING)

    def _end(self, payload: Mapping[str, Any] | None) -> None:
        assert self._console is not None
        if self._channel is not None:
            try:
                self._channel.send(protocol.TERMINATE)
            except OSError:
                pass  # it has hung up
        host = self._host
        status = host.wait(_HANG_UP_S) if host is not None else None
        if (payload is None and self._error is None) or (
            self._error is None and (payload or {}).get("TestRunCompleteArgs", {}).get("IsAborted")
        ):
            self._error = self._last_words(status)
        self._report(self._reports.ended(payload, self._error))
        self._console.wait(_HANG_UP_S)
        self.kill()
        if self._channel is not None:
            self._channel.close()
        self._listener.close()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        self._tell_end()

    def _last_words(self, status: ExitStatus | None) -> str:
        """Why a run ended that did not complete, and what to do."""
        running = self._reports.running()
        names = ", ".join(running[:3]) + (", …" if len(running) > 3 else "")
        which = f" while {names} ran" if running else ""
        if self._is_killed:
            return f"The run was ended{which}."
        if self._host is None:
            return f"The test platform ended before it ran any test: {self.failure()}"
        if status is None:
            return f"The run was aborted{which}: {self._last_error or 'the test platform hung up'}."
        how = f"was killed by signal {status.signal}" if status.signal else f"ended with exit code {status.exit_code}"
        return (
            f"The test host {how}{which}. An exception on a thread of its own, a stack overflow, Environment.Exit and "
            "FailFast end it: its output says which. Debug the test to stop there."
        )

    def _tell_end(self) -> None:
        with self._changed:
            callback, self._on_ended = self._on_ended, None
        if callback is not None:
            callback(1 if self._reports.has_failed else 0)

    def _report(self, reports: Any) -> None:
        for report in reports:
            self._tell(report)

    def _tell(self, report: TestReport) -> None:
        host = self._host
        if host is not None:
            host.flush_output()
        self.host_output.release()
        text = ""
        if isinstance(report, TestResultBody):
            text = result_text(report)
        elif isinstance(report, TestRunBody) and not self._is_told:
            self._is_told = True
            has_said = self._has_warned and not (report.passed or report.failed or report.error)
            text = "" if has_said else run_text(report, self._tests.assembly)
        self._sink(RunReported(report=report))
        if text:
            self._write(text, is_error=False)

    def _write(self, text: str, *, is_error: bool) -> None:
        self._sink(OutputWritten(is_error=is_error, text=text))


class HostOutput:
    """The host's output, without its request for a debugger, which it writes before it looks at any test."""

    def __init__(self, sink: EventSink, *, is_held: bool) -> None:
        self._sink = sink
        self._is_held = is_held
        self._held = ""
        self._lock = threading.Lock()

    def __call__(self, event: OutputWritten) -> None:
        """Take an event. On the output pump's thread."""
        with self._lock:
            if event.is_error or not self._is_held:
                self._sink(event)
                return
            self._held += event.text
            if isinstance(event, PacedOutput):
                event.taken()
            request = _REQUEST.search(self._held)
            if request is not None:
                self._held = self._held[request.end() :]
                self._release()

    def release(self) -> None:
        """Pass on what has been held, and all that comes: the host is of a kind that asks in another way."""
        with self._lock:
            self._release()

    def quotation(self) -> str:
        """What has been held, for the end of a message."""
        with self._lock:
            return f" It wrote:\n{self._held.strip()}" if self._held.strip() else " It wrote nothing."

    def _release(self) -> None:
        self._is_held = False
        text, self._held = self._held, ""
        if text:
            self._sink(OutputWritten(is_error=False, text=text))
