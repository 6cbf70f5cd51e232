"""What becomes of an exception that leaves an async method: whether anybody handles it at an `await` up the chain.

An exception that no handler of an async method takes goes into its task, and out of that where it is awaited. So at the
throw, with everything alive, the methods that await are known already, and so are the handlers around their awaits.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from dap_dotnet.async_tasks.await_states import await_offset, drops_exceptions
from dap_dotnet.async_tasks.awaiters import (
    Awaiter,
    NotPassedOnError,
    awaiters,
    awaiters_of_task,
    has_field_of_type,
)
from dap_dotnet.async_tasks.state_machine import BUILDER_FIELDS, state_machine
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken, ThreadId, Value
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.calls import may_drop_exceptions
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.exception_clauses import clauses_at, is_compilers, takes
from dap_dotnet.symbols.frames import method_of
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program

_MOST_METHODS = 64
_MOST_BETWEEN = 3
_ASYNC_VOID = "System.Runtime.CompilerServices.AsyncVoidMethodBuilder"
_ASYNC_MAIN = "<Main>"
_TASK = "System.Threading.Tasks.Task"
_AWAITED_BY = (".GetAwaiter(", ".ConfigureAwait(")


class Handling(enum.Enum):
    """Whether anybody handles an exception."""

    HANDLED = "handled"
    """A handler of the user's is around an await that it comes to."""
    UNHANDLED = "unhandled"
    """It comes out of the program's Main, or of an `async void` method, and nobody has handled it."""
    UNKNOWN = "unknown"
    """Nobody awaits yet, or it comes to code that is not followed."""


class _Throw(Struct, frozen=True):
    program: Program
    thread: ThreadId
    stack: Sequence[Frame]
    lineage: Sequence[str]


def handling_of(
    program: Program, thread: ThreadId, stack: Sequence[Frame], number: int, lineage: Sequence[str]
) -> Handling:
    """That of an exception that the async method of frame `number` of a stack has no handler for.

    `lineage` has the full names of the exception's type and its bases. The process must be held by the exception.
    """
    try:
        return _leaves_frame(_Throw(program, thread, stack, lineage), number)
    except (DapDotnetError, NotPassedOnError):
        return Handling.UNKNOWN


def handling_in_task(
    program: Program, thread: ThreadId, stack: Sequence[Frame], number: int, lineage: Sequence[str]
) -> Handling | None:
    """That of an exception that frame `number` of a stack takes into a task that runs code (Task.Run).

    None where that is no task, and where nobody awaits it yet. The process must be held.
    """
    try:
        # The library's ExecutionContext may take it first, and throw it again right away.
        nearest = stack[number : number + _MOST_BETWEEN]
        running = (frame for frame in nearest if (method_of(program.modules, frame) or ("",))[0] == _TASK)
        candidates = (state_machine(program.debuggee, thread, frame.index) for frame in running)
        task = next((one for one in candidates if one is not None), None)
        if task is None:
            return None
        found = awaiters_of_task(program, task)
        return _comes_to(_Throw(program, thread, stack, lineage), found, 0) if found else None
    except (DapDotnetError, NotPassedOnError):
        return Handling.UNKNOWN


def handling_at_call(
    program: Program, thread: ThreadId, stack: Sequence[Frame], number: int, lineage: Sequence[str]
) -> Handling:
    """That of an exception that comes out of what frame `number` of any thread's stack is calling.

    UNKNOWN where code that is not the user's may take it. The process must be held.
    """
    throw = _Throw(program, thread, stack, lineage)
    try:
        for at in range(number, len(stack)):
            frame = stack[at]
            module = program.modules.get(frame.module)
            if frame.is_left or module is None or frame.method is None or frame.il_offset is None:
                continue
            if _is_handled_at(throw, module, frame.method, frame.il_offset):
                return Handling.HANDLED if module.is_user_code else Handling.UNKNOWN
            if module.is_user_code and async_info(module, frame.method) is not None:
                return _leaves_frame(throw, at)
    except (DapDotnetError, NotPassedOnError):
        return Handling.UNKNOWN
    return Handling.UNHANDLED


def _leaves_frame(throw: _Throw, number: int) -> Handling:
    frame = throw.stack[number]
    module = throw.program.modules.get(frame.module)
    if module is None or module.pdb is None or frame.method is None:
        return Handling.UNKNOWN
    kickoff = module.pdb.kickoff_method(frame.method)
    machine = state_machine(throw.program.debuggee, throw.thread, frame.index)
    if machine is None or kickoff is None:
        return Handling.UNKNOWN
    if _is_async_void(throw.program, machine):
        return Handling.UNHANDLED
    caller = _caller(throw, number, kickoff)
    if caller is None:
        return _leaves_machine(throw, module, frame.method, machine, 0)
    return _comes_to_caller(throw, caller, module, kickoff)


def _caller(throw: _Throw, number: int, kickoff: int) -> int | None:
    """The frame that called an async method which has not suspended yet; None for one that the framework resumed."""
    frame = throw.stack[number]
    has_begun = False
    for below in range(number + 1, len(throw.stack)):
        other = throw.stack[below]
        module = throw.program.modules.get(other.module)
        if (other.module, other.method) == (frame.module, kickoff):
            has_begun = True
        elif other.kind is FrameKind.IL and module is not None and (has_begun or module.is_user_code):
            return below if has_begun else None
    return None


