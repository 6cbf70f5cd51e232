"""Exceptions that take a thread out of all of the user's code: what the framework runs, such as a task's delegate.

The framework catches them, and no stepper says so where more than one method is left: the step would end in whatever
the thread comes to next, or never. The runtime tells where the handler is before anything is left.
"""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import ExceptionPhase, ExceptionRaised
from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken, ThreadId
from dap_dotnet.stepping.plan import Decision, Done, Layer, News, StepEvent, StepPlan
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.exception_clauses import clauses_at, takes
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program
from dap_dotnet.values.lineage import lineage
from dap_dotnet.values.typenames import full_name

_MOST_FRAMES = 1000
_RUN_OTHERS = "System.Threading."
"""Classes whose methods run others' code: what the thread comes to next has nothing to do with that."""


class ThrownException(StepPlan):
    """Begin the step where the runtime has found the handler of an exception, if it does.

    A stepper that is armed at a throw which nobody takes makes .NET 10 end by SIGSEGV.
    """

    layer = Layer.THROWN

    def __init__(self, start: Callable[[], None]) -> None:
        """`start` begins the step."""
        super().__init__()
        self._start = start

    @override
    def explains(self, program: Program, event: StepEvent, news: News | None) -> bool:
        return isinstance(event, ExceptionRaised) and event.phase is ExceptionPhase.CATCH_HANDLER_FOUND

    @override
    def should_stop(self, program: Program, event: StepEvent, news: News | None) -> Decision:
        self._start()
        return Done()  # the plans of the step that has begun may have something to say of the handler


def is_taken_by_user(program: Program, thread: ThreadId) -> bool:
    """Whether a method of the user's on a thread's stack has a handler, or a condition of one, for what it has thrown.

    The compiler's handlers around async methods count, too. The process must be held.
    """
    thrown = program.debuggee.current_exception(thread)
    names = [full_name(program, info) for _, info in lineage(program, thrown.type if thrown is not None else None)]
    for frame in StackView(program.debuggee, thread).page(0, _MOST_FRAMES)[0]:
        module = program.modules.get(frame.module)
        if frame.is_left or frame.method is None or module is None or not program.modules.is_users(module):
            continue
        if any(takes(module, one, names) for one in clauses_at(module, frame.method, frame.il_offset or 0)):
            return True
    return False


def left_by_exception(modules: ModuleCatalog, debuggee: Debuggee, event: ExceptionRaised) -> Frame | None:
    """The user's method that other code has called, and that a caught exception leaves with all that it has called.

    None where anything else takes it than what runs others' code on threads, such as a task: that may call a handler of
    the user's then. None too where some of the user's code is below, and where that is not known. The process must be
    held by the event.
    """
    handler = modules.get(event.module)
    if event.phase is not ExceptionPhase.CATCH_HANDLER_FOUND or handler is None or modules.is_users(handler):
        return None
    if not _runs_others(handler, event.method):
        return None
    try:
        frames = StackView(debuggee, event.thread).page(0, _MOST_FRAMES)[0]
    except DapDotnetError:
        return None
    left: Frame | None = None
    is_past_handler = False
    for frame in frames:
        if frame.kind is not FrameKind.IL or frame.is_left:
            continue
        module = modules.get(frame.module)
        if module is not None and modules.is_users(module):
            if is_past_handler:
                return None
            left = frame
        elif left is not None and (frame.module, frame.method) == (event.module, event.method):
            is_past_handler = True
    return left if is_past_handler else None


@if_damaged(False)
def _runs_others(module: LoadedModule, method: MethodToken | None) -> bool:

    if module.metadata is None or method is None:
        return False
    return module.metadata.declaring_type(method).full_name.startswith(_RUN_OTHERS)
