"""A thread's stack as the user sees it: methods, without what the runtime puts between them.

Frames are walked as far as they are asked for. Session thread only; a view lives for one stop.
"""

from __future__ import annotations

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, FrameKind, ThreadId

_PAGE = 32
FUNCTION_EVALUATION = 5
LIGHTWEIGHT_FUNCTION = 4
_SHOWN_MARKERS = (LIGHTWEIGHT_FUNCTION, FUNCTION_EVALUATION)
"""CorDebugInternalFrameType: dynamic methods and evaluations are the user's doing; the others are stubs."""


def is_dynamic(frame: Frame) -> bool:
    """Whether a frame is of a method that was made at run time, of which the runtime knows no name."""
    is_code_of_the_runtimes = frame.kind is FrameKind.NATIVE and frame.stack_address != 0
    return is_code_of_the_runtimes or frame.internal_type == LIGHTWEIGHT_FUNCTION


class StackView:
    """The shown frames of one thread. Native code is one frame between methods; above and below them it is left out.

    A method in a handler (catch, finally) is one frame, at its place in the handler: what the exception has left
    is gone for the user, and so is the runtime's code that called the handler.
    """

    def __init__(self, debuggee: Debuggee, thread: ThreadId) -> None:
        self._debuggee = debuggee
        self._thread = thread
        self._shown: list[Frame] = []
        self._native: Frame | None = None
        self._next = 0
        self._more = True

    def page(self, start: int, count: int) -> tuple[list[Frame], bool]:
        """Up to `count` shown frames from number `start`, and whether others follow. Raises as `Debuggee.stack`."""
        while self._more and len(self._shown) <= start + count:
            wanted = max(start + count + 1 - len(self._shown), 1)
            page = self._debuggee.stack(self._thread, self._next, min(wanted, _PAGE) if count < _PAGE else wanted)
            self._next += len(page.frames)
            self._more = page.more and bool(page.frames)
            for frame in page.frames:
                self._take(frame)
        return self._shown[start : start + count], len(self._shown) > start + count

    @property
    def known(self) -> int:
        """How many shown frames have been walked so far."""
        return len(self._shown)

    def _take(self, frame: Frame) -> None:
        if frame.is_left:
            self._native = None
        elif frame.kind is FrameKind.NATIVE:
            if self._native is None or (is_dynamic(self._native) and not is_dynamic(frame)):
                self._native = frame  # with native code around it, what looks dynamic is a stub of the runtime
        elif frame.kind is FrameKind.IL or frame.internal_type in _SHOWN_MARKERS:
            if self._native is not None and self._shown:
                self._shown.append(self._native)
            self._native = None
            self._shown.append(frame)

    def top(self) -> Frame | None:
        """The topmost method; None for a thread without any."""
        if not self._shown:
            self.page(0, 1)
        return self._shown[0] if self._shown else None
