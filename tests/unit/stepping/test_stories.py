"""Steps as stories: what the runtime tells, and what becomes of the step, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dap_dotnet.runtime.events import BreakpointHit, ExceptionPhase, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import BoundId, StepKind, StepperId, ThreadId
from dap_dotnet.stepping.step_in_targets import step_in_targets
from dap_dotnet.stepping.stepper import Stepping
from tests.unit.stepping.fake_runtime import LIBRARY, FakeRuntime

THREAD, OTHER = ThreadId(7), ThreadId(8)
STOPS = "the step ends"
GONE = "nothing is armed"

Row = tuple[str, str, str]
"""What happens, where the thread is then, and what is armed afterwards (or that the step has ended).

A stepper completes by the name under which it is armed; a breakpoint is hit by its own.
"""

STORIES: dict[str, list[Row]] = {
    "over a statement": [
        ("step over", "Main@call", "over"),
        ("over", "Main@loop", STOPS),
    ],
    "over a statement, which is still the same behind a call without source": [
        ("step over", "Main@print", "over"),
        ("over", "Library < Main@print~", "out"),
        ("out", "Main@print~", "over"),
        ("over", "Main@end", STOPS),
    ],
    "into a method of the user's": [
        ("step in", "Main@call", "into"),
        ("into", "Add@add < Main@call~", STOPS),
    ],
    "into code without source, and through it": [
        ("step in", "Main@print", "into"),
        ("into", "Library < Main@print~", "out"),
        ("out", "Main@print~", "into"),
        ("into", "Main@end", STOPS),
    ],
    "out of a method": [
        ("step out", "Add@added < Main@call~", "out"),
        ("out", "Main@call~", STOPS),
    ],
    "out of a method, past the handlers of its own call": [
        ("step out", "Add@add < Main@call~", "out"),
        ("out", "Add@added < Main@call~", "out"),
        ("out", "Deposit@deposit < Add@added < Main@call~", "out of #1"),
        ("out of #1", "Main@call~", STOPS),
    ],
    "from a call without source, the statement that has made it": [
        ("step over", "Library < Main@print~", "over all code"),
        ("over all code", "Main@print~", "over all code"),
        ("over all code", "Main@end", STOPS),
    ],
    "out of a delegate that a library runs, on into the next one": [
        ("step over", "Move@moved < Library", "over, at the return"),
        ("at the return", "Move@moved < Library", "into"),
        ("into", "Move@move < Library", STOPS),
    ],
    "a delegate's return in another call of it": [
        ("step over", "Move@moved < Library", "over, at the return"),
        ("at the return", "Move@moved < Library < Move@move~", "over, at the return"),
        ("over", "Move@move < Library", STOPS),
    ],
    "of an interrupted thread, once more from where it goes on": [
        ("step over", "Main@call~", "over, at the thread's place"),
        ("at the thread's place", "Main@call~", "over"),
        ("over", "Main@loop", STOPS),
    ],
    "of an interrupted thread whose stepper was not lost": [
        ("step over", "Main@call~", "over, at the thread's place"),
        ("over", "Main@loop", STOPS),
    ],
    "into one call of the statement, out of the others": [
        ("step in Program.Add(int left, int right)", "Main@call", "into"),
        ("into", "Deposit@deposit < Main@call", "out"),
        ("out", "Main@call", "into"),
        ("into", "Add@add < Main@call~", STOPS),
    ],
    "into a call that the statement does not come to": [
        ("step in Program.Add(int left, int right)", "Main@call", "into"),
        ("into", "Main@loop", STOPS),
    ],
    "at an exception that nobody takes": [
        ("step over", "Main@call", "over"),
        ("unhandled", "Add@add < Main@call~", GONE),
    ],
    "at an exception that a handler in the method takes": [
        ("step over", "Main@call", "over"),
        ("caught", "Add@add < Main@call~", "over"),
        ("over", "Main@print", STOPS),
    ],
    "from a throw that nobody of the user's takes": [
        ("step at a throw", "Add@add < Main@call~", GONE),
        ("unhandled", "Add@add < Main@call~", GONE),
    ],
    "from a throw that other code takes": [
        ("step at a throw", "Add@add < Main@call~", GONE),
        ("caught", "Add@add < Main@call~", "over"),
        ("over", "Main@print", STOPS),
    ],
    "events of another thread": [
        ("step over", "Main@call", "over"),
        ("unhandled on another thread", "Main@call", "over"),
        ("caught on another thread", "Main@call", "over"),
        ("over", "Main@loop", STOPS),
    ],
    "a stepper and a breakpoint that are nobody's": [
        ("step over", "Main@call", "over"),
        ("a stepper of nobody's", "Main@print", "over"),
        ("a breakpoint of nobody's", "Main@print", "over"),
        ("over", "Main@loop", STOPS),
    ],
    "a thread that is gone in the midst of it": [
        ("step over", "Main@call", "over"),
        ("over", "", STOPS),
    ],
    "the module that is unloaded under it": [
        ("step over", "Main@call", "over"),
        ("its module is unloaded", "Main@call", "over"),
        ("over", "Main@loop", "out"),
        ("out", "", STOPS),
    ],
}


class Teller:
    """Tells a story to a `Stepping`."""

    def __init__(self) -> None:
        self.runtime = FakeRuntime()
        self.said: list[str] = []
        self.stepping = Stepping(self.runtime.modules, self.said.append, lambda _: False)

    def tell(self, what: str, stack: str) -> str:
        """One row; what it has come to."""
        thread = OTHER if what.endswith(" on another thread") else THREAD
        if stack:
            self.runtime.stand(THREAD, stack)
        else:
            self.runtime.stacks.clear()
        program = self.runtime.program
        if what.startswith("step "):
            self._begin(what.removeprefix("step "))
        elif what == "its module is unloaded":
            self.runtime.modules.remove(self.runtime.stacks[THREAD][0].module or LIBRARY)
        elif self.stepping.ends_at(program, self._event(what.removesuffix(" on another thread"), thread)):
            return STOPS
        return ", ".join(self.runtime.shown()) or GONE

    def _begin(self, how: str) -> None:
        kinds = {"over": StepKind.OVER, "in": StepKind.INTO, "out": StepKind.OUT}
        word, _, label = how.partition(" ")
        program, target = self.runtime.program, None
        if label and word == "in":
            found = step_in_targets(self.runtime.modules, self.runtime.stacks[THREAD][0])
            (target,) = [one for one in found if one.label == label]

        def start() -> None:
            kind = kinds.get(word, StepKind.OVER)
            self.stepping.start(program, THREAD, kind, target=target, just_my_code=True, filters=False)

        if word == "at":
            self.stepping.start_when_caught(program, THREAD, start)
        else:
            start()

    def _event(self, what: str, thread: ThreadId) -> Any:
        phases = {"caught": ExceptionPhase.CATCH_HANDLER_FOUND, "unhandled": ExceptionPhase.UNHANDLED}
        if what in phases:
            return ExceptionRaised(thread=thread, phase=phases[what], module=None, method=None, il_offset=None)
        if what == "a stepper of nobody's":
            return StepCompleted(thread=thread, stepper=StepperId(99), reason=0)
        if what == "a breakpoint of nobody's":
            return BreakpointHit(thread=thread, bound=BoundId(99))
        number = next(number for number, text in self.runtime.armed.items() if text == what)
        if what.startswith("at "):
            return BreakpointHit(thread=thread, bound=BoundId(number))
        self.runtime.armed.pop(number)  # a stepper acts once
        return StepCompleted(thread=thread, stepper=StepperId(number), reason=0)


@pytest.fixture
def teller() -> Iterator[Teller]:
    teller = Teller()
    yield teller
    teller.runtime.close()


@pytest.mark.parametrize("story", STORIES)
def test_story_of_a_step(teller: Teller, story: str) -> None:
    for number, (what, stack, expected) in enumerate(STORIES[story]):
        assert (number, what, teller.tell(what, stack)) == (number, what, expected)
    teller.stepping.cancel(teller.runtime.program.debuggee)
    assert not teller.runtime.armed


@pytest.mark.parametrize("story", STORIES)
def test_nothing_stays_armed_wherever_a_story_breaks_off(story: str) -> None:
    for length in range(1, len(STORIES[story]) + 1):
        teller = Teller()
        for what, stack, _ in STORIES[story][:length]:
            teller.tell(what, stack)
        teller.stepping.cancel(teller.runtime.program.debuggee)
        assert not teller.runtime.armed, f"after {STORIES[story][length - 1][0]}"
        assert teller.stepping.thread is None
        teller.runtime.close()
