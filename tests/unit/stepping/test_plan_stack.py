"""The loop of steps, with plans that say what a table has for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.errors import DebuggeeError
from dap_dotnet.runtime.events import BreakpointHit, StepCompleted
from dap_dotnet.runtime.model import BoundId, StepperId, ThreadId
from dap_dotnet.stepping.plan import Continue, Decision, Done, GiveUp, Layer, News, Pass, Replace, StepPlan, Stop
from dap_dotnet.stepping.plan_stack import PlanStack

THREAD = ThreadId(7)


class Runtime:
    """Counts what is armed."""

    def __init__(self) -> None:
        self.steppers: set[StepperId] = set()
        self.bound: set[BoundId] = set()

    def cancel_step(self, stepper: StepperId) -> None:
        self.steppers.discard(stepper)

    def remove_breakpoints(self, bound: list[BoundId]) -> None:
        self.bound -= set(bound)


def plan_class(layer: Layer) -> type[Told]:
    return type(layer.name.title(), (Told,), {"layer": layer})


class Told(StepPlan):
    """Says what it is told to, and notes that it was asked."""

    def __init__(self, asked: list[str], says: Decision, *, of_others: bool = False, fails: bool = False) -> None:
        """`of_others`: it explains events that are not its own, too."""
        super().__init__()
        self.asked, self.says, self.of_others, self.fails = asked, says, of_others, fails

    def arm(self, program: Any) -> None:
        if self.fails:
            raise DebuggeeError("The thread is gone.")
        self._steppers, self._bound = [StepperId(self.layer * 10)], [BoundId(self.layer * 10)]
        program.debuggee.steppers.add(self._steppers[0])
        program.debuggee.bound.add(self._bound[0])

    def explains(self, program: Any, event: Any, news: News | None) -> bool:
        return self.of_others or news is not None or super().explains(program, event, news)

    def should_stop(self, program: Any, event: Any, news: News | None) -> Decision:
        self.asked.append(self.layer.name.lower() + (f" of {news.name.lower()}" if news is not None else ""))
        return self.says


def completed(layer: Layer) -> StepCompleted:
    return StepCompleted(thread=THREAD, stepper=StepperId(layer * 10), reason=0)


def hit(layer: Layer) -> BreakpointHit:
    return BreakpointHit(thread=THREAD, bound=BoundId(layer * 10))


STATEMENT, MOVE, CALLER, AWAIT = Layer.STATEMENT, Layer.MOVE, Layer.CALLER, Layer.AWAIT

# The event; what each plan says, with `*` of those that explain what is not their own; who is asked; the answer; who
# is on the stack afterwards.
CASES = {
    "the stepper is done, and the statement decides": (
        completed(MOVE),
        {STATEMENT: Stop(), MOVE: Done(News.LANDED)},
        "move, statement of landed",
        Stop(),
        "statement",
    ),
    "who is above knows that the place means nothing": (
        completed(MOVE),
        {STATEMENT: Stop(), MOVE: Done(News.LANDED), (AWAIT, "*"): Continue()},
        "await",
        Continue(),
        "statement move await",
    ),
    "who is above lets those beneath decide": (
        completed(MOVE),
        {STATEMENT: Stop(), MOVE: Done(News.LANDED), (AWAIT, "*"): Pass()},
        "await, move, statement of landed",
        Stop(),
        "statement await",
    ),
    "who is not needed any more": (
        completed(MOVE),
        {STATEMENT: Stop(), MOVE: Done(News.LANDED), (AWAIT, "*"): Continue(is_over=True)},
        "await",
        Continue(),
        "statement move",
    ),
    "a breakpoint asks its owner alone": (
        hit(AWAIT),
        {STATEMENT: Stop(), MOVE: Stop(), AWAIT: Continue()},
        "await",
        Continue(),
        "statement move await",
    ),
    "what is found out goes down to the statement": (
        hit(AWAIT),
        {STATEMENT: Continue(), MOVE: Pass(News.RESUMED), CALLER: Pass(News.RESUMED), AWAIT: Done(News.RESUMED)},
        "await, caller of resumed, move of resumed, statement of resumed",
        Continue(),
        "statement move caller",
    ),
    "the step is given up": (
        hit(CALLER),
        {STATEMENT: Stop(), CALLER: GiveUp()},
        "caller",
        GiveUp(),
        "statement caller",
    ),
    "a stepper that was given up": (completed(CALLER), {STATEMENT: Stop()}, "", Continue(), "statement"),
}


@pytest.mark.parametrize("case", CASES)
def test_event_is_decided_by_the_plan_that_explains_it(case: str) -> None:
    event, says, expected, answer, left = CASES[case]
    runtime, asked, plans = Runtime(), list[str](), PlanStack()
    program: Any = SimpleNamespace(debuggee=runtime)
    layers = {key if isinstance(key, Layer) else key[0]: (decision, key) for key, decision in says.items()}
    for layer, (decision, key) in layers.items():
        plans.put(program, plan_class(layer)(asked, decision, of_others=not isinstance(key, Layer)))
    if isinstance(event, StepCompleted):
        runtime.steppers.discard(event.stepper)  # it acts once
    assert plans.decide(program, event) == answer
    assert ", ".join(asked) == expected
    still = [layer.name.lower() for layer in layers if plans.owns(hit(layer))]
    assert " ".join(still) == left
    plans.disarm(runtime)  # type: ignore[arg-type]
    assert not runtime.steppers
    assert not runtime.bound


def test_plan_takes_the_place_of_the_one_on_its_layer() -> None:
    runtime, asked, plans = Runtime(), list[str](), PlanStack()
    program: Any = SimpleNamespace(debuggee=runtime)
    following = plan_class(MOVE)(asked, Done(News.LANDED))
    plans.put(program, plan_class(STATEMENT)(asked, Stop()))
    plans.put(program, plan_class(MOVE)(asked, Stop()))
    plans.put(program, plan_class(AWAIT)(asked, Replace(following)))
    assert plans.decide(program, hit(AWAIT)) == Continue()
    assert plans.find(type(following)) is following
    assert plans.owns(hit(AWAIT))
    assert plans.decide(program, completed(MOVE)) == Stop()
    assert asked == ["await", "move", "statement of landed"]


def test_plan_that_cannot_be_armed_leaves_nothing() -> None:
    runtime, plans = Runtime(), PlanStack()
    program: Any = SimpleNamespace(debuggee=runtime)
    plans.put(program, plan_class(MOVE)([], Stop()))
    with pytest.raises(DebuggeeError):
        plans.put(program, plan_class(MOVE)([], Stop(), fails=True))
    plans.disarm(runtime)  # type: ignore[arg-type]
    assert not runtime.steppers | runtime.bound


def test_plan_that_finds_nothing_to_do_is_not_kept() -> None:
    runtime, plans = Runtime(), PlanStack()
    program: Any = SimpleNamespace(debuggee=runtime)

    class Nothing(StepPlan):
        layer = Layer.AWAIT

    assert plans.put_first_armed(program, [Nothing()], Layer.AWAIT) is None
    assert plans.find(Nothing) is None
    following = plan_class(AWAIT)([], Stop())
    assert plans.put_first_armed(program, [Nothing(), following], Layer.AWAIT) is following
    assert plans.find(type(following)) is following
