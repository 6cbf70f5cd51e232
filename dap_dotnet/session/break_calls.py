"""A call of Debugger.Break() on which the program has just stopped for another reason: one stop, not two.

Session thread only.
"""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import BreakpointLocation, Frame, ThreadId
from dap_dotnet.session.stops import Stop, StopReason
from dap_dotnet.symbols.modules import ModuleCatalog

_ARRIVALS = (
    StopReason.BREAKPOINT,
    StopReason.FUNCTION_BREAKPOINT,
    StopReason.STEP,
    StopReason.ENTRY,
    StopReason.GOTO,
)
"""Reasons of stops that come before the statement has run."""
_HITS = (StopReason.BREAKPOINT, StopReason.FUNCTION_BREAKPOINT)
_NOP, _CALL = 0x00, 0x28
_TEST_PLATFORM = ("testhost", "Microsoft.TestPlatform.")
"""How the names of its modules begin."""
_BREAK = "System.Diagnostics.Debugger.Break()"


class BreakCalls:
    """Remembers where the thread that had stopped went on."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._hit: tuple[ThreadId, BreakpointLocation] | None = None
        self._left: tuple[ThreadId, Frame | BreakpointLocation] | None = None
        self._stepped_from: tuple[ThreadId, Frame | BreakpointLocation] | None = None

    def hits(self, thread: ThreadId, location: BreakpointLocation) -> None:
        """A thread is at a breakpoint; a stop may be made of it."""
        self._hit = thread, location

    def goes_on(self, debuggee: Debuggee, stop: Stop) -> None:
        """The program, which is still held, goes on from a stop."""
        hit, self._hit = self._hit, None
        self._stepped_from = self._left if stop.reason is StopReason.STEP else None
        self._left = None
        if stop.reason not in _ARRIVALS:
            return
        if hit is not None and hit[0] == stop.thread and stop.reason in _HITS:
            self._left = hit  # without a look at the stack, which would take as long as all else that a hit takes
            return
        frame = stop.frame
        if frame is None:
            try:
                frame = debuggee.top_frame(stop.thread)
            except DapDotnetError:
                return
        if frame is not None:
            self._left = stop.thread, frame

    def is_announced(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """A thread has called Debugger.Break(): whether that was the first thing it did since the stop before.

        The runtime reports a call when it has returned. In optimised code the next statement begins right there, and a
        step over the call ends in it, before the report: then the call was the first thing before that stop.
        """
        left, self._left = self._left, None
        stepped_from, self._stepped_from = self._stepped_from, None
        if left is None or left[0] != thread:
            return False
        if self._calls_break(left[1]):
            return True
        if stepped_from is None or stepped_from[0] != thread or not self._calls_break(stepped_from[1]):
            return False
        try:
            top = debuggee.top_frame(thread)
        except DapDotnetError:
            return False
        return top is not None and _place(top) == _place(left[1])

    def is_of_test_platform(self, debuggee: Debuggee, thread: ThreadId) -> bool:
        """Whether the host of tests itself calls it: it does so once a debugger is there, to stop before the tests."""
        try:
            top = debuggee.top_frame(thread)
        except DapDotnetError:
            return False
        module = self._modules.get(top.module) if top is not None else None
        return module is not None and module.name.startswith(_TEST_PLATFORM)

    def _calls_break(self, frame: Frame | BreakpointLocation) -> bool:
        """Whether nothing comes before such a call where a frame stands."""
        from portablepdb import PortablePdbError

        module = self._modules.get(frame.module)
        if module is None or module.metadata is None or frame.method is None or frame.il_offset is None:
            return False
        try:
            body = module.metadata.method_body(frame.method)
            rest = body.il[frame.il_offset :].lstrip(bytes([_NOP])) if body is not None else b""
            token = int.from_bytes(rest[1:5], "little")
            return rest[:1] == bytes([_CALL]) and module.metadata.display(token) == _BREAK
        except PortablePdbError:
            return False


def _place(frame: Frame | BreakpointLocation) -> tuple[object, ...]:
    return frame.module, frame.method, frame.il_offset
