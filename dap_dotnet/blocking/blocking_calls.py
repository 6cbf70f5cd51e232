"""The framework's methods in which a thread waits, and the objects that they wait for. Session thread only.

A wait is found by the methods on the thread's stack, above the first that is not the framework's. Of waits that are
made of others, as a task's of an event's and that of a monitor's, the outermost is what the program has asked for. The
framework's code is optimised: an object is read in whichever of the frames it is still alive.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Frame, FrameKind, MethodToken, ThreadId, Value
from dap_dotnet.symbols.calls import call_under_way, called_name, calls_in
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction


class WaitKind(enum.Enum):
    """What a thread waits for."""

    ENTER = "enter"
    """To enter a monitor (`lock`)."""
    PULSE = "pulse"
    """In Monitor.Wait."""
    LOCK = "lock"
    """To enter a System.Threading.Lock."""
    JOIN = "join"
    """For the end of a thread."""
    TASK = "task"
    TASKS = "tasks"
    """For the end of all of several tasks, or of any of them."""
    EVENT = "event"
    SEMAPHORE = "semaphore"
    MUTEX = "mutex"
    HANDLE = "handle"
    """For a WaitHandle of which the kind is not known, or for several."""
    READER_WRITER_LOCK = "readerWriterLock"
    COUNTDOWN = "countdown"
    BARRIER = "barrier"
    COLLECTION = "collection"
    """For an item of a BlockingCollection, or for room in it."""
    SLEEP = "sleep"


class _Method(Struct, frozen=True):
    kind: WaitKind
    rank: int
    """Waits are made of those of a lower rank."""
    argument: int | None = 0
    """The number of the argument that is waited for; None where there is none."""


class BlockingCall(Struct, frozen=True):
    """A wait. `object` is None where there is none, or where it is not alive in any frame."""

    kind: WaitKind
    object: Value | None


def _methods() -> dict[tuple[str, str], _Method]:
    """By the full name of the type, and the name of the method."""
    kinds = WaitKind
    thread, handle, task = "System.Threading.Thread", "System.Threading.WaitHandle", "System.Threading.Tasks.Task"
    known = [
        (thread, "Sleep SleepInternal", _Method(kinds.SLEEP, 1, None)),
        (thread, "Join JoinInternal", _Method(kinds.JOIN, 1)),
        (handle, "WaitOne WaitOneNoCheck", _Method(kinds.HANDLE, 1)),
        (handle, "WaitAll WaitAny WaitMultiple SignalAndWait", _Method(kinds.HANDLE, 2, None)),
        ("System.Threading.ManualResetEventSlim", "Wait", _Method(kinds.EVENT, 1)),
        ("System.Threading.SemaphoreSlim", "Wait WaitCore WaitUntilCountOrTimeout", _Method(kinds.SEMAPHORE, 4)),
        (task, "SpinThenBlockingWait InternalWait InternalWaitCore Wait", _Method(kinds.TASK, 3)),
        (task + "`1", "GetResultCore get_Result", _Method(kinds.TASK, 3)),
        (
            "System.Runtime.CompilerServices.TaskAwaiter",
            "HandleNonSuccessAndDebuggerNotification",
            _Method(kinds.TASK, 3),
        ),
        (task, "WaitAllBlockingCore WaitAllCore WaitAll WaitAnyCore WaitAny", _Method(kinds.TASKS, 4)),
        ("System.Threading.CountdownEvent", "Wait", _Method(kinds.COUNTDOWN, 4)),
        ("System.Threading.Barrier", "SignalAndWait DiscontinuousWait", _Method(kinds.BARRIER, 4)),
        (
            "System.Threading.ReaderWriterLockSlim",
            "WaitOnEvent TryEnterReadLockCore TryEnterWriteLockCore TryEnterUpgradeableReadLockCore",
            _Method(kinds.READER_WRITER_LOCK, 4),
        ),
        (
            "System.Threading.ReaderWriterLock",
            "AcquireReaderLock AcquireWriterLock UpgradeToWriterLock RestoreLock",
            _Method(kinds.READER_WRITER_LOCK, 4),
        ),
        (
            "System.Collections.Concurrent.BlockingCollection`1",
            "TryTakeWithNoTimeValidation TryAddWithNoTimeValidation TryTake TryAdd Take Add",
            _Method(kinds.COLLECTION, 5),
        ),
    ]
    return {(type_name, name): method for type_name, names, method in known for name in names.split()}


_METHODS = _methods()
_LOCK = "System.Threading.Lock"
_ALL_METHODS_OF_LOCK = _Method(WaitKind.LOCK, 4)
_RECEIVERS = {WaitKind.JOIN: "Thread.Join", WaitKind.HANDLE: "WaitHandle.WaitOne"}
"""Where the framework has lost the object: the call in the program's method that was made on it."""
_LOAD = re.compile(r"(ldloc|ldarg)\.?(\d|s|)")
_CONSTANTS = "ldc."
_WHOLE_METHOD = ((0, 1 << 31),)
_KINDS_OF_HANDLES = {
    "System.Threading.ManualResetEvent": WaitKind.EVENT,
    "System.Threading.AutoResetEvent": WaitKind.EVENT,
    "System.Threading.EventWaitHandle": WaitKind.EVENT,
    "System.Threading.Mutex": WaitKind.MUTEX,
    "System.Threading.Semaphore": WaitKind.SEMAPHORE,
}


