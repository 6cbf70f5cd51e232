"""Who awaits an async method: the state machines of the methods that go on when it has ended.

An async method that has suspended once is a box on the heap (`AsyncStateMachineBox`), which is its task too; or a box
that its ValueTask knows. What is to run at the end of the task hangs on it: the box of the awaiting method, or
delegates, lists and tasks of the framework's (WhenAll, Unwrap) with that box behind them. These objects are followed
by the names of their fields, which .NET Core 3.1 to .NET 10 share, without running any code.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from msgspec import Struct

from dap_dotnet.async_tasks.state_machine import BUILDER_FIELDS, MACHINE_FIELD, TASK_STATE
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, MethodToken, TypeId, Value
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import DeclaredField, find_field, has_members, read_fields
from dap_dotnet.values.typenames import full_name

_TO_TASK = (
    *BUILDER_FIELDS,
    *("<>v__promiseOfValueOrEnd", "m_builder", "_builder", "_methodBuilder", "MethodBuilder", "m_task", "_task"),
)
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
_MOST_OBJECTS = 64
_PASSING_ON = frozenset(
    {
        "System.Action",
        "System.Collections.Generic.List",
        "System.Object",
        "System.Runtime.CompilerServices.AsyncMethodBuilderCore+ContinuationWrapper",
        "System.Threading.Tasks.Task+SetOnInvokeMres",
        "System.Threading.Tasks.Task+WhenAllPromise",
        "System.Threading.Tasks.UnwrapPromise",
    }
)
"""Classes, by full name up to the arity, that hand over the exception of a task, or lie on the way to its awaiter.

