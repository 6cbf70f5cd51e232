"""Steps within the computations of F#: `task { … }` without optimisation, and `async { … }`.

The compiler makes one of them a class for each piece of code between two `let!` or `do!`: `load@12`, `load@14-1`. The
library runs the first piece, and the next one where the awaited work has ended, on any thread. Nothing in the PDB says
so. The temporary breakpoints of a step that begins in such a piece are at the beginnings of all pieces of the same
method, and the step has ended where one is hit for the same computation.

Which call of the method it is, is known for tasks: the library's object that runs the pieces (`ResumptionDynamicInfo`)
is on the stack below each of them. It also notes what a task awaits, while it is suspended. Of an `async`
nothing on the stack tells which one it is: where two calls of one method run at once, it may be the other's piece.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.async_tasks.fsharp_pieces import PIECE, pieces_around
from dap_dotnet.async_tasks.state_machine import FSHARP_AWAITER, FSHARP_NEXT, FSHARP_RUNNER, MACHINE_FIELD
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit, StepCompleted
from dap_dotnet.runtime.model import (
    BreakpointLocation,
    Frame,
    FrameKind,
    PinId,
    StepKind,
    ThreadId,
    Value,
)
from dap_dotnet.stepping.fsharp.dynamic_machines import machine_frame
from dap_dotnet.stepping.plan import Continue, Decision, Layer, News, Pass, Replace, StepEvent, StepPlan
from dap_dotnet.stepping.plans.moves import Move
from dap_dotnet.stepping.plans.out_of_call import found_again
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.spans import first_visible
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import find_field, has_members, read_field

_log = logging.getLogger(__name__)

_LOOK_AT_RUNNING = 4
"""Frames of the library's, from the first MoveNext on, that know what runs the task."""
_LOOK_AT_FRAMES = 32
_MOST_FRAMES = 1000


