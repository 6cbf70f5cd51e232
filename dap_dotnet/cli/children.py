"""``--children``: the processes that the program starts, each in a session of its own beside the program's.

The program's adapter asks for a session (`startDebugging`); another adapter is started for it, which attaches to the
process. All sessions are driven on the main thread, one event after the other: no two stops are reported, and no two
commands asked for, at once.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from typing_extensions import override

from dap_dotnet.cli.arguments import DebugArguments
from dap_dotnet.cli.driver import Driver
from dap_dotnet.cli.prompt import CommandSource
from dap_dotnet.cli.report import Body, Reporter
from dap_dotnet.client import ClientError, DapClient, DapEvent, PendingResponse
from dap_dotnet.launching.procfs import has_ended
from dap_dotnet.protocol.wire_names import member

_LAST_EVENTS_S = 2.0
"""How long the report of a child's end may take that ended before the program did."""
_LEAVE_TIMEOUT_S = 5.0


class Newcomers:
    """Sessions that were begun and that nobody drives yet.

    They are begun on threads of their own: the process waits for its debugger for some seconds only, and the main
    thread may be waiting for what a person types.
    """

    def __init__(self, command: Sequence[str], timeout_s: float) -> None:
        """`command` starts an adapter."""
        self._command = command
        self._timeout_s = timeout_s
        self._lock = threading.Lock()
        self._begun: list[Newcomer | str] = []
        self._is_closed = False
        self.leader: DapClient | None = None
        """Its waits hear of newcomers. Set before the program is started."""

    def asked(self, arguments: Mapping[str, Any]) -> None:
        """Handle `startDebugging`. On the thread of the leader's reader. Raises `ClientError` for what it cannot."""
        configuration = arguments.get("configuration")
        if not isinstance(configuration, dict) or not isinstance(member(configuration, "process_id"), int):
            raise ClientError("Sessions can be started only for running processes.")
        if self._is_closed:
            raise ClientError("The debugger is detaching from the program.")
        threading.Thread(target=self._begin, args=(configuration,), name="child", daemon=True).start()

    def __bool__(self) -> bool:
        return bool(self._begun)

    def take(self) -> list[Newcomer | str]:
        """Those that have come since; the text of what is wrong for one that could not be begun."""
        with self._lock:
            taken, self._begun = self._begun, []
            return taken

    def close(self) -> None:
        """No more: whoever comes is left at once."""
        with self._lock:
            self._is_closed = True
        for newcomer in self.take():
            if isinstance(newcomer, Newcomer):
                newcomer.client.close()

    def _begin(self, configuration: dict[str, Any]) -> None:
        leader = self.leader
        assert leader is not None
        name = str(configuration.get("name"))
        client: DapClient | None = None
        begun: Newcomer | str
        try:
            client = DapClient.spawn(self._command, timeout_s=self._timeout_s, beside=leader)
            begun = Newcomer(client, client.start("attach", configuration), configuration)
        except (ClientError, OSError) as error:
            if client is not None:
                client.close()
            begun = f"{name} cannot be debugged: {_first_line(error)}"
        with self._lock:
            if not self._is_closed:
                self._begun.append(begun)
                client = None
        if client is not None:
            client.close()
        leader.stir()


class Newcomer:
    """A session that was begun for a process, and what the program's adapter says of it."""

    def __init__(self, client: DapClient, starting: PendingResponse, configuration: Mapping[str, Any]) -> None:
        self.client = client
        self.starting = starting
        self.process_id = int(member(configuration, "process_id"))
        # "child: NAME [process id]"
        self.name = str(configuration.get("name")).removeprefix("child: ").removesuffix(f" [{self.process_id}]")


class ChildDriver(Driver):
    """Drives the session of a process that the program has started; it was begun already."""

    def __init__(
        self, newcomer: Newcomer, arguments: DebugArguments, reporter: Reporter, source: CommandSource | None
    ) -> None:
        super().__init__(newcomer.client, arguments, reporter, source)
        self.client = newcomer.client
        self.process_id = newcomer.process_id
        self.reporter = reporter
        self._starting = newcomer.starting
        self.bound: set[int] = set()
        """The numbers of the breakpoints that have been bound in the process."""

    @override
    def start(self) -> PendingResponse:
        return self._starting

    @override
    def ask_first(self) -> str | None:
        return None  # the breakpoints are there, and nothing has happened yet

    @override
    def note(self, name: str, body: Body) -> None:
        super().note(name, body)
        breakpoint_ = (body.get("breakpoint") or {}) if name == "breakpoint" else {}
        if breakpoint_.get("verified"):
            self.bound.add(int(breakpoint_.get("id") or 0))

    @override
    def never_bound(self) -> dict[int, Body]:
        return {}  # the program's own session tells of those that nobody has bound


