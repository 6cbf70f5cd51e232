"""A step is a stack of plans: small objects with one purpose each, of which the loop in `plan_stack` asks the top one.

A plan owns the runtime's steppers and the temporary breakpoints that it arms, and nothing else does: when it goes, they
go. It knows no other plan: what it has found out it says in its decision, and the plan beneath decides on that.
Session thread only.
"""

from __future__ import annotations

import enum
import logging
from collections.abc import Sequence
from typing import ClassVar

from msgspec import Struct

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit, ExceptionRaised, StepCompleted
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, RuntimeCallErrorInfo, StepperId
from dap_dotnet.values.context import Program

_log = logging.getLogger(__name__)

StepEvent = StepCompleted | BreakpointHit | ExceptionRaised


class Layer(enum.IntEnum):
    """The order of the plans, from the bottom of the stack to its top; there is one plan on each layer at most.

    An event is explained by who knows most of where the thread is: those above tell when its stack means nothing.
    """

    STATEMENT = enum.auto()
    """What the user has asked for: decides on each place to which the step comes."""
    LANDING = enum.auto()
    """What it means to have come to a place."""
    MOVE = enum.auto()
    """The stepper that carries the step."""
    CALL = enum.auto()
    """The call that a step out leaves, whose handlers of exceptions are no end of it."""
    TARGET = enum.auto()
    """The one call of the statement that the step is to go into."""
    COMPUTATION = enum.auto()
    """F#'s, whose next piece the library runs on any thread."""
    CALLER = enum.auto()
    """Whoever goes on when the method that the framework calls has ended."""
    AWAIT = enum.auto()
    """The method's own goings-on behind an `await`."""
    LIBRARY = enum.auto()
    """Of the library, which takes the result and may call code of the user's with it."""
    POOL_ITEM = enum.auto()
    ASYNC_ENTRY = enum.auto()
    RETURN = enum.auto()
    INTERRUPTED = enum.auto()
    THROWN = enum.auto()


class News(enum.Enum):
    """What a plan says of the event, to those beneath it."""

    LANDED = "the step has come to a place, at which it may end"
    BETWEEN_PIECES = "the step has come to what is between the pieces of a computation"
    IN_WAITER = "the step has come to a place on its way out to whoever waits for the result"
    RESUMED = "the method goes on behind an await, in the midst of the statement"
    CAUGHT = "a handler of the method has taken what its await threw"
    ARRIVED = "the code that was waited for begins"
    TAKEN = "the result of the method is taken"
    ELEMENT_TAKEN = "an element of the async iterator is taken"


class Stop(Struct, frozen=True):
    """The user's step ends here."""


class Continue(Struct, frozen=True):
    """The program goes on. `is_over`: the plan is not needed any more."""

    is_over: bool = False


class Done(Struct, frozen=True):
    """The plan has reached its end: it goes, and the one beneath decides."""

    news: News | None = None


class Pass(Struct, frozen=True):
    """The plan stays, and the one beneath decides."""

    news: News | None = None


class Replace(Struct, frozen=True):
    """The program goes on with another plan in the place of what is on its layer."""

    plan: StepPlan


class GiveUp(Struct, frozen=True):
    """The program goes on without the step: the thread has nothing more to do with it."""


Decision = Stop | Continue | Done | Pass | Replace | GiveUp


class StepPlan:
    """One purpose of a step. See the module's docstring."""

    layer: ClassVar[Layer]

    def __init__(self) -> None:
        self._steppers: list[StepperId] = []
        self._bound: Sequence[BoundId] = ()

    def arm(self, program: Program) -> None:
        """Set what it needs in the runtime; the process is held. Raises `DapDotnetError`: then it is not needed."""

    def owns(self, event: StepEvent) -> bool:
        """Whether the event is of a stepper or a breakpoint of its own."""
        if isinstance(event, StepCompleted):
            return event.stepper in self._steppers
        return isinstance(event, BreakpointHit) and event.bound in self._bound

    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        """Whether it decides on an event, with what the plan above has said of it."""
        return news is None and self.owns(event)

    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        """What becomes of the step with an event that it explains. The process is held."""
        return Continue()

    def goes_on_elsewhere(self, program: Program) -> bool:
        """Whether the step goes on in code that does not depend on what is on the thread's stack now."""
        return False

    def _set_breakpoints(
        self, debuggee: Debuggee, places: Sequence[BreakpointLocation]
    ) -> list[BoundId | RuntimeCallErrorInfo]:
        """Have breakpoints at places, its only ones; the answers are in the same order."""
        made = debuggee.create_breakpoints(places)
        self._bound = [bound for bound in made if not isinstance(bound, RuntimeCallErrorInfo)]
        for bound in made:
            if isinstance(bound, RuntimeCallErrorInfo):
                _log.warning("the step may go past a place, for the plan to %s: %s", self, bound.hresult_name)
        return made

    @property
    def is_armed(self) -> bool:
        """Whether it has anything in the runtime."""
        return bool(self._steppers or self._bound)

    def completed(self, debuggee: Debuggee, stepper: StepperId) -> None:
        """A stepper of its own is gone; what others it has go with that."""
        self._steppers.remove(stepper)
        self._cancel_steppers(debuggee)

    def disarm(self, debuggee: Debuggee) -> None:
        """Take out of the runtime what it owns. Idempotent."""
        self._cancel_steppers(debuggee)
        if self._bound:
            debuggee.remove_breakpoints(list(self._bound))
        self._bound = ()

    def _cancel_steppers(self, debuggee: Debuggee) -> None:
        steppers, self._steppers = self._steppers, []
        for stepper in steppers:
            debuggee.cancel_step(stepper)

    def __str__(self) -> str:
        return self.describe()

    def describe(self) -> str:
        """One line, for the log and for whoever asks what a step did."""
        text = (type(self).__doc__ or "").partition("\n")[0].rstrip(".")
        return text[:1].lower() + text[1:]
