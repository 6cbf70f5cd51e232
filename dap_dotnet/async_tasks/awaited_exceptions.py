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
    code_of,
    has_field_of_type,
)
from dap_dotnet.async_tasks.state_machine import BUILDER_FIELDS, state_machine
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken, ThreadId, Value
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.calls import may_drop_exceptions
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.exception_clauses import clauses_at, clauses_of, is_compilers, takes
from dap_dotnet.symbols.frames import method_of
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.symbols.telling_methods import tells_itself
from dap_dotnet.values.context import Program

_MOST_METHODS = 64
_MOST_BETWEEN = 3
_ASYNC_VOID = "System.Runtime.CompilerServices.AsyncVoidMethodBuilder"
_ASYNC_MAIN = "<Main>"
_TASK = "System.Threading.Tasks.Task"
_LIBRARY = ("System.", "Microsoft.Extensions.")
_WEB = "Microsoft.AspNetCore."
"""Modules that call the program's code: what comes out of their methods, and is not awaited, comes to nobody else."""
_PAGE = "Microsoft.AspNetCore.Diagnostics.dll"
_OF_CANCELLED_REQUESTS = frozenset({"System.OperationCanceledException", "System.IO.IOException"})
_ENDS = ("Microsoft.AspNetCore.Server.", "Microsoft.AspNetCore.SignalR.", "Microsoft.Extensions.Hosting")
"""Those of them that begin what they call, so that nobody is ever going to await."""
_TEST_RUNNERS = (
    *("xunit.execution.", "xunit.core.", "xunit.v3.core.", "MSTestAdapter.", "MSTest.TestAdapter."),
    *(
        "Microsoft.VisualStudio.TestPlatform.MSTest.",
        "Microsoft.VisualStudio.TestPlatform.MSTestAdapter.",
        "TUnit.Engine.",
    ),
)
"""Modules that await tests: what comes to them has failed the test."""
_ASSERTIONS = (
    *("xunit.assert.", "xunit.v3.assert.", "nunit.framework.", "MSTest.TestFramework.", "TUnit.Assertions."),
    *("Microsoft.VisualStudio.TestPlatform.TestFramework.", "FluentAssertions.", "AwesomeAssertions.", "Shouldly."),
)
"""Modules that await what is to throw, as Assert.ThrowsAsync does."""
_MOST_THREADS = 64
_MOST_FRAMES = 200
_AWAITED_BY = (".GetAwaiter(", ".ConfigureAwait(")


class Handling(enum.Enum):
    """Whether anybody handles an exception."""

    HANDLED = "handled"
    """A handler of the user's is around an await that it comes to."""
    UNHANDLED = "unhandled"
    """It comes out of the program's Main or of an `async void` method, or into a host: nobody has handled it."""
    TOLD = "told"
    """It comes to a method of the framework that tells the debugger itself: see `symbols.telling_methods`."""
    UNKNOWN = "unknown"
    """Nobody awaits yet, or it comes to code that is not followed."""


_ORDER = (Handling.HANDLED, Handling.TOLD, Handling.UNKNOWN, Handling.UNHANDLED)
"""Of several for one exception the first one counts."""


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
    if module is None or frame.method is None or frame.il_offset is None:
        return Handling.UNKNOWN
    if not module.is_user_code:
        return _comes_to_framework(throw, number)
    if module is not called_module or not _is_awaited_at_once(module, frame.method, frame.il_offset, called):
        return Handling.UNKNOWN
    if _is_handled_at(throw, module, frame.method, frame.il_offset):
        return Handling.HANDLED
    if _is_entry_of_async_main(module, frame.method):
        return Handling.UNHANDLED
    is_async = async_info(module, frame.method) is not None
    return _leaves_frame(throw, number) if is_async else Handling.UNKNOWN


def _comes_to_framework(throw: _Throw, number: int) -> Handling:
    """The task is returned to the framework, which awaits it, or returns it to who has called it: down to who does."""
    resumed: Handling | None = None
    for at in range(number, len(throw.stack)):
        frame = throw.stack[at]
        module = throw.program.modules.get(frame.module)
        if module is None or frame.method is None or frame.il_offset is None:
            continue
        if not module.is_user_code:
            told = _of_test(module) or _told(throw, module, frame.method)
            if told is not None:
                return told
            above = _above_framework(throw, at, module, frame.method)
            resumed = above or resumed
        elif async_info(module, frame.method) is not None:
            if not _awaits_next_call(module, frame.method, frame.il_offset):
                return Handling.UNKNOWN
            if _is_handled_at(throw, module, frame.method, frame.il_offset):
                return Handling.HANDLED
            return _leaves_frame(throw, at)
    return resumed or Handling.UNKNOWN


