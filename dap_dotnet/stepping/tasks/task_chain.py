"""What has to go on before a task ends: the async methods down to the last await. Session thread only."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import Value
from dap_dotnet.stepping.tasks.awaited import AwaitedReader
from dap_dotnet.stepping.tasks.boxes import BoxReader
from dap_dotnet.stepping.tasks.suspended_methods import SuspendedMethod, suspended_method
from dap_dotnet.values.context import Program

_DEEPEST = 16


class TaskChain(Struct, frozen=True):
    """An async method, the one that it awaits, and so on; `end` is what the last one awaits, or the task is, in words.

    `end` is empty where that is not known, and where the last one runs.
    """

    methods: list[SuspendedMethod]
    end: str


def task_chain(program: Program, task: Value) -> TaskChain:
    """The methods behind a task; nothing where that cannot be read, and for an object that is no task."""
    reader = BoxReader(program)
    methods: list[SuspendedMethod] = []
    seen: set[int] = set()
    value, end = task, ""
    try:
        while value.type is not None and value.address not in seen and len(methods) < _DEEPEST:
            seen.add(value.address)
            box = reader.read(value.address, value.type)
            if box is None:
                break
            method = suspended_method(len(methods), box, AwaitedReader(program, [box]))
            methods.append(method)
            end = method.awaited.text if method.awaited is not None else ""
            if method.awaited is None or not method.awaited.address:
                return TaskChain(methods, end)
            value = program.debuggee.heap_object(method.awaited.address)
        known = AwaitedReader(program, []).of(value.address)
        end = known.text if known is not None else end
    except DapDotnetError:
        pass
    return TaskChain(methods, end)
