"""The program's side of the fake debuggee: what a test's function runs the lines of sample/Sample.cs with."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dap_dotnet.runtime import events
from dap_dotnet.runtime.events import ExceptionPhase
from dap_dotnet.runtime.model import MethodToken, ModuleId, StepKind, StepperId, ThreadId
from tests.session.fake_values import FakeObject

if TYPE_CHECKING:
    from tests.session.fake_debuggee import FakeDebuggee

SAMPLE = Path(__file__).with_name("sample") / "Sample.dll"
SOURCE = SAMPLE.with_suffix(".cs")
DOCUMENT = "/sample/Sample.cs"
"""The path of the source in the PDB."""
PROCESS_ID = 4242
MAIN_THREAD = ThreadId(PROCESS_ID)
CORE_LIBRARY = ModuleId(1)
SAMPLE_MODULE = ModuleId(2)
_IN_A_CALL = 5
"""IL offset within a statement, where a call has just returned to."""


def line_of(marker: str) -> int:
    """The 1-based line of the sample that ends with ``// marker``."""
    lines = SOURCE.read_text().splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {marker}")]
    return found


class Killed(BaseException):
    """The program's thread ends."""


@dataclass
class FakeFrame:
    """An activation of a method of the sample."""

    method: MethodToken
    arguments: dict[str, Any]
    locals: dict[str, Any] = field(default_factory=dict)
    il_offset: int = 0


@dataclass
class Step:
    """An armed stepper."""

    stepper: StepperId
    kind: StepKind
    ranges: Sequence[tuple[int, int]]
    depth: int


class Machine:
    """What the program's function does its work with. Called on the program's thread."""

    def __init__(self, debuggee: FakeDebuggee) -> None:
        self._debuggee = debuggee
        self.frames: list[FakeFrame] = []
        """The stack, outermost first."""

    @contextmanager
    def call(self, method: str, **arguments: Any) -> Iterator[FakeFrame]:
        """Run in a method of the sample, from its opening brace on."""
        frame = FakeFrame(self._debuggee.methods[method], arguments)
        self.frames.append(frame)
        self._debuggee.safe_point()
        yield frame
        self.frames.pop()
        if self.frames:
            self.frames[-1].il_offset += _IN_A_CALL
            self._debuggee.check_step(returned=True)

    def at(self, marker: str, part: int = 0) -> None:
        """Arrive at the statement on the line with this marker; `part` counts the statements of the line."""
        frame = self.frames[-1]
        line = line_of(marker)
        points = self._debuggee.pdb.sequence_points(frame.method)
        frame.il_offset = sorted(point.il_offset for point in points if point.start_line == line)[part]
        self._debuggee.safe_point()

    def store(self, name: str, value: Any) -> None:
        """Store to a static field of the sample."""
        self._debuggee.statics[name] = value

    def write(self, text: str, *, is_error: bool = False) -> None:
        """Write to the standard output or error."""
        self._debuggee.emit(events.OutputWritten(is_error=is_error, text=text))

    def load(self, name: str) -> ModuleId:
        """Load a module without symbols."""
        return self._debuggee.load(name)

    def throw(self, phase: ExceptionPhase, type_name: str = "Sample.Trouble") -> None:
        """Report an exception in flight, if the session is interested in the phase."""
        debuggee = self._debuggee
        if phase in debuggee.exception_interest:
            debuggee.exception = FakeObject(type_name)
            frame = self.frames[-1]
            debuggee.emit_holding(
                events.ExceptionRaised(
                    thread=MAIN_THREAD,
                    phase=phase,
                    module=SAMPLE_MODULE,
                    method=frame.method,
                    il_offset=frame.il_offset,
                    hold=0,
                )
            )
            debuggee.exception = None

    def spin(self, until: threading.Event) -> None:
        """Write "spinning" and run without an end until the test says so; stop requests are obeyed.

        A program that was left ends here.
        """
        self.write("spinning\n")
        while not until.wait(0.005) and not self._debuggee.is_detached:
            self._debuggee.safe_point()


Program = Callable[[Machine], int]
"""Plays the program and returns its exit code."""
