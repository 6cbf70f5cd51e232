"""Which call of a method a frame belongs to: handlers of exceptions, and their conditions, have frames of their own."""

from __future__ import annotations

from itertools import takewhile

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import Frame, FrameKind, ThreadId
from dap_dotnet.symbols.exception_clauses import is_in_filter
from dap_dotnet.symbols.modules import ModuleCatalog

_MOST_FRAMES = 1000


def activation(modules: ModuleCatalog, debuggee: Debuggee, thread: ThreadId) -> Frame | None:
    """The method's own frame for a thread's top frame: mostly that itself. None where it is not near, or not known.

    The condition of a catch runs above what has thrown, which the method may have called.
    """
    top = debuggee.top_frame(thread)
    if top is None or top.kind is not FrameKind.IL or top.method is None:
        return None
    module = modules.get(top.module)
    is_condition = module is not None and is_in_filter(module, top.method, top.il_offset or 0)
    if not top.is_handler and not is_condition:
        return top
    below = debuggee.stack(thread, 1, _MOST_FRAMES).frames
    if is_condition:
        called = (top.module, top.method)
        return next((one for one in below if (one.module, one.method) == called and not one.is_handler), None)
    left = list(takewhile(lambda one: one.is_left, below))
    return left[-1] if left else None


def found_again(debuggee: Debuggee, thread: ThreadId, wanted: Frame) -> Frame | None:
    """A frame as it is on a thread's stack now; None where it is not there any more."""
    call = (wanted.module, wanted.method, wanted.stack_address)
    frames = debuggee.stack(thread, 0, _MOST_FRAMES).frames
    return next((one for one in frames if (one.module, one.method, one.stack_address) == call), None)


class LeftCall:
    """The call that a step out leaves. Session thread only.

    The runtime ends such a step in handlers of the call itself, too; and after one out of a handler, which runs above
    what has thrown, in handlers of methods that the call then calls.
    """

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._own: Frame | None = None

    def begin(self, debuggee: Debuggee, thread: ThreadId) -> None:
        """A step out begins at a thread's top frame."""
        self._own = activation(self._modules, debuggee, thread)

    def forget(self) -> None:
        """The step is over."""
        self._own = None

    def still_there(self, debuggee: Debuggee, thread: ThreadId) -> Frame | None:
        """The call's frame where a stepper has completed in it, or in what it has called.

        None where the thread has left it; then it is forgotten.
        """
        own, top = self._own, debuggee.top_frame(thread)
        self._own = None
        if own is None or top is None or top.stack_address > own.stack_address:
            return None
        found = found_again(debuggee, thread, own)
        landed = activation(self._modules, debuggee, thread)
        if found is None or landed is None or landed.index > found.index:
            return None
        self._own = own
        return found
