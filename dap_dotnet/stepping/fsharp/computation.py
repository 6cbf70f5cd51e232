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

from collections.abc import Callable, Sequence

from typing_extensions import override

from dap_dotnet.async_tasks.fsharp_pieces import PIECE, pieces_around
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit, StepCompleted
from dap_dotnet.runtime.model import BreakpointLocation, Frame, StepKind, ThreadId, Value
from dap_dotnet.stepping.fsharp.computation_run import ComputationRun, run_on
from dap_dotnet.stepping.fsharp.dynamic_machines import machine_frame
from dap_dotnet.stepping.plan import Continue, Decision, Layer, News, Pass, Replace, StepEvent, StepPlan
from dap_dotnet.stepping.plans.moves import Move
from dap_dotnet.stepping.plans.out_of_call import found_again
from dap_dotnet.symbols.statements import first_visible, statements_of
from dap_dotnet.values.context import Program

Learn = Callable[[Program, ThreadId, Value], bool]
"""Finds the task that an object runs, on a thread; False: it was too early."""


class ComputationPlan(StepPlan):
    """Wait for the next piece of F#'s computation."""

    layer = Layer.COMPUTATION

    def __init__(
        self,
        thread: ThreadId,
        frame: Frame,
        places: Sequence[BreakpointLocation],
        run: ComputationRun | None,
        learn: Learn,
        *,
        goes_through: bool,
    ) -> None:
        """`frame` is the thread's top one; `places` are the beginnings of pieces.

        `run` is the task that it is of, where that is known; the plan forgets it. `goes_through`: what is between the
        pieces leads to the awaiter.
        """
        super().__init__()
        self._origin = (thread, frame)
        self._places = places
        self._run = run
        self._learn = learn
        self.goes_through = goes_through

    @override
    def arm(self, program: Program) -> None:
        self._set_breakpoints(program.debuggee, self._places)

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        if news is None and isinstance(event, StepCompleted):
            return self._run is not None and (
                self._run.is_suspended(program) or self._run.is_left_by(program.debuggee, event.thread)
            )
        return super().explains(program, event, news)

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        if isinstance(event, BreakpointHit):
            return Pass(News.ARRIVED) if self._has_arrived(program, event) else Continue()
        if self._run is not None and not self._learn(program, event.thread, self._run.runner(program)):
            return Replace(Move(event.thread, StepKind.OUT))
        return Continue()  # in a caller of what F# awaits in, or elsewhere: the step goes on where that resumes

    @override
    def goes_on_elsewhere(self, program: Program) -> bool:
        return self.is_armed

    def _has_arrived(self, program: Program, event: BreakpointHit) -> bool:
        """One of them was hit: whether by the computation that is stepped in."""
        if self._run is not None:
            return self._run.is_on(program, event.thread)
        thread, frame = self._origin
        origin = found_again(program.debuggee, thread, frame) if thread == event.thread else None
        return origin is None or not origin.index  # else it has called its own method, and is still at work

    @override
    def disarm(self, debuggee: Debuggee) -> None:
        super().disarm(debuggee)
        run, self._run = self._run, None
        if run is not None:
            run.forget(debuggee)


class AroundPieces(StepPlan):
    """Go through what the compiler has put between pieces: it calls the next one, or the awaiter."""

    layer = Layer.LANDING

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        return news is News.LANDED and _is_between_pieces(program, program.debuggee.top_frame(event.thread))

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        return Pass(News.BETWEEN_PIECES)


def _is_between_pieces(program: Program, frame: Frame | None) -> bool:
    module = program.modules.get(frame.module) if frame is not None else None
    if frame is None or frame.method is None or module is None or module.metadata is None:
        return False
    is_hidden = program.modules.is_users(module) and first_visible(module, frame.method) is None
    return is_hidden and PIECE.match(module.metadata.declaring_type(frame.method).name) is not None


def computation_plan(program: Program, thread: ThreadId, frame: Frame, learn: Learn) -> ComputationPlan | None:
    """For a step that begins in a thread's top frame.

    None outside of pieces, and of what the library calls for a task between two of them: `Dispose` at the end of a
    `use`, a condition, a `finally` block.
    """
    module = program.modules.get(frame.module)
    if frame.method is None or module is None or not program.modules.is_users(module):
        return None
    pieces = pieces_around(module, frame.method)
    is_piece = any(piece.method == frame.method for piece in pieces)
    if not is_piece and machine_frame(program, thread, frame) is None:
        return None
    run = run_on(program, thread)
    # What an `async` awaits runs after its piece has returned: only from the last piece is the awaiter next.
    line = statements_of(module, frame.method).point_at(frame.il_offset or 0)
    is_last = line is not None and all(piece.line <= line.start_line for piece in pieces)
    goes_through = run is not None or is_last
    if module.is_optimized and run is None:  # without Just My Code no step comes to what awaits it
        pieces = () if is_last else pieces[1:]  # its beginning is that of another call
        goes_through = False
    places = [BreakpointLocation(module.id, piece.method, piece.il_offset) for piece in pieces]
    return ComputationPlan(thread, frame, places, run, learn, goes_through=goes_through)
