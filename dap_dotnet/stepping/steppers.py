"""The runtime's steppers that carry the step in progress. Session thread only."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import StepCompleted
from dap_dotnet.runtime.model import Frame, StepKind, StepperId, ThreadId
from dap_dotnet.stepping.multicast import MulticastSteps, Place, Ranges
from dap_dotnet.stepping.ranges import WHOLE_METHOD
from dap_dotnet.values.context import Program


class Steppers:
    """One stepper at a time, and for a step through an optimised library a second one, for the way back."""

    def __init__(self, multicast: MulticastSteps) -> None:
        """`multicast` makes those without Just My Code."""
        self._multicast = multicast
        self._active: StepperId | None = None
        self._way_back: StepperId | None = None
        """Ends in what has called the method that is stepped through."""
        self.left: Ranges = ()
        """The half-open ranges of IL offsets that the stepper leaves: those of hidden code, after the first."""

    def is_mine(self, event: StepCompleted) -> bool:
        """Whether a stepper has completed that was not cancelled."""
        return event.stepper in (self._active, self._way_back)

    def step(
        self,
        debuggee: Debuggee,
        thread: ThreadId,
        kind: StepKind,
        ranges: Sequence[tuple[int, int]] = (),
        *,
        just_my_code: bool = True,
        frame_index: int = 0,
    ) -> None:
        """Go on with a stepper as `Debuggee.step` makes it. Raises `DapDotnetError`."""
        self._active = debuggee.step(thread, kind, ranges, just_my_code=just_my_code, frame_index=frame_index)

    def leave(self, program: Program, thread: ThreadId, kind: StepKind, place: Place, *, just_my_code: bool) -> None:
        """Go on from the thread's top frame, `place`, out of the ranges `left`. Raises `DapDotnetError`."""
        if just_my_code:
            self.step(program.debuggee, thread, kind, self.left)
        else:
            self._active = self._multicast.step(program, thread, kind, place, self.left)

    def go_through(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """Go on through a method of a library to the user's code that it calls, or back. Raises `DapDotnetError`.

        With Just My Code, whatever was asked for: else the step ends in the library that runs the state machine.
        """
        self.step(debuggee, thread, StepKind.INTO, WHOLE_METHOD)

    def go_through_optimised(self, program: Program, thread: ThreadId, place: Place, back: Frame | None) -> None:
        """`go_through` of optimised code, which knows no Just My Code: a step with it would never end.

        `back` is the next frame with source, None where there is none: the step may lose the thread where a method
        of the library returns.
        """
        self._active = self._multicast.step(program, thread, StepKind.INTO, place, WHOLE_METHOD)
        if back is not None:
            debuggee = program.debuggee
            self._way_back = debuggee.step(thread, StepKind.OVER, just_my_code=False, frame_index=back.index)

    def cancel(self, debuggee: Debuggee, *, completed: StepperId | None = None) -> None:
        """Give them up; the one that has `completed` is gone already."""
        for stepper in (self._active, self._way_back):
            if stepper is not None and stepper != completed:
                debuggee.cancel_step(stepper)
        self.forget()

    def forget(self) -> None:
        """There are none any more."""
        self._active = self._way_back = None
