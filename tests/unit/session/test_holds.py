"""Who keeps the process stopped, and what waits for it to be."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.events import RuntimeEvent, StopCompleted, ThreadStarted
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.session.holds import Holds
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.standing import running_debuggee


class Held:
    """Holds, their debuggee, and the runtime that reports events."""

    def __init__(self) -> None:
        self.debuggee: FakeDebuggee = running_debuggee()
        self.holds = Holds()
        self.holds.attach(self.debuggee)
        self.done: list[str] = []

    def event(self) -> RuntimeEvent:
        """A holding event that nobody has added yet."""
        return self.debuggee.process.hold(ThreadStarted(thread=ThreadId(1)))

    def stop(self) -> RuntimeEvent:
        """The runtime answers a stop request."""
        assert self.debuggee.process.take_stop_request(), "no stop was asked for"
        self.holds.stop_arrived()
        event = self.debuggee.process.hold(StopCompleted())
        self.holds.add(event)
        return event

    def add(self) -> RuntimeEvent:
        event = self.event()
        self.holds.add(event)
        return event

    def action(self, name: str):
        return lambda: self.done.append(name)

    @property
    def stop_requests(self) -> int:
        return self.debuggee.calls.count("request_stop")


@pytest.fixture
def held():
    held = Held()
    yield held
    assert held.debuggee.violations == []


def test_process_runs_when_its_one_hold_is_released(held):
    assert not held.holds.is_held
    event = held.add()
    assert held.holds.is_held
    assert held.debuggee.process.is_held
    held.holds.release(event)
    assert not held.holds.is_held
    assert not held.debuggee.process.is_held


def test_process_runs_only_when_the_last_hold_is_released(held):
    first, second = held.add(), held.add()
    held.holds.release(second)
    assert (held.holds.has(first), held.holds.has(second)) == (True, False)
    assert held.debuggee.process.is_held
    held.holds.release(first)
    assert not held.debuggee.process.is_held


def test_hold_is_released_to_the_runtime_once(held):
    event = held.add()
    held.holds.release(event)
    held.holds.release(event)
    assert held.debuggee.process.resumed == ["ThreadStarted"]


def test_release_all_lets_the_process_run(held):
    held.add()
    held.add()
    held.holds.release_all()
    assert not held.debuggee.process.is_held
    assert not held.holds.is_held


def test_event_that_was_never_added_is_passed_over_but_not_released(held):
    kept, event = held.add(), held.event()
    held.holds.release(event)
    assert held.debuggee.process.resumed == []
    held.holds.pass_over(event)
    assert held.debuggee.process.resumed == ["ThreadStarted"]
    assert held.holds.has(kept)
    assert held.debuggee.process.is_held


def test_refusal_of_the_runtime_to_resume_is_no_error(held):
    event = held.add()
    held.debuggee.resume(event)
    held.holds.release(event)
    assert not held.holds.is_held
    assert held.debuggee.violations == ["ThreadStarted was released twice"]
    held.debuggee.violations.clear()


def test_action_runs_at_once_while_the_process_is_held(held):
    held.add()
    held.holds.when_held(held.action("now"))
    assert held.done == ["now"]
    assert held.stop_requests == 0


def test_action_runs_at_once_without_a_process():
    done = []
    Holds().when_held(lambda: done.append("now"))
    assert done == ["now"]


def test_actions_wait_for_one_stop_and_run_in_order(held):
    held.holds.when_held(held.action("first"))
    held.holds.when_held(held.action("second"))
    assert held.done == []
    assert held.stop_requests == 1
    held.stop()
    assert held.done == ["first", "second"]


def test_actions_run_at_whatever_hold_comes_first(held):
    held.holds.when_held(held.action("change"))
    first = held.add()
    assert held.done == ["change"]
    held.holds.release(first)
    held.stop()  # the answer to the request still comes
    assert held.done == ["change"]


def test_action_that_fails_keeps_no_other_from_running(held):
    def fail() -> None:
        raise DapDotnetError("refused")

    held.holds.when_held(fail)
    held.holds.when_held(held.action("second"))
    held.stop()
    assert held.done == ["second"]


def test_stop_is_asked_for_again_only_after_the_answer(held):
    held.holds.request_stop()
    held.holds.request_stop()
    assert held.stop_requests == 1
    held.holds.release(held.stop())
    held.holds.request_stop()
    assert held.stop_requests == 2


def test_action_still_waits_when_the_runtime_did_not_stop_in_time(held):
    held.debuggee.process.is_deaf = True
    held.holds.when_held(held.action("change"))
    held.holds.stop_arrived()  # StopTimedOut
    assert held.done == []
    held.debuggee.process.is_deaf = False
    held.holds.request_stop()
    held.stop()
    assert held.done == ["change"]


def test_hold_for_configuration_is_given_up_once_by_configured(held):
    event = held.add()
    held.holds.keep_for_configuration(event)
    assert held.holds.is_for_configuration
    held.holds.configured()
    assert not held.holds.is_for_configuration
    held.holds.configured()
    assert held.debuggee.process.resumed == ["ThreadStarted"]


def test_nothing_is_held_and_nothing_waits_once_the_process_is_gone(held):
    waiting = held.action("waiting")
    held.holds.when_held(waiting)
    held.holds.forget()
    assert held.done == ["waiting"]
    held.holds.when_held(held.action("late"))
    assert held.done == ["waiting", "late"]


def test_process_that_is_gone_is_not_called(held):
    event = held.add()
    held.holds.keep_for_configuration(event)
    calls = list(held.debuggee.calls)
    held.holds.forget()
    assert not held.holds.is_held
    held.holds.release(event)
    held.holds.pass_over(event)
    held.holds.configured()
    held.holds.release_all()
    held.holds.request_stop()
    assert held.debuggee.calls == calls
