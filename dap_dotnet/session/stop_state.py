"""Everything that lives as long as one stop: frames, variables, opened values. Session thread only."""

from __future__ import annotations

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, ThreadId
from dap_dotnet.session.stops import Stop
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.children import Container
from dap_dotnet.values.context import FrameContext, Program
from dap_dotnet.values.handles import HandleTable
from dap_dotnet.values.live_values import Roots


class StopState:
    """What the client can name while the program stands. `clear` is the one place where it dies."""

    def __init__(self) -> None:
        self.current: Stop | None = None
        """The stop that the client knows of; None while the program runs, or waits for `configurationDone`."""
        self.frames: HandleTable[FrameContext] = HandleTable("frame")
        self.variables: HandleTable[Container] = HandleTable("variables reference")
        self.roots = Roots()
        """Results of expressions that the client has opened."""
        self._stacks: dict[ThreadId, StackView] = {}
        self._frame_ids: dict[tuple[ThreadId, int], int] = {}

    def clear(self) -> None:
        """The stop is over. Handles of it are stale from now on, and never mean anything else."""
        self.current = None
        self.frames.clear()
        self.variables.clear()
        self.roots.clear()
        self._stacks.clear()
        self._frame_ids.clear()

    def stack(self, debuggee: Debuggee, thread: ThreadId) -> StackView:
        """A thread's stack; walked once, as far as it is asked for."""
        return self._stacks.setdefault(thread, StackView(debuggee, thread))

    def frame_id(self, program: Program, thread: ThreadId, frame: Frame) -> int:
        """The client's number for a frame: the same for the whole stop."""
        key = (thread, frame.index)
        if key not in self._frame_ids:
            self._frame_ids[key] = self.frames.add(FrameContext(program, thread, frame))
        return self._frame_ids[key]
