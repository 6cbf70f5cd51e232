"""What rendering and evaluation need of the stopped program: the debuggee, its modules, and where to look."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct, field

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, ThreadId, Value
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.values.hit_reads import HitReads


class Clock:
    """Counts the generations of value handles within one session: each function evaluation begins a new one."""

    def __init__(self) -> None:
        self.generation = 0


class ObjectExpressions(Protocol):
    """Evaluates expressions on objects for their display. Passed in, for evaluation stands above values."""

    def value(self, program: Program, target: Value, expression: str, *, may_run: bool = False) -> Value:
        """The value of a C# expression whose `this` is `target`: read or interpreted.

        The program runs for it only with `may_run`; then the value is of a new generation. Raises `EvaluationError`
        for what cannot be had so, is no C#, or threw. Session thread.
        """
        ...


class Program(Struct, frozen=True):
    """The stopped program. Session thread only."""

    debuggee: Debuggee
    modules: ModuleCatalog
    clock: Clock = field(default_factory=Clock)
    expressions: ObjectExpressions | None = None
    """None: displays that need expressions are not shown."""


class FrameContext(Struct, frozen=True):
    """One frame of one thread of the stopped program."""

    program: Program
    thread: ThreadId
    frame: Frame
    reads: HitReads | None = None
    """Of a breakpoint's hit: what its event brought along of the frame."""
    machine: Callable[[], Value] | None = None
    """Of a method that awaits and is not on the stack: its state machine, which has its variables."""
