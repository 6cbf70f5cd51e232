"""The watchdog against calls that never return."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from dap_dotnet.server.interrupts import Interrupts
from dap_dotnet.server.requests import PendingRequest
from dap_dotnet.session.watchdog import Watchdog


class FakeServer:
    """Runs what is posted at once, or, when stuck, never."""

    def __init__(self, *, stuck: bool) -> None:
        self.interrupts = Interrupts()
        self.sent: list[Any] = []
        self.on_sent: Callable[[], None] = lambda: None
        self._stuck = stuck

    def post(self, action: Callable[[], None]) -> None:
        if not self._stuck:
            action()

    def send_event(self, event: str, body: Any = None) -> None:
        self.sent.append(event)
        self.on_sent()


def opened(server: FakeServer, seq: int, command: str, responses: list[dict[str, Any]]) -> None:
    server.interrupts.opened(PendingRequest(seq, command, {}, responses.append, lambda action: action and action()))


def watches() -> set[threading.Thread]:
    """The threads of all watchdogs, also of those of earlier tests that have not quite ended."""
    return {thread for thread in threading.enumerate() if thread.name == "watchdog"}


def test_watchdog_answers_and_leaves_when_the_session_is_stuck() -> None:
    server = FakeServer(stuck=True)
    responses: list[dict[str, Any]] = []
    opened(server, 7, "stackTrace", responses)
    codes: queue.Queue[int] = queue.Queue()
    Watchdog(server, patience_s=0.01, linger_s=0.05, leave=codes.put).process_is_gone(137)
    assert codes.get(timeout=10) == 1
    assert server.sent == ["exited", "terminated"]
    assert [(response["request_seq"], response["success"]) for response in responses] == [(7, False)]


def test_watchdog_leaves_with_the_disconnect_of_the_client() -> None:
    server = FakeServer(stuck=True)
    responses: list[dict[str, Any]] = []
    server.on_sent = lambda: opened(server, 8, "disconnect", responses)
    codes: queue.Queue[int] = queue.Queue()
    Watchdog(server, patience_s=0.01, linger_s=60, leave=codes.put).process_is_gone()
    assert codes.get(timeout=10) == 0
    assert [(response["request_seq"], response["success"]) for response in responses] == [(8, True)]


def test_watchdog_does_nothing_when_the_session_comes_back() -> None:
    server = FakeServer(stuck=False)
    codes: queue.Queue[int] = queue.Queue()
    Watchdog(server, patience_s=10, leave=codes.put).process_is_gone()
    assert server.sent == []
    assert codes.empty()


def test_watchdog_leaves_when_the_client_disconnects_and_nobody_comes_back() -> None:
    server = FakeServer(stuck=True)
    codes: queue.Queue[int] = queue.Queue()
    server.interrupts.when_end_is_wanted(Watchdog(server, end_patience_s=0.01, leave=codes.put).end_is_wanted)
    responses: list[dict[str, Any]] = []
    opened(server, 3, "next", responses)
    assert codes.empty()
    opened(server, 4, "disconnect", responses)
    assert codes.get(timeout=10) == 1
    assert [(response["request_seq"], response["success"]) for response in responses] == [(3, False), (4, True)]


def test_watchdog_leaves_when_the_client_is_gone_and_nobody_comes_back() -> None:
    server = FakeServer(stuck=True)
    codes: queue.Queue[int] = queue.Queue()
    server.interrupts.when_end_is_wanted(Watchdog(server, end_patience_s=0.01, leave=codes.put).end_is_wanted)
    server.interrupts.mark_client_gone()
    assert codes.get(timeout=10) == 1


def test_watchdog_leaves_when_the_client_was_gone_before_the_session_was_opened() -> None:
    server = FakeServer(stuck=True)
    codes: queue.Queue[int] = queue.Queue()
    server.interrupts.mark_client_gone()
    server.interrupts.when_end_is_wanted(Watchdog(server, end_patience_s=0.01, leave=codes.put).end_is_wanted)
    assert codes.get(timeout=10) == 1


def test_watchdog_lets_a_session_end_that_comes_back() -> None:
    server = FakeServer(stuck=False)
    codes: queue.Queue[int] = queue.Queue()
    server.interrupts.when_end_is_wanted(Watchdog(server, end_patience_s=10, leave=codes.put).end_is_wanted)
    server.interrupts.mark_client_gone()
    assert codes.empty()


def test_watchdog_stands_down_with_the_session() -> None:
    server = FakeServer(stuck=True)
    codes: queue.Queue[int] = queue.Queue()
    watchdog = Watchdog(server, patience_s=60, leave=codes.put)
    others = watches()
    watchdog.process_is_gone()
    (watch,) = watches() - others
    watchdog.stand_down()
    watch.join(timeout=10)
    assert not watch.is_alive()
    watchdog.process_is_gone()
    assert not watches() - others
    assert server.sent == []
    assert codes.empty()


def test_watchdog_leaves_when_the_session_cannot_end() -> None:
    server = FakeServer(stuck=True)
    responses: list[dict[str, Any]] = []
    opened(server, 9, "disconnect", responses)
    codes: queue.Queue[int] = queue.Queue()
    Watchdog(server, end_patience_s=0.01, leave=codes.put).session_ends()
    assert codes.get(timeout=10) == 1
    assert [response["request_seq"] for response in responses] == [9]


def test_watchdog_leaves_a_session_alone_that_ends() -> None:
    codes: queue.Queue[int] = queue.Queue()
    watchdog = Watchdog(FakeServer(stuck=True), end_patience_s=60, leave=codes.put)
    others = watches()
    watchdog.session_ends()
    (watch,) = watches() - others
    watchdog.stand_down()
    watch.join(timeout=10)
    assert not watch.is_alive()
    assert codes.empty()
