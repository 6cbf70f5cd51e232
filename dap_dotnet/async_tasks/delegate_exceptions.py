"""What becomes of an exception that leaves a delegate which the framework runs, in a task or in parallel.

Who awaits the task by then is known from the task. At most throws nobody does, or a thread waits for it: then the place
is looked at where the program has started the delegate, and the threads that are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dap_dotnet.async_tasks.awaited_exceptions import Handling, handling_at_call, handling_in_task, is_handled_at
from dap_dotnet.async_tasks.delegate_uses import DelegateUse, Outcome, delegate_uses
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, MethodToken, ThreadId
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program

_MOST_THREADS = 64
_MOST_FRAMES = 200
_AGGREGATE = ("System.AggregateException", "System.Exception", "System.Object")


def comes_out_or_is_handled(
    program: Program, thread: ThreadId, stack: Sequence[Frame], number: int, lineage: Sequence[str]
) -> bool:
    """Whether an exception that frame `number` of a stack takes, of code that is not the user's, need not stop now.

    Somebody handles it for certain; or it comes out where the program awaits its task or waits for it later, and the
    runtime reports it there again. `lineage` has the full names of its type and bases. The process must be held.
    """
    handling = handling_in_task(program, thread, stack, number, lineage)
    if handling is not None:
        return handling is not Handling.UNHANDLED
    found = _delegate(program, stack[:number])
    if found is None:
        return False
    module, method = found
    uses = delegate_uses(module, method)
    return bool(uses) and all(_is_out_of_question(program, thread, module, use, lineage) for use in uses)


def _delegate(program: Program, frames: Sequence[Frame]) -> tuple[LoadedModule, MethodToken] | None:
    """The method of the user's that other code has called, of which the exception comes."""
    for frame in reversed(frames):
        module = program.modules.get(frame.module)
        if module is not None and module.is_user_code and frame.method is not None and not frame.is_left:
            return module, frame.method
    return None


def _is_out_of_question(
    program: Program, thread: ThreadId, module: LoadedModule, use: DelegateUse, lineage: Sequence[str]
) -> bool:
    if use.outcome is Outcome.DROPPED:
        return False
    if use.outcome is Outcome.KEPT:
        return True
    comes_out = _AGGREGATE if use.outcome is Outcome.WAITED else lineage
    if is_handled_at(module, use.method, use.il_offset, comes_out):
        return True
    handlings = [
        handling_at_call(program, other, frames, number, comes_out)
        for other, frames, number in _calls_under_way(program, thread, module, use)
    ]
    return Handling.UNHANDLED not in handlings


def _calls_under_way(
    program: Program, thread: ThreadId, module: LoadedModule, use: DelegateUse
) -> Iterator[tuple[ThreadId, Sequence[Frame], int]]:
    """(thread, its stack, number of the frame) of each thread that is in the method that starts the delegate."""
    others = [info.thread for info in program.debuggee.threads() if info.thread != thread]
    for one in [thread, *others[:_MOST_THREADS]]:
        try:
            frames = StackView(program.debuggee, one).page(0, _MOST_FRAMES)[0]
        except DapDotnetError:
            continue
        for number, frame in enumerate(frames):
            if (frame.module, frame.method) == (module.id, use.method):
                yield one, frames, number
                break
