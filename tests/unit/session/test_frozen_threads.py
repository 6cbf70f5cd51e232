"""Which threads stay for the calls of others, and which are let go then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from dap_dotnet.runtime import events
from dap_dotnet.runtime.model import BoundId, ThreadId
from dap_dotnet.session.event_queue import DeferredEvents
from dap_dotnet.session.frozen_threads import FrozenThreads
from dap_dotnet.session.holds import Holds

A, B, C = ThreadId(1), ThreadId(2), ThreadId(3)
STOP = events.StopCompleted()


class FakeDebuggee:
    """Threads, of which some are frozen."""

    def __init__(self) -> None:
        self.frozen: set[ThreadId] = set()
        self.asked = 0

    def freeze(self, thread: ThreadId, frozen: bool) -> None:
        self.asked += 1
        (self.frozen.add if frozen else self.frozen.discard)(thread)

    def freeze_all(self, frozen: bool, *, but: ThreadId | None = None) -> None:
        self.asked += 1
        for thread in {A, B, C} - {but}:
            (self.frozen.add if frozen else self.frozen.discard)(thread)

    def threads(self) -> list[Any]:
        return [type("Info", (), {"thread": thread})() for thread in (A, B, C)]

    def resume(self, event: events.RuntimeEvent) -> None:
        """The process runs."""


class Scene:
    """A process that is held."""

    def __init__(self) -> None:
        self.debuggee: Any = FakeDebuggee()
        self.holds, self.deferred = Holds(), DeferredEvents()
        self.timers: list[Callable[[], None]] = []
        client_events: Any = None
        self.frozen = FrozenThreads(self.holds, client_events, self.deferred, self._call_later)
        self.holds.attach(self.debuggee)
        self.holds.add(STOP)

    def _call_later(self, _delay_s: float, action: Callable[[], None]) -> Any:
        self.timers.append(action)

    def call(self, thread: ThreadId) -> set[ThreadId]:
        """What stays while a thread makes a call."""
        self.frozen.keep_for_call(self.debuggee, thread)
        return set(self.debuggee.frozen)


@pytest.fixture
def scene() -> Scene:
    return Scene()


def test_calls_of_one_thread_freeze_the_others_once(scene: Scene) -> None:
    assert [scene.call(A), scene.call(A), scene.call(A)] == [{B, C}] * 3
    assert scene.debuggee.asked == 1
    (timer,) = scene.timers
    timer()
    assert scene.debuggee.frozen == set()


def test_a_call_of_another_thread_lets_that_one_run_and_no_other(scene: Scene) -> None:
    assert [scene.call(A), scene.call(B), scene.call(A)] == [{B, C}, {A, C}, {B, C}]


def test_a_thread_that_the_user_has_frozen_runs_for_its_call_alone(scene: Scene) -> None:
    scene.frozen.freeze(scene.debuggee, A)
    assert scene.call(A) == {B, C}
    scene.frozen.let_go_after_calls()
    assert scene.debuggee.frozen == {A}
    scene.call(B)
    scene.frozen.freeze(scene.debuggee, B)  # after its call, in the same moment
    assert scene.call(B) == {A, C}
    scene.holds.release(STOP)
    assert scene.debuggee.frozen == {A, B}


def test_a_thread_that_stays_for_its_event_can_make_a_call(scene: Scene) -> None:
    scene.deferred.add(scene.debuggee, events.BreakpointHit(thread=B, bound=BoundId(1)))
    scene.frozen.has_changed()
    assert scene.call(B) == {A, C}
    scene.frozen.let_go_after_calls()
    assert scene.debuggee.frozen == {B}


def test_a_thread_that_the_user_lets_go_stays_for_the_next_call(scene: Scene) -> None:
    scene.call(A)
    scene.frozen.thaw(scene.debuggee, B)
    assert scene.call(A) == {B, C}


def test_a_program_that_runs_has_only_the_users_frozen(scene: Scene) -> None:
    scene.frozen.freeze(scene.debuggee, C)
    scene.call(A)
    scene.holds.release(STOP)
    assert scene.debuggee.frozen == {C}