A thread that is blocked (SetOnInvokeMres) is nobody who awaits; a plain object stands for a task that has completed.
"""
_PASSING_ON_ENDS = ("AwaitTaskContinuation", "+<>c")
"""Ends of such names; a lambda that captures nothing belongs to the latter."""
_MOST_ELEMENTS = 16


class Awaiter(Struct, frozen=True):
    """A method that awaits: its state machine object, and the MoveNext that goes on with it."""

    machine: Value
    module: LoadedModule
    move_next: MethodToken
    is_behind_other: bool = False
    """Whether it awaits what another async method gives, which awaits the method that was asked about."""


class NotPassedOnError(Exception):
    """Something waits for a task that may not pass its exception on, such as WhenAny."""


def awaiters(
    program: Program,
    machine: Value,
    *,
    just_my_code: bool,
    also_without_source: bool = False,
    only_passing_on: bool = False,
) -> list[Awaiter]:
    """The nearest methods with source that await the method of a state machine; with Just My Code the user's own.

    Empty when nobody awaits it yet, when a thread is blocked for it, and for `async void`. The process must be held.
    `only_passing_on`: what is between must be known to pass exceptions on, else `NotPassedOnError` is raised.
    """
    wanted = _Wanted(machine.address, just_my_code, also_without_source, only_passing_on)
    return _nearest(program, _values(program, machine, _TO_TASK), wanted)


def awaiters_of_task(program: Program, task: Value) -> list[Awaiter]:
    """The methods of whatever code that await a task, and get its exception. Raises `NotPassedOnError`."""
    wanted = _Wanted(0, just_my_code=False, also_without_source=True, only_passing_on=True)
    return _nearest(program, _values(program, task, _TO_CONTINUATION[:1]), wanted)


def find_awaiters_of_task(program: Program, task: Value, *, just_my_code: bool) -> list[Awaiter]:
    """The methods that await a task, as `find_awaiters` has them."""
    try:
        return _nearest(program, _values(program, task, _TO_CONTINUATION[:1]), _Wanted(task.address, just_my_code))
    except DapDotnetError:
        return []


def continued_by(
    program: Program,
    continuation: Value,
    others: Mapping[int, tuple[LoadedModule, MethodToken]],
    *,
    just_my_code: bool,
) -> list[Awaiter]:
    """As `awaiters`, from the object that is to run at the end of a task.

    `others` are methods besides, by the addresses of their boxes, which stand for their machines.
    """
    return _nearest(program, [continuation], _Wanted(0, just_my_code, others=others))


class _Wanted(Struct, frozen=True):
    """Which methods are looked for; see `awaiters`. `own_address` is of the machine whose awaiters they are, or 0."""

    own_address: int
    just_my_code: bool
    also_without_source: bool = False
    only_passing_on: bool = False
    others: Mapping[int, tuple[LoadedModule, MethodToken]] = {}


def _nearest(program: Program, start: Iterable[Value], wanted: _Wanted) -> list[Awaiter]:
    own_address = wanted.own_address
    found: list[Awaiter] = []
    seen = {own_address}
    objects = deque((value, False) for value in start)
    while objects and len(seen) < _MOST_OBJECTS:
        value, is_behind_other = objects.popleft()
        if value.address and value.element_type is not ElementType.VALUETYPE:
            if value.address in seen:
                continue
            seen.add(value.address)
        if value.element_type is ElementType.SZARRAY:
            objects.extend((one, is_behind_other) for one in _elements(program, value))
            continue
        if value.address in wanted.others:
            found.append(Awaiter(value, *wanted.others[value.address], is_behind_other))
            continue
        machine, following = _of_object(program, value)
        awaiter = _awaiter(program, machine, own_address) if machine is not None else None
        if awaiter is not None and (
            wanted.also_without_source or is_shown(awaiter.module, just_my_code=wanted.just_my_code)
        ):
            found.append(msgspec.structs.replace(awaiter, is_behind_other=is_behind_other))
        else:
            if wanted.only_passing_on and not _passes_on(program, value, own_address):
                raise NotPassedOnError
            objects.extend((one, is_behind_other or awaiter is not None) for one in following)
    return found


def _of_object(program: Program, value: Value) -> tuple[Value | None, list[Value]]:
    """(the state machine, of what is the box of one; what leads from an object to awaiters), read in one call."""
    if not has_members(value):
        return None, []
    fields = _fields(program, value.type, (MACHINE_FIELD, *_TO_TASK, *_TO_CONTINUATION))
    read = [one for _, one in read_fields(program, value, fields, text_limit=0)]
    is_box = bool(_fields(program, value.type, (MACHINE_FIELD,)))
    return (read[0] if is_box else None), [one for one in read[is_box:] if _leads_on(one)]


def _passes_on(program: Program, value: Value, own_address: int) -> bool:
    """Whether an object between a task and what awaits it is known to hand over an exception, or only refers to it."""
    if value.element_type is ElementType.VALUETYPE or value.type is None:
        return True
    name = full_name(program, program.debuggee.type_info(value.type)).partition("`")[0]
    if name in _PASSING_ON or name.endswith(_PASSING_ON_ENDS):
        return True
    field = find_field(program, value.type, MACHINE_FIELD)
    if field is None:
        return False
    ((_, machine),) = read_fields(program, value, [field], text_limit=0)
    return machine.address == own_address  # the method's own box


def has_field_of_type(program: Program, value: Value, field_name: str, type_text: str) -> bool:
    """Whether a field of an object is of a type, by its full name."""
    field = find_field(program, value.type, field_name) if has_members(value) else None
    for _, read in read_fields(program, value, [field] if field is not None else [], text_limit=0):
        return read.type is not None and full_name(program, program.debuggee.type_info(read.type)) == type_text
    return False


def task_of(program: Program, machine: Value) -> Value | None:
    """The Task of a state machine's method; None for `async void`, before its first suspension, and for other results.

    The process must be held.
    """
    objects = deque(_values(program, machine, _TO_TASK))
    seen = 0
    while objects and seen < _MOST_OBJECTS:
        value = objects.popleft()
        seen += 1
        if value.element_type is not ElementType.VALUETYPE and find_field(program, value.type, TASK_STATE) is not None:
            return value
        objects.extend(_values(program, value, _TO_TASK))
    return None


def is_shown(module: LoadedModule, *, just_my_code: bool) -> bool:
    """Whether a step may stop in the code of a module; a step from optimised code knows no Just My Code."""
    return module.is_user_code if just_my_code else module.pdb is not None


def _values(program: Program, value: Value, names: tuple[str, ...]) -> Iterator[Value]:
    if not has_members(value):
        return
    for _, read in read_fields(program, value, _fields(program, value.type, names), text_limit=0):
        if _leads_on(read):
            yield read


def _leads_on(value: Value) -> bool:
    return not value.is_null and value.error is None and value.handle is not None


def _fields(program: Program, type_id: TypeId | None, names: tuple[str, ...]) -> list[DeclaredField]:
    """The instance fields of a type that have one of the names. Kept: each step asks for them, of the same classes."""
    module = program.modules.get(program.debuggee.type_info(type_id).module) if type_id is not None else None
    if module is None or type_id is None:
        return []
    known = module.cached(_FIELDS)
    if (type_id, names) not in known:
        found = (find_field(program, type_id, name) for name in names)
        known[type_id, names] = [field for field in found if field is not None and not field.field.is_static]
    return known[type_id, names]


_FIELDS: CacheSlot[dict[tuple[TypeId, tuple[str, ...]], list[DeclaredField]]] = CacheSlot(
    "fields on the way to awaiters", lambda _: {}
)


def _elements(program: Program, value: Value) -> list[Value]:
    if value.handle is None:
        return []
    count = min(value.length, _MOST_ELEMENTS)
    read = program.debuggee.elements(value.handle, 0, count, text_limit=0)
    return [one for one in read if not one.is_null and one.error is None]


def _awaiter(program: Program, machine: Value, own_address: int) -> Awaiter | None:
    """The method of a state machine in a box; None for what is none, and for the state machine asked about."""
    if machine.is_null or machine.error is not None or machine.address == own_address:
        return None
    code = code_of(program, machine)
    return Awaiter(machine, *code) if code is not None else None


def code_of(program: Program, machine: Value) -> tuple[LoadedModule, MethodToken] | None:
    """The MoveNext of a state machine, with its module; None for what is none."""
    info = program.debuggee.type_info(machine.type) if machine.type is not None else None
    module = program.modules.get(info.module) if info is not None else None
    if info is None or module is None or info.token is None or module.metadata is None:
        return None
    for method in module.metadata.methods_of(info.token):
        if method.name == "MoveNext":
            return module, MethodToken(method.token)
    return None


def find_awaiters(program: Program, machine: Value, *, just_my_code: bool) -> list[Awaiter]:
    """As `awaiters`; empty also where the objects cannot be read."""
    try:
        return awaiters(program, machine, just_my_code=just_my_code)
    except DapDotnetError:
        return []
