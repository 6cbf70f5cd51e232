"""The one loop of steps: event, the plan that explains it, its decision, the next. Session thread only."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import StepCompleted
from dap_dotnet.stepping.plan import (
    Continue,
    Decision,
    Done,
    GiveUp,
    Layer,
    News,
    Pass,
    Replace,
    StepEvent,
    StepPlan,
    Stop,
)
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)

P = TypeVar("P", bound=StepPlan)
_FROM_THE_TOP = sorted(Layer, reverse=True)


class PlanStack:
    """The plans of one step."""

    def __init__(self, on_armed: Callable[[StepPlan], None] = lambda _: None) -> None:
        """`on_armed` hears of each plan that takes part."""
        self._plans: dict[Layer, StepPlan] = {}
        self._on_armed = on_armed
        self.told_by: StepPlan | None = None
        """The plan that had news of the last event."""

    def __bool__(self) -> bool:
        return bool(self._plans)

    def find(self, kind: type[P]) -> P | None:
        """The plan of a class that is on the stack now."""
        plan = self._plans.get(kind.layer)
        return plan if isinstance(plan, kind) else None

    def put(self, program: Program, plan: StepPlan | None, layer: Layer | None = None) -> None:
        """Arm a plan in the place of the one on its layer; None: take away that on `layer`. Raises `DapDotnetError`."""
        layer = plan.layer if plan is not None else layer
        assert layer is not None
        former = self._plans.pop(layer, None)
        if former is not None:
            former.disarm(program.debuggee)
        if plan is not None:
            self._plans[layer] = plan  # where it cannot be armed as a whole, what it has set goes with the step
            plan.arm(program)
            if plan.is_armed:
                _log.debug("plan: %s", plan)
                self._on_armed(plan)

    def put_first_armed(self, program: Program, candidates: Iterable[P], layer: Layer) -> P | None:
        """As `put`, for the first of plans on a layer that finds anything to do for it; none: the layer is empty."""
        for plan in candidates:
            self.put(program, plan)
            if plan.is_armed:
                return plan
        self.put(program, None, layer)
        return None

    def owns(self, event: StepEvent) -> bool:
        """Whether an event is of a stepper or a breakpoint of one of the plans."""
        return any(plan.owns(event) for plan in self._plans.values())

    def goes_on_elsewhere(self, program: Program, *layers: Layer) -> bool:
        """Whether the step goes on in code that does not depend on the thread's stack; `layers`: by these plans."""
        plans = [plan for layer, plan in self._plans.items() if layer in layers or not layers]
        return any(plan.goes_on_elsewhere(program) for plan in plans)

    def decide(self, program: Program, event: StepEvent) -> Stop | Continue | GiveUp:
        """Ask the plans from the top. The process is held; the caller ends the step where that is the answer.

        An event that belongs to none of them, such as that of a stepper which was given up, changes nothing. Raises
        `DapDotnetError` where a plan that is to follow cannot be armed.
        """
        owner = next((plan for plan in self._plans.values() if plan.owns(event)), None)
        if isinstance(event, StepCompleted):
            if owner is None:
                return Continue()
            owner.completed(program.debuggee, event.stepper)
        news: News | None = None
        for layer in _FROM_THE_TOP:
            plan = self._plans.get(layer)  # which may have come with the decision of one above
            if plan is None or not (plan is owner or plan.explains(program, event, news)):
                continue
            decision = plan.should_stop(program, event, news)
            if not isinstance(decision, Done | Pass):
                return self._carry_out(program, plan, decision)
            if isinstance(decision, Done):
                self.put(program, None, layer)
            if decision.news is not None and news is None:
                self.told_by = plan
            news = decision.news
        return Continue()

    def _carry_out(self, program: Program, plan: StepPlan, decision: Decision) -> Stop | Continue | GiveUp:
        if isinstance(decision, Replace):
            self.put(program, decision.plan)
            return Continue()
        if isinstance(decision, Continue) and decision.is_over:
            self.put(program, None, plan.layer)
            return Continue()
        assert isinstance(decision, Stop | Continue | GiveUp)
        return decision

    def disarm(self, debuggee: Debuggee) -> None:
        """The step is over: nothing of it stays in the runtime."""
        while self._plans:
            _, plan = self._plans.popitem()
            plan.disarm(debuggee)
