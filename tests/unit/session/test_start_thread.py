"""A start on its own thread: its outcome reaches the session thread once, or is closed when nobody waits any more."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

import pytest

from dap_dotnet.errors import DapDotnetError, InternalError, LaunchError
from dap_dotnet.session.start_thread import StartThread
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.standing import standing_debuggee

DEADLINE_S = 10.0


class Start:
    """A start that the test lets end, and the session thread's inbox. `outcome` is returned, or raised."""

    def __init__(self, outcome: FakeDebuggee | Exception) -> None:
        self._outcome = outcome
        self.may_end = threading.Event()
        self.began_on: queue.SimpleQueue[threading.Thread] = queue.SimpleQueue()
        self.inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.taken: list[object] = []
        self.failed: list[DapDotnetError] = []
        self.thread = StartThread(self._start, self.inbox.put, self.taken.append, self.failed.append)

    def _start(self) -> FakeDebuggee:
        self.began_on.put(threading.current_thread())
        assert self.may_end.wait(DEADLINE_S)
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def end(self) -> Callable[[], None]:
        """Let the start end. Returns what is posted of it."""
        self.may_end.set()
        return self.inbox.get(timeout=DEADLINE_S)


@pytest.fixture
def debuggee() -> FakeDebuggee:
    return standing_debuggee()


def test_start_runs_on_a_thread_that_keeps_no_process_alive(debuggee):
    start = Start(debuggee)
    thread = start.began_on.get(timeout=DEADLINE_S)
    assert thread is not threading.current_thread()
    assert thread.daemon
    start.end()


def test_debuggee_is_handed_over_by_the_posted_call_once(debuggee):
    start = Start(debuggee)
    post = start.end()
    assert start.taken == []
    post()
    assert start.taken == [debuggee]
    post()
    assert start.taken == [debuggee]
    assert not debuggee.is_closed
    assert start.failed == []


def test_failure_is_handed_over_by_the_posted_call():
    error = LaunchError("There is no program.")
    start = Start(error)
    post = start.end()
    assert start.failed == []
    post()
    assert start.failed == [error]
    assert start.taken == []


def test_defect_is_an_internal_error_that_names_the_log():
    start = Start(KeyError("defect"))
    start.end()()
    (error,) = start.failed
    assert isinstance(error, InternalError)
    assert "--log" in error.message
    assert "defect" in error.message


def test_start_that_does_not_end_is_left_and_closed_when_it_does(debuggee):
    start = Start(debuggee)
    assert not start.thread.give_up(0)
    start.may_end.set()
    assert start.thread.give_up(DEADLINE_S)
    assert debuggee.is_closed
    assert start.inbox.empty()


def test_debuggee_that_was_posted_and_not_taken_is_closed(debuggee):
    start = Start(debuggee)
    post = start.end()
    assert start.thread.give_up(DEADLINE_S)
    assert debuggee.is_closed
    post()
    assert start.taken == []


def test_debuggee_that_was_taken_is_left_to_the_session(debuggee):
    start = Start(debuggee)
    start.end()()
    assert start.thread.give_up(DEADLINE_S)
    assert not debuggee.is_closed


def test_failure_after_the_client_has_left_is_not_handed_over():
    start = Start(LaunchError("too late"))
    assert not start.thread.give_up(0)
    start.end()()
    assert start.failed == []
