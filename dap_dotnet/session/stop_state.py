"""Everything that lives as long as one stop: frames, variables, opened values. Session thread only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import UserError
from dap_dotnet.runtime.model import BreakpointLocation, Frame, ThreadId
from dap_dotnet.session.call_stack import CallStack, ShownFrame
from dap_dotnet.session.stops import BY_CHANCE, Stop, StopReason
from dap_dotnet.values.children import Container, Declaration
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.handles import HandleTable
from dap_dotnet.values.live_values import LiveValue, OpenedResults

if TYPE_CHECKING:
    from dap_dotnet.async_tasks.suspended_methods import SuspendedMethods
    from dap_dotnet.stepping.step_in_targets import StepInTarget


class ThreadTarget(Struct, frozen=True):
    """A call that a step can be sent into, and the thread that makes it."""

    thread: ThreadId
    target: StepInTarget


class StopState:
    """What the client can name while the program stands. `clear` is the one place where it dies."""

    def __init__(self) -> None:
        self.current: Stop | None = None
        """The stop that the client knows of; None while the program runs, or waits for `configurationDone`."""
        self.frames: HandleTable[FrameContext] = HandleTable("frame")
        self.variables: HandleTable[Container] = HandleTable("variables reference")
        self.locations: HandleTable[Declaration] = HandleTable("location reference")
        self.goto_targets: HandleTable[BreakpointLocation] = HandleTable("goto target")
        self.step_in_targets: HandleTable[ThreadTarget] = HandleTable("step-in target")
        self.opened_results = OpenedResults()
        """Results of expressions that the client has opened."""
        self.suspended_methods: SuspendedMethods | None = None
        """As they were last looked for."""
        self._stacks: dict[ThreadId, CallStack] = {}
        self._frame_ids: dict[tuple[ThreadId, int, bool], int] = {}
        self._without_variables: set[int] = set()

    def clear(self) -> None:
        """The stop is over. Handles of it are stale from now on, and never mean anything else."""
        self.current = None
        self.frames.clear()
        self.variables.clear()
        self.locations.clear()
        self.goto_targets.clear()
        self.step_in_targets.clear()
        self.opened_results.clear()
        self.suspended_methods = None
        self._stacks.clear()
        self._frame_ids.clear()
        self._without_variables.clear()

    def remember_suspended_methods(self, found: SuspendedMethods) -> None:
        """Keep what a look through the heap found: further pages are of the same list."""
        self.suspended_methods = found

    def stack(self, program: Callable[[], Program], thread: ThreadId, *, just_my_code: bool) -> CallStack:
        """A thread's stack; walked once, as far as it is asked for."""
        if thread not in self._stacks:
            stop = self.current
            is_its = stop is not None and stop.thread == thread
            reason = stop.reason if stop is not None and is_its else StopReason.PAUSE
            self._stacks[thread] = CallStack(
                program,
                thread,
                has_thrown=stop is not None and is_its and stop.exception_stage is not None,
                just_my_code=just_my_code,
                shows_top=reason is StopReason.FUNCTION_BREAKPOINT,
                is_by_chance=reason in (StopReason.EXCEPTION, *BY_CHANCE),
            )
        return self._stacks[thread]

    def known_top(self, thread: ThreadId) -> Frame | None:
        """The topmost method of a thread whose stack was asked for at this stop; None for others. Nothing is read."""
        stack = self._stacks.get(thread)
        return stack.top() if stack is not None else None

    def frame_id(self, program: Program, thread: ThreadId, shown: ShownFrame) -> int:
        """The client's number for a frame: the same for the whole stop."""
        key = (thread, shown.frame.index, shown.is_external)
        if key not in self._frame_ids:
            machine = None
            if shown.machine is not None:
                machine = LiveValue(program, shown.machine, None)
                self.opened_results.add(machine)
            read = machine.get if machine is not None else None
            frame_id = self.frames.add(FrameContext(program, thread, shown.frame, machine=read))
            self._frame_ids[key] = frame_id
            if shown.is_external:
                self._without_variables.add(frame_id)
        return self._frame_ids[key]

    def has_variables(self, frame_id: int) -> bool:
        """Whether a frame is one method; no variables are shown of a run of frames."""
        return frame_id not in self._without_variables

    def frame_on_stack(self, frame_id: int) -> FrameContext:
        """What the number of a frame on the stack means. Raises `UserError` for another, and `StaleHandleError`."""
        context = self.frames.get(frame_id)
        if not context.frame.is_on_stack:
            raise UserError(
                "This frame is not on its thread's stack: expressions can be evaluated only in frames that are."
            )
        return context
