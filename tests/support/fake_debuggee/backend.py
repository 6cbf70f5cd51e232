"""Makes fake debuggees whose program a Python function plays."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from dap_dotnet.errors import LaunchError
from dap_dotnet.runtime.events import EventSink
from dap_dotnet.runtime.model import LaunchSpec
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.machine import Player, Program
from tests.support.fake_debuggee.sample import PROCESS_ID, Sample


class FakeBackend:
    """Makes a fake debuggee for each start. `may_start` lets a test hold the start up; `failure` makes it fail."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._players: list[Player] = []
        self.debuggees: list[FakeDebuggee] = []
        """All of them, in the order of their starts."""
        self.may_start = threading.Event()
        self.may_start.set()
        self.has_started = threading.Event()
        self.failure: LaunchError | None = None
        self.missing: set[str] = set()
        """Programs that are not found."""
        self.debuggee: FakeDebuggee | None = None
        self.spec: LaunchSpec | None = None
        self.port: str | None = None
        """Where the process that was attached to has waited for that."""

    def resolve(
        self, program: str, arguments: Sequence[str], working_directory: str | None, environment: Mapping[str, str]
    ) -> LaunchSpec:
        if program in self.missing:
            raise LaunchError(f"There is no program {program}.")
        return LaunchSpec(("dotnet", program, *arguments), working_directory or "/", environment, program)

    def launch(self, spec: LaunchSpec, sink: EventSink, *, timeout_ms: int) -> FakeDebuggee:
        self.spec = spec
        return self._start(sink, is_attach=False)

    def peek(self, process_id: int, sink: EventSink) -> FakeDebuggee:
        raise LaunchError(f"There is no process {process_id}.", code="NO_PROCESS")

    def open_core(self, path: str, folders: Mapping[str, str], sink: EventSink) -> FakeDebuggee:
        raise LaunchError(f"{path} is no core dump.", code="BAD_CORE_DUMP")

    def attach(self, process_id: int, sink: EventSink, *, timeout_ms: int) -> FakeDebuggee:
        if process_id != PROCESS_ID:
            raise LaunchError(f"There is no process {process_id}.", code="NO_PROCESS")
        return self._start(sink, is_attach=True)

    def attach_at_start(self, process_id: int, port: str, sink: EventSink, *, timeout_ms: int) -> FakeDebuggee:
        self.port = port
        return self.attach(process_id, sink, timeout_ms=timeout_ms)

    def _start(self, sink: EventSink, *, is_attach: bool) -> FakeDebuggee:
        assert self.may_start.wait(10)
        if self.failure is not None:
            raise self.failure
        sample = Sample()
        self.debuggee = FakeDebuggee(sample.types, sink, process_id=PROCESS_ID, is_attach=is_attach)
        self.debuggees.append(self.debuggee)
        self._players.append(Player(self.debuggee, sample, self._program))
        self._players[-1].start()
        self.has_started.set()
        return self.debuggee

    def join(self) -> None:
        """The programs' threads have ended; the debuggees were closed and the seam's rules were kept."""
        for player, debuggee in zip(self._players, self.debuggees, strict=True):
            player.join()
            assert debuggee.is_closed
            assert debuggee.violations == []
