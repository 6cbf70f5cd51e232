"""What the plans of one step share: the request, where it began, the thread that it is on now."""

from __future__ import annotations

from dap_dotnet.runtime.model import Frame, StepKind, ThreadId
from dap_dotnet.stepping.landing import StepRequest
from dap_dotnet.stepping.listeners import Listeners
from dap_dotnet.stepping.origin import Origin
from dap_dotnet.stepping.plan import Layer
from dap_dotnet.stepping.plan_stack import PlanStack
from dap_dotnet.stepping.plans.moves import Move, Ranges
from dap_dotnet.stepping.plans.multicast_delegates import EndangeredMove, Place
from dap_dotnet.values.context import Program

MOST_CONTINUATIONS = 200
"""How often one step may go on through hidden code before it stops wherever it is."""


class Step:
    """See the module's docstring. Session thread only."""

    def __init__(self, request: StepRequest, thread: ThreadId, plans: PlanStack, listeners: Listeners) -> None:
        self.request = request
        self.thread = thread
        self.plans = plans
        self.listeners = listeners
        self.origin = Origin()
        self.continuations = 0
        """How often the step has gone on so far."""

    def goes_on_behind_await(self, program: Program) -> bool:
        """Whether the method has been left at an `await` of the statement, and has not gone on yet."""
        return self.plans.goes_on_elsewhere(program, Layer.AWAIT)

    def move(self, thread: ThreadId, kind: StepKind, ranges: Ranges, place: Place) -> Move:
        """From a thread's top frame, `place`, as the request has it: with Just My Code or without."""
        if self.request.just_my_code:
            return Move(thread, kind, ranges)
        return EndangeredMove(thread, kind, ranges, place, self.listeners.notes.say)


def place_of(program: Program, thread: ThreadId, frame: Frame | None = None) -> Place:
    """The module of a thread's top frame, and that frame; `frame` where it is known already."""
    frame = frame or program.debuggee.top_frame(thread)
    return (program.modules.get(frame.module) if frame is not None else None), frame
