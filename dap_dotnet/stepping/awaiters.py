"""Who awaits an async method: the state machines of the methods that go on when it has ended.

An async method that has suspended once is a box on the heap (`AsyncStateMachineBox`), which is its task too; or a box
that its ValueTask knows. What is to run at the end of the task hangs on it: the box of the awaiting method, or
delegates, lists and tasks of the framework's (WhenAll, Unwrap) with that box behind them. These objects are followed
by the names of their fields, which .NET Core 3.1 to .NET 10 share, without running any code.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, MethodToken, Value
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import find_field, has_members, read_fields

_TO_TASK = ("<>t__builder", "<>v__promiseOfValueOrEnd", "m_builder", "_builder", "_methodBuilder", "m_task", "_task")
"""From a state machine to its task, through the builders."""
_TO_CONTINUATION = (
    "m_continuationObject",
    "_valueTaskSource",
    "_continuationState",
    "_continuation",
    "m_action",
    "_target",
    "_items",
    "m_task",
    "_innerTask",
)
"""From a task, or what hangs on it, to what runs at its end."""
_MACHINE = "StateMachine"
_TASK_STATE = "m_stateFlags"
_MOST_OBJECTS = 64
_MOST_ELEMENTS = 16


class Awaiter(Struct, frozen=True):
    """A method that awaits: its state machine object, and the MoveNext that goes on with it."""

    machine: Value
    module: LoadedModule
    move_next: MethodToken


def awaiters(program: Program, machine: Value, *, just_my_code: bool) -> list[Awaiter]:
    """The nearest methods with source that await the method of a state machine; with Just My Code the user's own.

    Empty when nobody awaits it yet, when a thread is blocked for it, and for `async void`. The process must be held.
    """
    found: list[Awaiter] = []
    seen = {machine.address}
    objects = deque(_values(program, machine, _TO_TASK))
    while objects and len(seen) < _MOST_OBJECTS:
        value = objects.popleft()
        if value.address and value.element_type is not ElementType.VALUETYPE:
            if value.address in seen:
                continue
            seen.add(value.address)
        if value.element_type is ElementType.SZARRAY:
            objects.extend(_elements(program, value))
            continue
        awaiter = _of_box(program, value, machine.address)
        if awaiter is not None and _is_shown(awaiter.module, just_my_code=just_my_code):
            found.append(awaiter)
        else:
            objects.extend(_values(program, value, (*_TO_TASK, *_TO_CONTINUATION)))
    return found


def task_of(program: Program, machine: Value) -> Value | None:
    """The Task of a state machine's method; None for `async void`, before its first suspension, and for other results.

    The process must be held.
    """
    objects = deque(_values(program, machine, _TO_TASK))
    seen = 0
    while objects and seen < _MOST_OBJECTS:
        value = objects.popleft()
        seen += 1
        if value.element_type is not ElementType.VALUETYPE and find_field(program, value.type, _TASK_STATE) is not None:
            return value
        objects.extend(_values(program, value, _TO_TASK))
    return None


def _is_shown(module: LoadedModule, *, just_my_code: bool) -> bool:
    return module.is_user_code if just_my_code else module.pdb is not None


def _values(program: Program, value: Value, names: tuple[str, ...]) -> Iterator[Value]:
    if not has_members(value):
        return
    fields = [field for field in (find_field(program, value.type, name) for name in names) if field is not None]
    instance = [field for field in fields if not field.field.is_static]
    for _, read in read_fields(program, value, instance, text_limit=0):
        if not read.is_null and read.error is None and read.handle is not None:
            yield read


def _elements(program: Program, value: Value) -> list[Value]:
    if value.handle is None:
        return []
    count = min(value.length, _MOST_ELEMENTS)
    read = program.debuggee.elements(value.handle, 0, count, text_limit=0)
    return [one for one in read if not one.is_null and one.error is None]


def _of_box(program: Program, value: Value, own_address: int) -> Awaiter | None:
    """The method whose box a value is; None for any other object, and for the box of the state machine asked about."""
    field = find_field(program, value.type, _MACHINE) if has_members(value) else None
    if field is None:
        return None
    ((_, machine),) = read_fields(program, value, [field], text_limit=0)
    if machine.is_null or machine.error is not None or machine.address == own_address:
        return None
    info = program.debuggee.type_info(machine.type) if machine.type is not None else None
    module = program.modules.get(info.module) if info is not None else None
    if info is None or module is None or info.token is None or module.metadata is None:
        return None
    for method in module.metadata.methods_of(info.token):
        if method.name == "MoveNext":
            return Awaiter(machine, module, MethodToken(method.token))
    return None


def find_awaiters(program: Program, machine: Value, *, just_my_code: bool) -> list[Awaiter]:
    """As `awaiters`; empty also where the objects cannot be read."""
    try:
        return awaiters(program, machine, just_my_code=just_my_code)
    except DapDotnetError:
        return []
