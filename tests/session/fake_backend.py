"""Makes fake debuggees for the session."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from dap_dotnet.errors import LaunchError
from dap_dotnet.runtime.events import EventSink
from dap_dotnet.runtime.model import LaunchSpec
from tests.session.fake_debuggee import FakeDebuggee
from tests.session.fake_program import PROCESS_ID, Program


class FakeBackend:
    """Makes one fake debuggee. `may_start` lets a test hold the start up; `failure` makes it fail."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self.may_start = threading.Event()
        self.may_start.set()
        self.has_started = threading.Event()
        self.failure: LaunchError | None = None
        self.debuggee: FakeDebuggee | None = None
        self.spec: LaunchSpec | None = None
        self.warmed_up: LaunchSpec | None = None
        self.missing: set[str] = set()

    def resolve(
        self, program: str, arguments: Sequence[str], working_directory: str | None, environment: Mapping[str, str]
    ) -> LaunchSpec:
        """Every program is found, but those in `missing`."""
        if program in self.missing:
            raise LaunchError(f"There is no program {program}.")
        return LaunchSpec(("dotnet", program, *arguments), working_directory or "/", environment)

    def warm_up(self, spec: LaunchSpec) -> None:
        self.warmed_up = spec

    def launch(self, spec: LaunchSpec, sink: EventSink, *, timeout_ms: int) -> FakeDebuggee:
        self.spec = spec
        return self._start(sink, is_attach=False)

    def attach(self, process_id: int, sink: EventSink, *, timeout_ms: int) -> FakeDebuggee:
        if process_id != PROCESS_ID:
            raise LaunchError(f"There is no process {process_id}.", code="NO_PROCESS")
        return self._start(sink, is_attach=True)

    def _start(self, sink: EventSink, *, is_attach: bool) -> FakeDebuggee:
        assert self.may_start.wait(10)
        if self.failure is not None:
            raise self.failure
        self.debuggee = FakeDebuggee(self._program, sink, is_attach=is_attach)
        self.debuggee.start()
        self.has_started.set()
        return self.debuggee
