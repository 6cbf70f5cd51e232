"""The plans that carry a step: over or into ranges of IL, out of a frame, through code of a library.

With Just My Code, and from a place where nothing can go wrong; `multicast_delegates` has the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from dap_dotnet.runtime.events import StepCompleted
from dap_dotnet.runtime.model import StepKind, ThreadId
from dap_dotnet.stepping.plan import Continue, Decision, Done, Layer, News, StepEvent, StepPlan
from dap_dotnet.stepping.ranges import WHOLE_METHOD
from dap_dotnet.values.context import Program

Ranges = Sequence[tuple[int, int]]
"""Half-open, of IL offsets."""
_WORDS = {StepKind.OVER: "over", StepKind.INTO: "into", StepKind.OUT: "out"}


class Move(StepPlan):
    """A stepper of the runtime's: over or into ranges, or an instruction without any; or out of a frame."""

    layer = Layer.MOVE

    def __init__(
        self,
        thread: ThreadId,
        kind: StepKind,
        ranges: Ranges = (),
        *,
        just_my_code: bool = True,
        frame_index: int = 0,
    ) -> None:
        """`frame_index`: which of the thread's frames the stepper is for."""
        super().__init__()
        self._thread = thread
        self._kind = kind
        self._ranges = ranges
        self._just_my_code = just_my_code
        self._frame_index = frame_index

    @override
    def arm(self, program: Program) -> None:
        stepper = program.debuggee.step(
            self._thread, self._kind, self._ranges, just_my_code=self._just_my_code, frame_index=self._frame_index
        )
        self._steppers.append(stepper)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        return Done(News.LANDED) if isinstance(event, StepCompleted) else Continue()

    @override
    def describe(self) -> str:
        ranges = ", ".join(f"IL {start:#x} to {'the end' if end > 0xFFFF else hex(end)}" for start, end in self._ranges)
        return f"step {_WORDS[self._kind]}" + (f" {ranges}" if ranges else "")


def through(thread: ThreadId) -> Move:
    """Through a method of a library to the user's code that it calls, or back.

    With Just My Code, whatever was asked for: else the step ends in the library that runs the state machine.
    """
    return Move(thread, StepKind.INTO, WHOLE_METHOD)
