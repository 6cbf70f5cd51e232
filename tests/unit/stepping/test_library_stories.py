"""Stories of steps that come to code which others run: of the pool, of the runtime's own, of libraries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dap_dotnet.runtime.model import BreakpointLocation, Frame, MethodToken
from dap_dotnet.stepping import statement
from dap_dotnet.stepping.async_.awaiting_caller import AwaitingCaller
from dap_dotnet.stepping.plan import Decision, News, Pass
from dap_dotnet.stepping.plans import multicast_delegates
from tests.support.fake_debuggee.sample import SAMPLE_MODULE
from tests.unit.stepping.teller import GONE, STOPS, Row, Teller, tell

POOL: dict[str, list[Row]] = {
    "a delegate that the pool runs, at its end": [
        ("step over", "Move@moved < Library < Pool", "out all code of #1, over, at the return"),
        ("out all code of #1", "Pool", GONE),
    ],
    "a delegate that the pool runs, with another one behind it": [
        ("step over", "Move@moved < Library < Pool", "out all code of #1, over, at the return"),
        ("at the return", "Move@moved < Library < Pool", "out all code of #1, into"),
        ("into", "Deposit@deposit < Library < Pool", STOPS),
    ],
    "out of a delegate that the pool runs": [
        ("step out", "Add@add < Library < Pool", "out all code of #1, out"),
        ("out all code of #1", "Pool", GONE),
    ],
    "a method that the user has called in what the pool runs": [
        ("step out", "Add@add < Main@call~ < Library < Pool", "out"),
        ("out", "Main@call~ < Library < Pool", STOPS),
    ],
    "a statement of the pool's, which is not the last one": [
        ("step over", "Add@add < Library < Pool", "over"),
        ("over", "Add@added < Library < Pool", STOPS),
    ],
}


@pytest.mark.parametrize("story", POOL)
def test_story_of_what_the_pool_runs(story: str) -> None:
    assert tell(POOL[story]) == POOL[story]


DELEGATES: dict[str, list[Row]] = {
    "over the end of one of a delegate's methods": [
        ("on .NET 8.0", "", GONE),
        ("step over in all code", "Move@moved < Stub < Main@call~", "over all code of #2, at Move, at Move@move"),
        ("over all code of #2", "Main@call~", STOPS),
    ],
    "the same, where the method goes on elsewhere": [
        ("on .NET 8.0", "", GONE),
        ("step over in all code", "Move@moved < Stub < Main@call~", "over all code of #2, at Move, at Move@move"),
        (
            "at Move@move on another thread",
            "Move@move < Stub < Main@call~",
            "over all code of #2, at Move, at Move@move",
        ),
        ("at Move@move", "Move@move < Stub < Main@call~", STOPS),
    ],
    "out of one of a delegate's methods": [
        ("on .NET 8.0", "", GONE),
        ("step out in all code", "Move@move < Stub < Main@call~", "over all code of #2"),
        ("over all code of #2", "Main@call~", STOPS),
    ],
    "a statement of such a method that is not its last one": [
        ("on .NET 8.0", "", GONE),
        ("step over in all code", "Move@move < Stub < Main@call~", "over all code"),
        ("over all code", "Move@moved < Stub < Main@call~", STOPS),
    ],
    "into the call of a delegate of several methods": [
        ("on .NET 8.0", "", GONE),
        ("step in in all code", "Main@call", "over all code"),
        ("over all code", "Main@loop", STOPS),
    ],
    "since .NET 10, which survives all that": [
        ("step over in all code", "Move@moved < Stub < Main@call~", "over all code"),
        ("over all code", "Main@call~", STOPS),
    ],
}


@pytest.mark.parametrize("story", DELEGATES)
def test_story_of_a_delegate_of_several_methods(monkeypatch: pytest.MonkeyPatch, story: str) -> None:
    monkeypatch.setattr(multicast_delegates, "_calls_several", lambda *_: True)
    assert tell(DELEGATES[story]) == DELEGATES[story]


class Caller(AwaitingCaller):
    """Of a method that the framework calls: the hook of the one who takes its result is the deposit."""

    note = ""

    @property
    def is_armed(self) -> bool:
        return bool(self._bound)

    def begin(self, program: Any, *_: Any, **__: Any) -> None:
        hook = next(method for name, method in _methods(program) if name == "Deposit")
        self.disarm(program.debuggee)
        self._set_breakpoints(program.debuggee, [BreakpointLocation(SAMPLE_MODULE, hook, 0)])

    def owns(self, event: Any) -> bool:
        return getattr(event, "bound", None) in self._bound

    def explains(self, program: Any, event: Any, news: News | None) -> bool:
        return news is None and self.owns(event)

    def should_stop(self, program: Any, event: Any, news: News | None) -> Decision:
        return Pass(News.TAKEN)

    def go_on_in_continuation(self, program: Any, thread: Any) -> Frame | None:
        frame: Frame | None = program.debuggee.top_frame(thread)
        return frame if self.note == "to call a delegate with it" else None

    def disarm(self, debuggee: Any) -> None:
        if self._bound:
            debuggee.remove_breakpoints(list(self._bound))
        self._bound = ()


def _methods(program: Any) -> Iterator[tuple[str, MethodToken]]:
    yield from program.debuggee.sample.methods.items()


HOOK = "at Deposit"
TAKEN: dict[str, list[Row]] = {
    "by a method that is blocked for it": [
        ("step over", "Move@moved < Library", f"over, {HOOK}, at the return"),
        (HOOK, "Library < Main@call~", "out"),
        ("out", "Main@call~", STOPS),
    ],
    "by one whose library code has several frames": [
        ("step over", "Move@moved < Library", f"over, {HOOK}, at the return"),
        (HOOK, "Library < Library < Main@call~", "out"),
        ("out", "Library < Main@call~", "out"),
        ("out", "Main@call~", STOPS),
    ],
    "by the library, which calls a delegate with it": [
        ("step over", "Move@moved < Library", f"over, {HOOK}, at the return"),
        (HOOK, "Library < Library (to call a delegate with it)", "into"),
        ("into", "Add@add < Library < Library", STOPS),
    ],
    "by the library, which then runs what is nobody's": [
        ("step over", "Move@moved < Library", f"over, {HOOK}, at the return"),
        (HOOK, "Library < Library (to call a delegate with it)", "into"),
        ("into", "Add@add < Library", GONE),
    ],
}


@pytest.mark.parametrize("story", TAKEN)
def test_story_of_a_result_that_is_taken(monkeypatch: pytest.MonkeyPatch, story: str) -> None:
    monkeypatch.setattr(statement, "AwaitingCaller", Caller)

    def prepare(teller: Teller) -> None:
        monkeypatch.setattr(Caller, "note", property(lambda _: teller.note), raising=False)

    assert tell(TAKEN[story], prepare) == TAKEN[story]
