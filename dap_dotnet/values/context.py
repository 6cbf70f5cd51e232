"""What rendering and evaluation need of the stopped program: the debuggee, its modules, and where to look."""

from __future__ import annotations

from msgspec import Struct, field

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, ThreadId
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.values.hit_reads import HitReads


class Clock:
    """Counts the generations of value handles within one session: each function evaluation begins a new one."""

    def __init__(self) -> None:
        self.generation = 0


class Program(Struct, frozen=True):
    """The stopped program. Session thread only."""

    debuggee: Debuggee
    modules: ModuleCatalog
    clock: Clock = field(default_factory=Clock)


class FrameContext(Struct, frozen=True):
    """One frame of one thread of the stopped program."""

    program: Program
    thread: ThreadId
    frame: Frame
    reads: HitReads | None = None
    """Of a breakpoint's hit: what its event brought along of the frame."""