def blocking_call(
    program: Program, thread: ThreadId, frames: Sequence[Frame], *, is_whole: bool
) -> BlockingCall | None:
    """The wait that a thread is in, by the frames from its leaf on; None where it is in none that is known.

    `is_whole`: they are all of its stack. A thread that runs nothing but the framework is the runtime's own: None.
    """
    found: _Method | None = None
    value: Value | None = None
    caller = None
    for frame in frames:
        module = program.modules.get(frame.module)
        if frame.kind is not FrameKind.IL or frame.method is None or module is None:
            continue
        if not module.is_framework:
            caller = frame
            break
        method = _WAITS(module, frame.method)
        if method is None or (found is not None and method.rank < found.rank):
            continue
        if found is None or method.rank > found.rank:
            found, value = method, None
        if value is None and method.argument is not None:
            value = _argument(program, thread, frame, method.argument)
    if found is None or (caller is None and is_whole and found.kind is not WaitKind.LOCK):
        return None
    if value is None and caller is not None and found.argument is not None and found.kind in _RECEIVERS:
        value = _receiver(program, thread, caller, _RECEIVERS[found.kind])
    kind = found.kind
    if kind is WaitKind.HANDLE and value is not None and value.type is not None:
        name = definition_name(program, program.debuggee.type_info(value.type))
        kind = _KINDS_OF_HANDLES.get(name, kind)
    return BlockingCall(kind, value)


def _find_wait(module: LoadedModule, method: MethodToken) -> _Method | None:
    if module.metadata is None:
        return None
    type_name = module.metadata.declaring_type(method).full_name
    if type_name == _LOCK:
        return _ALL_METHODS_OF_LOCK
    return _METHODS.get((type_name, module.metadata.method(method).name))


_WAITS = ModuleMemo("methods that wait", _find_wait)


def _argument(program: Program, thread: ThreadId, frame: Frame, number: int) -> Value | None:
    try:
        arguments = program.debuggee.arguments(thread, frame.index, text_limit=0)
    except DapDotnetError:
        return None
    value = arguments[number] if number < len(arguments) else None
    is_object = value is not None and value.error is None and not value.is_null and value.handle is not None
    return value if is_object and value is not None and value.address else None


def _receiver(program: Program, thread: ThreadId, frame: Frame, name: str) -> Value | None:
    """The object on which the frame has called the method `name` (`Type.Method`), which has not come back.

    Known only where a variable was loaded right before the call, whose arguments are constants; else None.
    """
    module = program.modules.get(frame.module)
    if module is None or frame.method is None:
        return None
    site = call_under_way(calls_in(module, frame.method, _WHOLE_METHOD), frame)
    if site is None or called_name(module, site.token) != name:
        return None
    before = [one for one in instructions_of(module, frame.method) if one.offset < site.il_offset]
    while before and before[-1].opcode.name.startswith(_CONSTANTS):
        before.pop()
    return _loaded(program, thread, frame, before[-1]) if before else None


def _loaded(program: Program, thread: ThreadId, frame: Frame, load: Instruction) -> Value | None:
    """The variable that an instruction loads; None for other instructions, and where it cannot be read."""
    match = _LOAD.fullmatch(load.opcode.name)
    if match is None:
        return None
    number = int(match[2]) if match[2].isdigit() else load.operand
    read = program.debuggee.locals if match[1] == "ldloc" else program.debuggee.arguments
    try:
        values = read(thread, frame.index, text_limit=0)
    except DapDotnetError:
        return None
    value = values[number] if isinstance(number, int) and number < len(values) else None
    return value if value is not None and value.error is None and value.address else None