class LeadingDriver(Driver):
    """Drives the program's session, and those of the processes that it starts."""

    def __init__(
        self,
        client: DapClient,
        arguments: DebugArguments,
        reporter: Reporter,
        source: CommandSource | None,
        newcomers: Newcomers,
    ) -> None:
        super().__init__(client, arguments, reporter, source)
        self._person = source if source is not None and source.is_person else None
        """Asked at the children's stops, too. A script leads the program alone."""
        self._newcomers = newcomers
        newcomers.leader = client
        self._children: list[ChildDriver] = []
        self._bound: set[int] = set()

    @override
    def wait_for_event(self) -> DapEvent:
        while True:
            self._client.wait_until(self._has_news, "an event", math.inf)
            self._serve_children()
            if self._client.has_news:
                return super().wait_for_event()

    @override
    def handle(self, event: DapEvent) -> int | None:
        if event.event == "terminated":
            self._hear_last_events()
        return super().handle(event)

    @override
    def never_bound(self) -> dict[int, Body]:
        bound = self._bound.union(*(child.bound for child in self._children))
        return {number: body for number, body in super().never_bound().items() if number not in bound}

    @override
    def end_early(self, *, silently: bool = False) -> str:
        said = super().end_early(silently=silently)
        self.leave_children(silently=silently)
        return said

    @override
    def report_threads(self) -> None:
        super().report_threads()
        for child in self._children:
            child.report_threads()

    def leave_children(self, *, silently: bool = False) -> None:
        """End all sessions but the program's; the processes run on."""
        self._newcomers.close()
        children, self._children = self._children, []
        for child in children:
            child.client.timeout_s = _LEAVE_TIMEOUT_S
            child.end_early(silently=True)
            child.client.close()
            if not silently and not has_ended(child.process_id):
                child.reporter.notice("The process was left running.")

    def _has_news(self) -> bool:
        return self._client.has_news or bool(self._newcomers) or self._has_child_news()

    def _serve_children(self) -> None:
        for newcomer in self._newcomers.take():
            if isinstance(newcomer, Newcomer):
                self._welcome(newcomer)
            else:
                self._reporter.notice(newcomer)
        for child in list(self._children):
            while child in self._children and child.client.has_news:
                self._serve(child)

    def _welcome(self, newcomer: Newcomer) -> None:
        breakpoints, exceptions = self.wanted()
        arguments = replace(
            self._arguments,
            process_id=newcomer.process_id,
            breakpoints=breakpoints,
            exceptions=exceptions,
            stop_on_attach=False,
        )
        reporter = self._reporter.for_child(newcomer.name, newcomer.process_id)
        child = ChildDriver(newcomer, arguments, reporter, self._person)
        self._children.append(child)
        try:
            child.begin()
        except ClientError as error:
            self._lost(child, error)

    def _serve(self, child: ChildDriver) -> None:
        try:
            if child.handle(child.wait_for_event()) is not None:
                self._forget(child)
        except ClientError as error:
            self._lost(child, error)

    def _lost(self, child: ChildDriver, error: ClientError) -> None:
        """Its session cannot go on. That is no news where the process has just ended."""
        if not has_ended(child.process_id):
            child.reporter.notice(f"The process cannot be debugged any more: {_first_line(error)}")
        self._forget(child)

    def _forget(self, child: ChildDriver) -> None:
        self._bound |= child.bound
        self._children.remove(child)
        child.client.close()

    def _hear_last_events(self) -> None:
        """The end of a child is often the program's, too: it is reported before."""
        deadline = time.monotonic() + _LAST_EVENTS_S
        while any(has_ended(child.process_id) for child in self._children):
            try:
                self._client.wait_until(self._has_child_news, "the end of a process", deadline - time.monotonic())
            except ClientError:
                return
            self._serve_children()

    def _has_child_news(self) -> bool:
        return any(child.client.has_news for child in self._children)


def _first_line(error: Exception) -> str:
    """Without the last messages, which a client's error has below it."""
    return str(error).partition("\n")[0]