class ComputationPlan(StepPlan):
    """Wait for the next piece of F#'s computation."""

    layer = Layer.COMPUTATION

    def __init__(
        self,
        modules: ModuleCatalog,
        thread: ThreadId,
        frame: Frame,
        learn: Callable[[Program, ThreadId, Value | None], bool],
    ) -> None:
        """`frame` is the thread's top one. `learn` finds the task that an object runs; False: it was too early."""
        super().__init__()
        self._modules = modules
        self._origin = (thread, frame)
        self._learn = learn
        self._runner: PinId | None = None
        """The object that runs the pieces of the task that is stepped in; None: not known."""
        self._goes_on: PinId | None = None
        """What that was to run next when the step began: another thing from each await on."""
        self._base: Frame | None = None
        """Of the library's code that runs the task, where nothing of the user's has called that."""
        self._goes_through = False

    @override
    def arm(self, program: Program) -> None:
        """Nothing is done outside of pieces, and of what the library calls for a task between two of them: `Dispose`
        at the end of a `use`, a condition, a `finally` block.
        """
        debuggee, (thread, frame) = program.debuggee, self._origin
        module = self._modules.get(frame.module)
        if frame.method is None or module is None or not self._modules.is_users(module):
            return
        pieces = pieces_around(module, frame.method)
        is_piece = any(piece.method == frame.method for piece in pieces)
        if not is_piece and machine_frame(program, thread, frame) is None:
            return
        running = self._runner_on(program, thread)
        runner = running[1] if running is not None else None
        if running is not None and runner is not None and runner.handle is not None:
            self._runner = debuggee.pin(runner.handle, weak=True)
            goes_on = read_field(program, runner, FSHARP_NEXT)
            if goes_on is not None and goes_on.handle is not None:
                self._goes_on = debuggee.pin(goes_on.handle, weak=True)
            below = debuggee.stack(thread, running[0].index + 1, _MOST_FRAMES).frames
            self._base = None if any(self._is_users(one) for one in below) else running[0]
        # What an `async` awaits runs after its piece has returned: only from the last piece is the awaiter next.
        line = module.pdb.point_at(frame.method, frame.il_offset or 0) if module.pdb is not None else None
        is_last = line is not None and all(piece.line <= line.start_line for piece in pieces)
        self._goes_through = runner is not None or is_last
        if module.is_optimized and runner is None:  # without Just My Code no step comes to what awaits it
            pieces = () if is_last else pieces[1:]  # its beginning is that of another call
            self._goes_through = False
        places = [BreakpointLocation(module.id, piece.method, piece.il_offset) for piece in pieces]
        self._set_breakpoints(debuggee, places)

    def _is_users(self, frame: Frame) -> bool:
        module = self._modules.get(frame.module)
        return module is not None and self._modules.is_users(module)

    def _has_left(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """Whether a thread is not in the task any more, nor in what goes on at its end.

        What it comes to then, a thread of the pool, has nothing to do with the task.
        """
        base = self._base
        if base is None or thread != self._origin[0]:
            return False
        return found_again(debuggee, thread, base) is None

    def _runner_on(self, program: Program, thread: ThreadId) -> tuple[Frame, Value] | None:
        """The object that runs the task whose piece is the top frame, and the frame that does.

        None where the stack does not have it.
        """
        left = _LOOK_AT_RUNNING
        for frame in program.debuggee.stack(thread, 1, _LOOK_AT_FRAMES).frames:
            module = self._modules.get(frame.module)
            if frame.kind is not FrameKind.IL or frame.method is None or module is None or module.metadata is None:
                continue
            if left == _LOOK_AT_RUNNING and module.metadata.method(frame.method).name != "MoveNext":
                continue
            if self._is_users(frame) or not left:
                break
            left -= 1
            runner = _runner_in(program, thread, frame)
            if runner is not None:
                return frame, runner
        return None

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        if news is None and isinstance(event, StepCompleted):
            return self._is_suspended(program) or self._has_left(program.debuggee, event.thread)
        return super().explains(program, event, news)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        if isinstance(event, BreakpointHit):
            return Pass(News.ARRIVED) if self._has_arrived(program, event) else Continue()
        runner = program.debuggee.pinned(self._runner) if self._runner is not None else None
        if not self._learn(program, event.thread, runner):
            return Replace(Move(event.thread, StepKind.OUT))
        return Continue()  # in a caller of what F# awaits in, or elsewhere: the step goes on where that resumes

    @override
    def goes_on_elsewhere(self, program: Program) -> bool:
        return self.is_armed

    def _is_suspended(self, program: Program) -> bool:
        """Whether the task has come to await something: what its thread does now is not its own.

        It may have gone on by now, on another thread.
        """
        if self._runner is None:
            return False
        try:
            runner = program.debuggee.pinned(self._runner)
            awaited, goes_on = read_field(program, runner, FSHARP_AWAITER), read_field(program, runner, FSHARP_NEXT)
            began = program.debuggee.pinned(self._goes_on) if self._goes_on is not None else None
        except DapDotnetError:
            return False
        if began is not None and goes_on is not None and goes_on.error is None and goes_on.address != began.address:
            return True
        return awaited is not None and awaited.error is None and not awaited.is_null

    def is_between_pieces(self, module: LoadedModule | None, frame: Frame | None) -> bool:
        """Whether a frame is of what the compiler has put between the pieces: it calls the next one, or the awaiter."""
        if not self._goes_through or module is None or frame is None or frame.method is None or module.metadata is None:
            return False
        is_hidden = self._modules.is_users(module) and first_visible(module, frame.method) is None
        return is_hidden and PIECE.match(module.metadata.declaring_type(frame.method).name) is not None

    def _has_arrived(self, program: Program, event: BreakpointHit) -> bool:
        """One of them was hit: whether by the computation that is stepped in."""
        if self._is_called_by_origin(program.debuggee, event.thread):
            return False
        if self._runner is None:
            return True
        running = self._runner_on(program, event.thread)
        return running is None or running[1].address == program.debuggee.pinned(self._runner).address

    def _is_called_by_origin(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """Whether what was stepped in is still at work on the stack: it has called its own method."""
        if self._runner is not None or thread != self._origin[0]:
            return False
        frame = found_again(debuggee, thread, self._origin[1])
        return frame is not None and frame.index > 0

    @override
    def disarm(self, debuggee: Debuggee) -> None:
        super().disarm(debuggee)
        pins, self._runner, self._goes_on = (self._runner, self._goes_on), None, None
        for pin in pins:
            if pin is not None:
                debuggee.unpin(pin)


class AroundPieces(ComputationPlan):
    """Through what is around the pieces of a task that goes on with the result of the method."""

    @override
    def arm(self, program: Program) -> None:
        self._goes_through = True


def _runner_in(program: Program, thread: ThreadId, frame: Frame) -> Value | None:
    """The object that runs a task, as an argument of one of the library's frames refers to it.

    The library is optimised: what has run some thirty times may not keep all its arguments.
    """
    for argument in program.debuggee.arguments(thread, frame.index, text_limit=0):
        value = argument
        for name in (MACHINE_FIELD, FSHARP_RUNNER, FSHARP_AWAITER):
            if value.error is not None or value.is_null or not has_members(value):
                break
            if find_field(program, value.type, FSHARP_AWAITER) is not None:
                return value
            value = read_field(program, value, name) or value
    return None