def _above_framework(throw: _Throw, number: int, module: LoadedModule, method: MethodToken) -> Handling | None:
    """Of an async method of the framework: what becomes of its task; None for other methods."""
    if module.metadata is None or module.metadata.method(method).name != "MoveNext":
        return None
    machine = state_machine(throw.program.debuggee, throw.thread, throw.stack[number].index)
    if machine is None or code_of(throw.program, machine) is None:
        return Handling.UNKNOWN
    return _leaves_machine(throw, module, method, machine, 1)


def _before_awaited(throw: _Throw) -> Handling | None:
    """Of a task that nobody awaits: what becomes of it where a thread is still on its way to do so; None without such.

    The thread that has called the method comes back from it through the framework, while another goes on behind an
    `await` and throws.
    """
    handlings = set()
    others = [info.thread for info in throw.program.debuggee.threads() if info.thread != throw.thread]
    for other in others[:_MOST_THREADS]:
        try:
            frames = StackView(throw.program.debuggee, other).page(0, _MOST_FRAMES)[0]
        except DapDotnetError:
            continue
        modules = (throw.program.modules.get(frame.module) for frame in frames)
        names = (module.name for module in modules if module is not None and not module.name.startswith(_LIBRARY))
        if next(names, "").startswith(_WEB):
            handlings.add(_comes_to_framework(_Throw(throw.program, other, frames, throw.lineage), 0))
    return next((one for one in _ORDER if one in handlings), None)


def _of_test(module: LoadedModule) -> Handling | None:
    """Of an exception that comes to a test framework; None for other modules."""
    if module.name.startswith(_ASSERTIONS):
        return Handling.HANDLED
    return Handling.UNHANDLED if module.name.startswith(_TEST_RUNNERS) else None


def _told(throw: _Throw, module: LoadedModule, method: MethodToken) -> Handling | None:
    """Of an exception that comes to a method which tells the debugger itself of what it takes; None for other methods.

    The developer exception page tells of all but cancelled requests, when the frames of the throw are gone.
    """
    if not tells_itself(module, method) or not any(
        takes(module, one, throw.lineage) for one in clauses_of(module, method)
    ):
        return None
    is_surely_told = module.name == _PAGE and not _OF_CANCELLED_REQUESTS.intersection(throw.lineage)
    return Handling.UNHANDLED if is_surely_told else Handling.TOLD


def _leaves_machine(throw: _Throw, module: LoadedModule, method: MethodToken, machine: Value, depth: int) -> Handling:
    """The exception goes into the task of a method that has suspended before: who awaits that gets it."""
    if depth >= _MOST_METHODS:
        return Handling.UNKNOWN
    found = awaiters(throw.program, machine, just_my_code=False, also_without_source=True, only_passing_on=True)
    if not found:
        if _is_async_main(module, method) or module.name.startswith(_ENDS):
            return Handling.UNHANDLED
        return _before_awaited(throw) or (Handling.UNHANDLED if module.name.startswith(_WEB) else Handling.UNKNOWN)
    return _comes_to(throw, found, depth)


def _comes_to(throw: _Throw, found: Sequence[Awaiter], depth: int) -> Handling:
    """The exception comes out of a task where these methods await it."""
    handlings = set()
    for one in found:
        if not one.module.is_user_code:
            told = _of_test(one.module) or _told(throw, one.module, one.move_next)
            handlings.add(told or _leaves_machine(throw, one.module, one.move_next, one.machine, depth + 1))
            continue
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
    return next((one for one in _ORDER if one in handlings), Handling.UNKNOWN)


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


@if_damaged(False)
def _awaits_next_call(module: LoadedModule, method: MethodToken, il_offset: int) -> bool:
    """Whether what is called at an IL offset is awaited right away."""
    if module.metadata is None:
        return False
    calls = [one for one in instructions_of(module, method) if one.opcode.name in ("call", "callvirt")]
    names = [
        module.metadata.display(one.operand)
        for one in calls
        if one.offset >= il_offset and isinstance(one.operand, int)
    ]
    return any(text in name for name in names[:2] for text in _AWAITED_BY)


def _means(module: LoadedModule, token: int, method: int) -> bool:
    """Whether the token of a call is that of a method, or of an instance of it."""
    assert module.metadata is not None
    if token == method:
        return True
    plain = module.metadata.display(method).partition("(")[0].partition("<")[0]
    return module.metadata.display(token).partition("(")[0].partition("<")[0] == plain
