"""Tells stories of steps, row by row, to a `Stepping` on a fake runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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


class Teller:
    """Tells a story to a `Stepping`."""

    def __init__(self) -> None:
        self.runtime = FakeRuntime()
        self.said: list[str] = []
        self.note = ""
        """What a story says besides of the place: `Library (suspended)`."""
        self.forgotten = 0
        """How often what a step remembers was let go of."""
        self.stepping = Stepping(self.runtime.modules, self.said.append, lambda _: False)

    def tell(self, what: str, stack: str) -> str:
        """One row; what it has come to."""
        thread = OTHER if what.endswith(" on another thread") else THREAD
        stack, _, self.note = stack.rstrip(")").partition(" (")
        if stack:
            self.runtime.stand(thread, stack)
        else:
            self.runtime.stacks.clear()
        program = self.runtime.program
        if what.startswith("on .NET "):
            self.runtime.runtime_version = what.removeprefix("on .NET ")
        elif what.startswith("step "):
            self._begin(what.removeprefix("step "))
        elif what == "its module is unloaded":
            self.runtime.modules.remove(self.runtime.stacks[THREAD][0].module or LIBRARY)
        elif self.stepping.ends_at(program, self._event(what.removesuffix(" on another thread"), thread)):
            return STOPS
        return ", ".join(self.runtime.shown()) or GONE

    def _begin(self, how: str) -> None:
        kinds = {"over": StepKind.OVER, "in": StepKind.INTO, "out": StepKind.OUT}
        how, in_all_code, _ = how.partition(" in all code")
        word, _, label = how.partition(" ")
        program, target = self.runtime.program, None
        if label and word == "in":
            found = step_in_targets(self.runtime.modules, self.runtime.stacks[THREAD][0])
            (target,) = [one for one in found if one.label == label]

        def start() -> None:
            kind = kinds.get(word, StepKind.OVER)
            self.stepping.start(program, THREAD, kind, target=target, just_my_code=not in_all_code, filters=False)

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


def tell(story: Sequence[Row], prepare: Callable[[Teller], None] = lambda _: None) -> list[Row]:
    """Tell a story: the same rows with what each has come to.

    Then once more as far as each of its rows: nothing that was armed may stay, wherever it breaks off.
    """
    told: list[Row] = []
    for length in range(len(story) + 1):
        teller = Teller()
        prepare(teller)
        told = [(what, stack, teller.tell(what, stack)) for what, stack, _ in story[:length]]
        teller.stepping.cancel(teller.runtime.program.debuggee)
        assert not teller.runtime.armed, f"after row {length}: {teller.runtime.armed}"
        assert teller.stepping.thread is None
        teller.runtime.close()
    return told
