"""What an async method awaits, in words: as far as the awaiter and the object behind it tell. Session thread only."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.async_tasks.awaiters import code_of
from dap_dotnet.async_tasks.boxes import Awaiter, Box
from dap_dotnet.async_tasks.state_machine import COMPLETED, MACHINE_FIELD, STATE_FIELDS, TASK_STATE
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import TypeId, Value
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import find_field, read_field
from dap_dotnet.values.typenames import full_name, shown_type_name

_YIELD = "System.Runtime.CompilerServices.YieldAwaitable+YieldAwaiter"
_TASK, _TASK_OF = "System.Threading.Tasks.Task", "System.Threading.Tasks.Task`1"
_WORDS = {
    "System.Threading.Tasks.Task+DelayPromise": "Task.Delay",
    "System.Threading.Tasks.Task+DelayPromiseWithCancellation": "Task.Delay",
    "System.Threading.Tasks.Task+WhenAllPromise": "Task.WhenAll",
    "System.Threading.Tasks.Task+WhenAllPromise`1": "Task.WhenAll",
    "System.Threading.Tasks.Task+TwoTaskWhenAnyPromise`1": "Task.WhenAny",
    "System.Threading.Tasks.TaskFactory+CompleteOnInvokePromise": "Task.WhenAny",
    "System.Threading.Tasks.TaskFactory+CompleteOnInvokePromise`1": "Task.WhenAny",
    "System.Threading.Tasks.TaskFactory+TwoTaskCompleteOnInvokePromise": "Task.WhenAny",
    "System.Threading.Tasks.ContinuationTaskFromTask": "Task.ContinueWith",
    "System.Threading.Tasks.ContinuationResultTaskFromTask`1": "Task.ContinueWith",
    "System.Threading.Tasks.ContinuationTaskFromResultTask`1": "Task.ContinueWith",
    "System.Threading.Tasks.ContinuationResultTaskFromResultTask`2": "Task.ContinueWith",
    "System.Threading.Tasks.UnwrapPromise`1": "Task.Run or Unwrap",
    "System.Threading.PeriodicTimer+State": "PeriodicTimer.WaitForNextTickAsync",
    "System.Threading.SemaphoreSlim+TaskNode": "SemaphoreSlim.WaitAsync",
    "System.Net.Sockets.Socket+AwaitableSocketAsyncEventArgs": "a socket",
}
_WAITS = "System.Threading.Tasks.Task+CancellationPromise`1"
"""The task of Task.WaitAsync; its field `_task` has the task that it is of."""
_PROMISE = 0x400
"""InternalTaskOptions.PromiseTask, in Task.m_stateFlags: it runs no code, somebody completes it."""
_WORD = 8


class Awaited(Struct, frozen=True):
    """What a method awaits."""

    text: str
    address: int
    """Of the object that will tell its end, in most cases a task; 0 where there is none, or it is not known."""
    is_completed: bool


class _Kind(Struct, frozen=True):
    """What is known of the objects of one method table."""

    text: str
    is_plain_task: bool
    is_wrapper: bool
    """A task that stands for what a ValueTask is completed by."""
    is_wait: bool
    """Whether it is the task of a Task.WaitAsync."""
    flags: int | None
    """Offset of a task's flags."""


class AwaitedReader:
    """Lives as long as one generation."""

    def __init__(self, program: Program, boxes: Sequence[Box]) -> None:
        """`boxes`: of methods that may be awaited."""
        self._program = program
        self._boxes = {one.machine_address: one for one in boxes}  # an async iterator is its own task
        self._boxes.update({one.address: one for one in boxes})
        self._kinds: dict[int, _Kind] = {}
        self._awaiters: dict[TypeId | None, str] = {}

    def read(self, box: Box, awaiter: Awaiter) -> Awaited | None:
        """What is behind the awaiter of a method; None where that is not known."""
        return self.behind(awaiter.type, box.word(awaiter.awaited) if awaiter.awaited is not None else 0)

    def behind(self, awaiter: TypeId | None, address: int) -> Awaited | None:
        """The same from the type of the awaiter, and the address of what it waits for; 0: not known."""
        name = self._awaiter(awaiter)
        if name == _YIELD:
            return Awaited("Task.Yield", 0, is_completed=True)
        if not address:
            return Awaited(shown_type_name(self._program, awaiter), 0, is_completed=False) if name else None
        return self.of(address)

    def of(self, address: int) -> Awaited | None:
        """What an object is that can be awaited; None where that cannot be read."""
        inner = self._boxes.get(address)
        try:
            kind = self._kind(address)
            if kind.is_wrapper:
                source = read_field(self._program, self._program.debuggee.heap_object(address), "_source")
                kind = self._kind(source.address) if source is not None and source.address else kind
        except DapDotnetError:
            return None
        flags = self._flags(address, kind)
        if inner is not None:
            text = inner.shape.module.method_text(inner.shape.move_next)
        elif kind.is_wait:
            text = self._wait(address)
        elif kind.is_plain_task and flags is not None:
            text = "a TaskCompletionSource" if flags & _PROMISE else "a task that runs code"
        else:
            text = kind.text
        return Awaited(text, address, is_completed=flags is not None and bool(flags & COMPLETED))

    def _wait(self, address: int) -> str:
        try:
            task = read_field(self._program, self._program.debuggee.heap_object(address), "_task")
        except DapDotnetError:
            task = None
        inner = self.of(task.address) if task is not None and task.address and task.address != address else None
        return f"Task.WaitAsync of {inner.text}" if inner is not None else "Task.WaitAsync"

    def _awaiter(self, type_id: TypeId | None) -> str:
        if type_id not in self._awaiters:
            name = full_name(self._program, self._program.debuggee.type_info(type_id)) if type_id is not None else ""
            self._awaiters[type_id] = name
        return self._awaiters[type_id]

    def _kind(self, address: int) -> _Kind:
        table = int.from_bytes(self._program.debuggee.read_memory(address, _WORD), "little")
        if table not in self._kinds:
            program = self._program
            value = program.debuggee.heap_object(address)
            name = full_name(program, program.debuggee.type_info(value.type)) if value.type is not None else ""
            text = _WORDS.get(name) or _method(program, value) or shown_type_name(program, value.type)
            declared = find_field(program, value.type, TASK_STATE)
            offset = None
            if declared is not None:
                places = program.debuggee.type_layout(declared.type).fields
                offset = next((one.offset for one in places if one.field == declared.field.token), None)
            is_wrapper = name.endswith("ValueTaskSourceAsTask")
            self._kinds[table] = _Kind(text, name in (_TASK, _TASK_OF), is_wrapper, name == _WAITS, offset)
        return self._kinds[table]

    def _flags(self, address: int, kind: _Kind) -> int | None:
        if kind.flags is None:
            return None
        content = self._program.debuggee.read_memory(address + kind.flags, 4)
        return int.from_bytes(content, "little") if len(content) == 4 else None


def _method(program: Program, value: Value) -> str | None:
    """The async method, of a library's too, whose box or state machine an object is; None for others."""
    machine = read_field(program, value, MACHINE_FIELD) or value
    if machine.type is None or all(find_field(program, machine.type, name) is None for name in STATE_FIELDS):
        return None
    code = code_of(program, machine)
    return code[0].method_text(code[1]) if code is not None else None
