"""The program's side of the fake debuggee: a test's function "runs" the lines of sample/Sample.cs with a `Machine`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dap_dotnet.runtime import events
from dap_dotnet.runtime.events import ExceptionPhase
from dap_dotnet.runtime.model import BreakpointLocation, ModuleId, StepKind
from tests.support.fake_debuggee.debuggee import FakeDebuggee
from tests.support.fake_debuggee.plans import planned_values
from tests.support.fake_debuggee.process import Killed
from tests.support.fake_debuggee.sample import MAIN_THREAD, SAMPLE, SAMPLE_MODULE, Sample, SampleFrame, line_of
from tests.support.fake_debuggee.values import Object

_IN_A_CALL = 5
"""IL offset within a statement, where a call has just returned to."""
_JOIN_S = 3.0


class Machine:
    """What the program's function does its work with. Called on the program's thread."""

    def __init__(self, debuggee: FakeDebuggee, sample: Sample) -> None:
        self._debuggee = debuggee
        self._sample = sample
        self.frames: list[SampleFrame] = []
        """The stack, outermost first."""
        debuggee.frames = self.frames

    @property
    def is_left(self) -> bool:
        """Whether the debugger has gone, so that nothing will stop the program any more."""
        return self._debuggee.process.is_detached

    @contextmanager
    def call(self, method: str, **arguments: Any) -> Iterator[SampleFrame]:
        """Run in a method of the sample, from its opening brace on."""
        frame = SampleFrame(self._sample, self._sample.methods[method], arguments)
        self.frames.append(frame)
        self.safe_point()
        yield frame
        self.frames.pop()
        if self.frames:
            self._return_behind_call(frame)
            self.frames[-1].il_offset += _IN_A_CALL
            self._check_step(returned=True)
            self._debuggee.returned = None

    def _return_behind_call(self, left: SampleFrame) -> None:
        """The caller goes on behind the call of a method: what the method has returned can be read there."""
        caller, debuggee = self.frames[-1], self._debuggee
        body = self._sample.metadata.method_body(caller.method)
        calls = [one for one in body.instructions() if one.operand == left.method] if body is not None else []
        call = next((one for one in calls if one.offset >= caller.il_offset), None)
        if call is None:
            return
        debuggee.returned = call.offset, left.result
        for bound, location in sorted(debuggee.return_breakpoints.items()):
            if (location.method, location.il_offset) == (caller.method, call.offset):
                hit = events.BreakpointHit(thread=MAIN_THREAD, bound=bound, il_offset=call.offset)
                debuggee.process.report_holding(hit)

    def at(self, marker: str, part: int = 0) -> None:
        """Arrive at the statement on the line with this marker; `part` counts the statements of the line."""
        frame = self.frames[-1]
        line = line_of(marker)
        points = self._sample.pdb.sequence_points(frame.method)
        frame.il_offset = sorted(point.il_offset for point in points if point.start_line == line)[part]
        self.safe_point()

    def store(self, name: str, value: Any) -> None:
        """Store to a static field of the sample."""
        self._debuggee.heap.statics[self._sample.static_field(name)] = value

    def write(self, text: str, *, is_error: bool = False) -> None:
        """Write to the standard output or error."""
        self._debuggee.process.report(events.OutputWritten(is_error=is_error, text=text))

    def log(self, text: str) -> None:
        """Write to the debugger, as Debug.WriteLine does."""
        self._debuggee.process.report(events.MessageLogged(level=0, category="", message=text))

    def load(self, name: str) -> ModuleId:
        """Load a module without symbols."""
        return self._debuggee.load(name)

    def throw(self, phase: ExceptionPhase, type_name: str = "Sample.Trouble") -> None:
        """Report an exception in flight, if the session is interested in the phase."""
        debuggee = self._debuggee
        if phase in debuggee.exception_interest:
            debuggee.exception = Object(type_name)
            frame = self.frames[-1]
            debuggee.process.report_holding(
                events.ExceptionRaised(
                    thread=MAIN_THREAD,
                    phase=phase,
                    module=SAMPLE_MODULE,
                    method=frame.method,
                    il_offset=frame.il_offset,
                )
            )
            debuggee.exception = None

    def spin(self, until: threading.Event) -> None:
        """Write "spinning" and run without an end until the test says so; stop requests are obeyed.

        A program that was left ends here.
        """
        self.write("spinning\n")
        while not until.wait(0.005) and not self._debuggee.process.is_detached:
            self.safe_point()

    def safe_point(self) -> None:
        """A place where the runtime can stop the program."""
        debuggee = self._debuggee
        debuggee.check_abort()
        if debuggee.process.take_stop_request():
            debuggee.process.report_holding(events.StopCompleted())
        if not self.frames:
            return
        frame = self.frames[-1]
        here = BreakpointLocation(module=SAMPLE_MODULE, method=frame.method, il_offset=frame.il_offset)
        for bound, location in sorted(debuggee.breakpoints.items()):
            if location == here and bound in debuggee.active:
                plan = debuggee.plans.get(bound)
                values = planned_values(plan, frame, debuggee.heap)
                if debuggee.hit_tests.passes(bound, values):
                    continue
                debuggee.has_queued_step = self._ends_step()
                debuggee.process.report_holding(
                    events.BreakpointHit(
                        thread=MAIN_THREAD,
                        bound=bound,
                        il_offset=location.il_offset,
                        plan=plan.number if plan is not None else 0,
                        values=values,
                    )
                )
        self._check_step()

    def _ends_step(self) -> bool:
        """Whether the armed stepper ends here."""
        step = self._debuggee.armed_step
        if step is None:
            return False
        depth = len(self.frames)
        il_offset = self.frames[-1].il_offset
        inside = any(start <= il_offset < end for start, end in step.ranges)
        done = depth < step.depth or (step.kind is StepKind.INTO and depth > step.depth)
        if step.kind is not StepKind.OUT:
            done = done or (depth == step.depth and not inside)
        return done

    def _check_step(self, *, returned: bool = False) -> None:
        """Complete the armed stepper if this is where it ends; as ICorDebugStepper does."""
        step = self._debuggee.armed_step
        if step is not None and self._ends_step():
            depth = len(self.frames)
            self._debuggee.armed_step = None
            self._debuggee.has_queued_step = False
            reason = 1 if returned else 2 if depth > step.depth else 0
            completed = events.StepCompleted(thread=MAIN_THREAD, stepper=step.stepper, reason=reason)
            self._debuggee.process.report_holding(completed)


Program = Callable[[Machine], int]
"""Plays the program and returns its exit code."""


class Player:
    """Plays a program on a thread of its own, as the runtime would run it."""

    def __init__(self, debuggee: FakeDebuggee, sample: Sample, program: Program) -> None:
        self._debuggee = debuggee
        self._sample = sample
        self._program = program
        for name, content in {"Sample.Point.Made": 7, "balance": 0}.items():
            debuggee.heap.statics[sample.static_field(name)] = content
        self._machine = Machine(debuggee, sample)
        self._thread = threading.Thread(target=self._run, name="fake-program", daemon=True)

    def start(self) -> None:
        """Begin to run, and to report events."""
        self._thread.start()

    def join(self) -> None:
        """The end of the program's thread."""
        self._thread.join(_JOIN_S)
        assert not self._thread.is_alive(), "the fake program still runs"
        self._sample.close()

    def _run(self) -> None:
        debuggee, process = self._debuggee, self._debuggee.process
        exit_code, signal = 137, 9
        try:
            process.report_holding(events.ProcessCreated())
            debuggee.load("System.Private.CoreLib.dll")
            debuggee.load(str(SAMPLE))
            process.report_holding(events.ThreadStarted(thread=MAIN_THREAD))
            exit_code, signal = self._program(self._machine), 0
        except Killed:
            pass
        if process.is_detached:
            return
        process.exit()
        if not debuggee.is_attach:
            process.report(events.ProcessReaped(exit_code=exit_code, signal=signal or None))