def _comes_to_caller(throw: _Throw, number: int, called_module: LoadedModule, called: int) -> Handling:
    """The task of a method that has failed before its first suspension is returned: whether it is awaited at once."""
    frame = throw.stack[number]
    module = throw.program.modules.get(frame.module)
    if module is None or frame.method is None or frame.il_offset is None or module is not called_module:
        return Handling.UNKNOWN
    if not _is_awaited_at_once(module, frame.method, frame.il_offset, called):
        return Handling.UNKNOWN
    if _is_handled_at(throw, module, frame.method, frame.il_offset):
        return Handling.HANDLED
    if _is_entry_of_async_main(module, frame.method):
        return Handling.UNHANDLED
    is_async = async_info(module, frame.method) is not None
    return _leaves_frame(throw, number) if is_async else Handling.UNKNOWN


def _leaves_machine(throw: _Throw, module: LoadedModule, method: MethodToken, machine: Value, depth: int) -> Handling:
    """The exception goes into the task of a method that has suspended before: who awaits that gets it."""
    if depth >= _MOST_METHODS:
        return Handling.UNKNOWN
    found = awaiters(throw.program, machine, just_my_code=False, also_without_source=True, only_passing_on=True)
    if not found:
        return Handling.UNHANDLED if _is_async_main(module, method) else Handling.UNKNOWN
    return _comes_to(throw, found, depth)


def _comes_to(throw: _Throw, found: Sequence[Awaiter], depth: int) -> Handling:
    """The exception comes out of a task where these methods await it."""
    handlings = set()
    for one in found:
        if not one.module.is_user_code:
            return Handling.UNKNOWN
        offset = await_offset(throw.program, one.module, one.move_next, one.machine)
        if offset is None:
            return Handling.UNKNOWN
        if drops_exceptions(throw.program, one.module, one.move_next, one.machine):
            return Handling.HANDLED
        if _is_handled_at(throw, one.module, one.move_next, offset):
            return Handling.HANDLED
        if _is_async_void(throw.program, one.machine):
            handlings.add(Handling.UNHANDLED)
        else:
            handlings.add(_leaves_machine(throw, one.module, one.move_next, one.machine, depth + 1))
    order = (Handling.HANDLED, Handling.UNKNOWN, Handling.UNHANDLED)
    return next((one for one in order if one in handlings), Handling.UNKNOWN)


def _is_handled_at(throw: _Throw, module: LoadedModule, method: MethodToken, il_offset: int) -> bool:
    return is_handled_at(module, method, il_offset, throw.lineage)


def is_handled_at(module: LoadedModule, method: MethodToken, il_offset: int, lineage: Sequence[str]) -> bool:
    """Whether a handler that the source has is around an IL offset, and takes an exception or may take it."""
    found = [one for one in clauses_at(module, method, il_offset) if not is_compilers(module, method, one)]
    return any(takes(module, one, lineage) for one in found)


def _is_async_void(program: Program, machine: Value) -> bool:
    return any(has_field_of_type(program, machine, name, _ASYNC_VOID) for name in BUILDER_FIELDS)


@if_damaged(False)
def _is_async_main(module: LoadedModule, move_next: MethodToken) -> bool:
    """Whether a MoveNext is that of the method that the program's entry point waits for."""

    kickoff = module.pdb.kickoff_method(move_next) if module.pdb is not None else None
    if module.metadata is None or kickoff is None or not module.metadata.entry_point:
        return False
    entry, main = module.metadata.method(module.metadata.entry_point), module.metadata.method(kickoff)
    return (
        entry.name == _ASYNC_MAIN and main.name in ("Main", "<Main>$") and (main.declaring_type == entry.declaring_type)
    )


@if_damaged(False)
def _is_entry_of_async_main(module: LoadedModule, method: MethodToken) -> bool:

    if module.metadata is None or int(module.metadata.entry_point or 0) != int(method):
        return False
    return module.metadata.method(method).name == _ASYNC_MAIN


@if_damaged(False)
def _is_awaited_at_once(module: LoadedModule, method: MethodToken, il_offset: int, called: int) -> bool:
    """Whether the call of a method at an IL offset, or the next one in the statement there, is awaited right away."""

    if module.metadata is None:
        return False
    calls = [one for one in instructions_of(module, method) if one.opcode.name in ("call", "callvirt")]
    after = [one.operand for one in calls if one.offset >= il_offset and isinstance(one.operand, int)]
    for token, following in pairwise(after):
        if _means(module, token, called):
            name = module.metadata.display(following)
            return any(text in name for text in _AWAITED_BY) and not may_drop_exceptions(module, following)
    return False


def _means(module: LoadedModule, token: int, method: int) -> bool:
    """Whether the token of a call is that of a method, or of an instance of it."""
    assert module.metadata is not None
    if token == method:
        return True
    plain = module.metadata.display(method).partition("(")[0].partition("<")[0]
    return module.metadata.display(token).partition("(")[0].partition("<")[0] == plain
