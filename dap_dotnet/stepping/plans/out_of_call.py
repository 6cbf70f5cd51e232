"""Which call of a method a frame belongs to: handlers of exceptions, and their conditions, have frames of their own."""

from __future__ import annotations

from itertools import takewhile

from typing_extensions import override

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import StepCompleted
from dap_dotnet.runtime.model import Frame, FrameKind, StepKind, ThreadId
from dap_dotnet.stepping.plan import Decision, Done, Layer, News, Replace, StepEvent, StepPlan
from dap_dotnet.stepping.plans.moves import Move
from dap_dotnet.symbols.exception_clauses import is_in_filter
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.values.context import Program

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
    """A frame as it is on a thread's stack now; None where it is not there any more.

    Among all frames: in a catch of a method its own frame is below that of the handler, among those not shown.
    """
    top = debuggee.top_frame(thread)
    if top is not None and is_same_call(top, wanted):
        return top
    return next((one for one in debuggee.stack(thread, 0, _MOST_FRAMES).frames if is_same_call(one, wanted)), None)


def is_same_call(frame: Frame, other: Frame) -> bool:
    """Whether two frames, read at different times, are of one activation of a method, as far as its place tells."""
    call = (other.module, other.method, other.stack_address)
    return (frame.module, frame.method, frame.stack_address) == call


class OutOfCall(StepPlan):
    """Out of the call itself: its own handlers of exceptions, and what those call, are no end of it.

    The runtime ends such a step in handlers of the call itself, too; and after one out of a handler, which runs above
    what has thrown, in handlers of methods that the call then calls.
    """

    layer = Layer.CALL

    def __init__(self, modules: ModuleCatalog, own: Frame, *, just_my_code: bool) -> None:
        """`own` is the frame of the call."""
        super().__init__()
        self._modules = modules
        self._own = own
        self._just_my_code = just_my_code

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        return news in (News.RESUMED, News.ARRIVED) or (news is None and isinstance(event, StepCompleted))

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        own = self._still_there(program.debuggee, event.thread) if news is None else None
        if own is None:
            return Done(news)
        move = Move(event.thread, StepKind.OUT, just_my_code=self._just_my_code, frame_index=own.index)
        return Replace(move)

    def _still_there(self, debuggee: Debuggee, thread: ThreadId) -> Frame | None:
        """The call's frame where a stepper has completed in it, or in what it has called; None: it was left."""
        own, top = self._own, debuggee.top_frame(thread)
        if top is None or top.stack_address > own.stack_address:
            return None
        found = found_again(debuggee, thread, own)
        landed = activation(self._modules, debuggee, thread)
        if found is None or landed is None or landed.index > found.index:
            return None
        return found


def out_of_call(
    modules: ModuleCatalog, debuggee: Debuggee, thread: ThreadId, *, just_my_code: bool
) -> OutOfCall | None:
    """For a step out that begins at a thread's top frame; None where its call is not known."""
    own = activation(modules, debuggee, thread)
    return OutOfCall(modules, own, just_my_code=just_my_code) if own is not None else None
