"""The order in which runtime events and the client's requests are handled."""

from __future__ import annotations

from collections import deque

import pytest

from dap_dotnet.runtime.events import BreakpointHit, ThreadStarted
from dap_dotnet.runtime.model import BoundId, ThreadId
from dap_dotnet.session.event_queue import DeferredEvents, EventQueue
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.standing import standing_debuggee


class Inbox:
    """The server's inbox: calls of the queue and requests of a test, in order."""

    def __init__(self) -> None:
        self.items: deque = deque()
        self.done: list = []
        self.arrived: list = []
        self.queue = EventQueue(self.items.append, self.handle, self.arrived.append)
        self.on_event = lambda event: None

    def handle(self, event):
        self.done.append(event.thread)
        self.on_event(event)

    def request(self, name):
        self.items.append(lambda: self.done.append(name))

    def event(self, number):
        self.queue.put(started(number))

    def run(self):
        while self.items:
            self.items.popleft()()


def started(number: int) -> ThreadStarted:
    return ThreadStarted(thread=ThreadId(number))


def hit(thread: int) -> BreakpointHit:
    return BreakpointHit(thread=ThreadId(thread), bound=BoundId(1), hold=thread)


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


def test_events_and_requests_take_turns_in_the_order_of_their_arrival(inbox):
    inbox.queue.open()
    inbox.event(1)
    inbox.request("first")
    inbox.event(2)
    inbox.request("second")
    inbox.event(3)
    assert [event.thread for event in inbox.arrived] == [1, 2, 3]
    assert inbox.done == []
    inbox.run()
    assert inbox.done == [1, "first", 2, "second", 3]


def test_early_events_wait_until_the_queue_opens_and_come_before_later_ones(inbox):
    inbox.event(1)
    inbox.request("breakpoints")
    inbox.event(2)
    inbox.run()
    assert inbox.done == ["breakpoints"]
    inbox.event(3)  # reported, and not yet handled when the queue opens
    inbox.queue.open()
    assert inbox.done == ["breakpoints", 1, 2]
    inbox.run()
    assert inbox.done == ["breakpoints", 1, 2, 3]


def test_an_evaluation_takes_events_past_requests_and_leaves_the_others_their_turns(inbox):
    inbox.queue.open()
    inbox.event(1)
    inbox.request("first")
    inbox.event(2)
    inbox.request("second")
    inbox.event(3)
    assert inbox.queue.take(0) == started(1)
    assert inbox.queue.take(0) == started(2)
    inbox.run()
    assert inbox.done == ["first", "second", 3]


def test_an_evaluation_at_an_early_event_takes_the_other_early_ones_first(inbox):
    taken = []
    inbox.on_event = lambda event: taken.extend((inbox.queue.take(0), inbox.queue.take(0)))
    for number in (1, 2):
        inbox.event(number)
    inbox.run()
    inbox.event(3)
    inbox.queue.open()
    inbox.run()
    assert (inbox.done, taken) == ([1], [started(2), started(3)])


def test_take_gives_none_when_no_event_comes_in_time(inbox):
    assert inbox.queue.take(0) is None
    assert inbox.queue.take(0.001) is None


def debuggee_with_threads(*threads: int) -> FakeDebuggee:
    debuggee = standing_debuggee()
    debuggee.other_threads = {ThreadId(thread) for thread in threads}
    return debuggee


def test_deferred_events_come_oldest_first_with_their_threads_thawed():
    deferred, debuggee = DeferredEvents(), debuggee_with_threads(7, 8)
    for number in (7, 8):
        deferred.add(debuggee, hit(number))
    assert deferred
    assert debuggee.frozen == {7, 8}
    assert deferred.take(debuggee) == hit(7)
    assert debuggee.frozen == {8}
    assert deferred.take(debuggee) == hit(8)
    assert (deferred.take(debuggee), debuggee.frozen, bool(deferred)) == (None, set(), False)


def test_deferred_events_wait_for_every_evaluation_to_end():
    deferred, debuggee = DeferredEvents(), debuggee_with_threads(7, 8)
    deferred.add(debuggee, hit(7))
    with deferred.during_evaluation():
        with deferred.during_evaluation():
            assert deferred.take(debuggee) is None
        assert deferred.take(debuggee) is None
    assert deferred.take(debuggee) == hit(7)


def test_an_event_of_a_thread_that_cannot_be_frozen_or_has_ended_is_passed_over():
    deferred, debuggee = DeferredEvents(), debuggee_with_threads(7, 8)
    deferred.add(debuggee, hit(6))
    assert not deferred
    deferred.add(debuggee, hit(7))
    deferred.add(debuggee, hit(8))
    debuggee.other_threads.remove(7)
    assert deferred.take(debuggee) == hit(8)


def test_drop_thaws_every_thread():
    deferred, debuggee = DeferredEvents(), debuggee_with_threads(7, 8)
    for number in (7, 8):
        deferred.add(debuggee, hit(number))
    deferred.drop(debuggee)
    assert (debuggee.frozen, bool(deferred)) == (set(), False)
