"""Whoever takes the result of an async method that nobody awaits yet, or that a thread is blocked for.

The runtime's library has a hook for debuggers: a Task with the bit WaitCompletionNotification in its state calls
`NotifyDebuggerOfWaitCompletion`, which does nothing, on the thread that has waited for it, before that goes on: in
`await`, `Wait`, `Result` and `GetResult`, and in an await of the `WhenAll` of it. The same in .NET Core 3.1 to .NET 10.

The promise that stands for the task of a delegate (`Unwrap`, as Task.Run does for async ones) takes a failure by
another way, perhaps long after: there the program stops where the promise takes it.

An async iterator has no task: whoever has asked it for an element calls its `GetResult`. One that gives it on another
thread before its `MoveNextAsync` has come back has its result taken there.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.async_tasks.awaiters import task_of
from dap_dotnet.async_tasks.state_machine import TASK_STATE
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.events import BreakpointHit
from dap_dotnet.runtime.model import (
    BoundId,
    BreakpointLocation,
    FieldRef,
    MethodToken,
    PinId,
    RuntimeCallErrorInfo,
    TypeId,
    Value,
)
from dap_dotnet.stepping.async_.remembered_calls import RememberedMachine
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import DeclaredField, find_field

if TYPE_CHECKING:
    from portablepdb import Method

_log = logging.getLogger(__name__)

_WAIT_COMPLETION_NOTIFICATION = 0x1000_0000
_ASKS = ".MoveNextAsync"
_TAKES_RESULT = (".GetResult", _ASKS)
"""Of the interfaces that an async iterator implements: how the names of the methods end."""
_TAKES = ".GetResult("
_BRANCHES = ("b", "leave", "switch")
"""How the names of instructions begin after which another statement does."""
_HOOK = "NotifyDebuggerOfWaitCompletion"
_PROMISE = "System.Threading.Tasks.UnwrapPromise`1"
_PROMISE_TAKES = "TrySetFromTask"


class ResultNotice:
    """The notice of one task. Session thread only."""

    def __init__(self) -> None:
        self._bound: list[BoundId] = []
        self._in_promises: set[BoundId] = set()
        """Those of `_bound` where a promise takes the result of the task that it is asked with."""
        self._task: PinId | None = None
        self._iterator: RememberedMachine | None = None
        self._state: FieldRef | None = None

    def __bool__(self) -> bool:
        return bool(self._bound)

    @property
    def is_of_iterator(self) -> bool:
        """Whether it is the result of an async iterator that is taken: an element, or the end."""
        return self._iterator is not None

    def arm(self, program: Program, machine: Value, *, only_iterators: bool = False) -> None:
        """Have the program stop where the result of a state machine is taken. Nothing where that is not known."""
        self.clear(program.debuggee)
        try:
            takers = _takers(program, machine)
            if takers:
                self._iterator = RememberedMachine(program, machine)
                self._set(program.debuggee, takers)
                return
            task = task_of(program, machine) if not only_iterators else None
            if task is not None:
                self._arm(program, task)
        except DapDotnetError as error:
            self._give_up(program.debuggee, error)

    def arm_for_task(self, program: Program, task: Value) -> None:
        """As `arm`, for the result of a task."""
        self.clear(program.debuggee)
        try:
            self._arm(program, task)
        except DapDotnetError as error:
            self._give_up(program.debuggee, error)

    def _give_up(self, debuggee: Debuggee, error: DapDotnetError) -> None:
        _log.warning("a step out to whoever waits does not stop: %s", error.message)
        self.clear(debuggee)

    def _arm(self, program: Program, task: Value) -> None:
        debuggee = program.debuggee
        state = find_field(program, task.type, TASK_STATE)
        hook = _hook(program, state) if state is not None else None
        if task.handle is None or state is None or hook is None:
            return
        self._task = debuggee.pin(task.handle, weak=True)
        self._state = state.ref
        self._set(debuggee, [hook], _promises(program, state))
        if self._bound:
            self._mark(debuggee, wanted=True)
        else:
            self.clear(debuggee)

    def _set(
        self, debuggee: Debuggee, places: list[BreakpointLocation], in_promises: Sequence[BreakpointLocation] = ()
    ) -> None:
        for number, bound in enumerate(debuggee.create_breakpoints([*places, *in_promises])):
            if isinstance(bound, RuntimeCallErrorInfo):
                _log.warning("a step out to whoever waits does not stop: %s", bound.hresult_name)
                continue
            self._bound.append(bound)
            if number >= len(places):
                self._in_promises.add(bound)

    def _mark(self, debuggee: Debuggee, *, wanted: bool) -> None:
        assert self._task is not None
        assert self._state is not None
        task = debuggee.pinned(self._task)
        if task.is_null or task.handle is None:
            return
        (flags,) = debuggee.fields(task.handle, [self._state], text_limit=0)
        if flags.error is not None or not flags.raw or not flags.address:
            return
        number = int.from_bytes(flags.raw, "little")
        bit = _WAIT_COMPLETION_NOTIFICATION
        debuggee.write_memory(
            flags.address, (number | bit if wanted else number & ~bit).to_bytes(len(flags.raw), "little")
        )

    def is_mine(self, event: BreakpointHit) -> bool:
        """Whether the event is of the hook, or of a method that takes an iterator's result."""
        return event.bound in self._bound

    def is_taken(self, program: Program, event: BreakpointHit) -> bool:
        """One of them was hit: whether for this iterator, this task, or one that stands for it and others (WhenAll)."""
        if self._iterator is not None:
            return self._iterator.is_running_on(program, event.thread)
        debuggee = program.debuggee
        arguments = debuggee.arguments(event.thread, 0, text_limit=0)
        if event.bound in self._in_promises:
            return (
                self._task is not None
                and len(arguments) > 1
                and arguments[1].address == debuggee.pinned(self._task).address
            )
        if self._task is None or not arguments or arguments[0].error is not None:
            return self._task is not None
        asked, task = arguments[0], debuggee.pinned(self._task)
        if asked.address == task.address or asked.type is None or task.type is None:
            return True
        return debuggee.type_info(asked.type).token != debuggee.type_info(task.type).token

    def clear(self, debuggee: Debuggee) -> None:
        """Take the breakpoint out, and the bit back."""
        if self._bound:
            debuggee.remove_breakpoints(self._bound)
        if self._iterator is not None:
            self._iterator.forget(debuggee)
        if self._task is not None:
            try:
                self._mark(debuggee, wanted=False)
            except DapDotnetError as error:
                _log.info("a task keeps its mark: %s", error.message)
            debuggee.unpin(self._task)
        self._bound, self._in_promises = [], set()
        self._iterator = self._task = self._state = None


def _methods_of(program: Program, type_id: TypeId | None) -> list[tuple[LoadedModule, Method]]:
    """The methods that a class declares, with its module."""
    info = program.debuggee.type_info(type_id) if type_id is not None else None
    module = program.modules.get(info.module) if info is not None else None
    if info is None or info.token is None or module is None or module.metadata is None:
        return []
    return [(module, method) for method in module.metadata.methods_of(info.token)]


def _takers(program: Program, machine: Value) -> list[BreakpointLocation]:
    """The places where the result of an async iterator's step is taken; empty for others."""
    found = []
    for module, method in _methods_of(program, machine.type):
        if method.name.endswith(_TAKES_RESULT):
            token = MethodToken(method.token)
            offset = _RESULT_OFFSETS(module, token) if method.name.endswith(_ASKS) else 0
            if offset is not None:
                found.append(BreakpointLocation(module.id, token, offset))
    return found


@if_damaged(None)
def _find_result_offset(module: LoadedModule, method: MethodToken) -> int | None:
    """Where the MoveNextAsync of an async iterator takes a result that is there when it comes back from asking for one.

    The compiler writes `if (promise.GetStatus(version) == Succeeded) return new(promise.GetResult(version))`: the IL
    offset at which that statement begins. None where the method is another compiler's.
    """

    if module.metadata is None:
        return None
    begin = 0
    for one in instructions_of(module, method):
        name = one.opcode.name
        if name.startswith(_BRANCHES) and name not in ("box", "break"):
            begin = one.offset + one.size
        elif name == "call" and isinstance(one.operand, int) and _TAKES in module.metadata.display(one.operand):
            return begin
    return None


_RESULT_OFFSETS = ModuleMemo("where async iterators take a result that is there", _find_result_offset)


def _promises(program: Program, state: DeclaredField) -> list[BreakpointLocation]:
    """The beginning of the method with which a promise takes the result of a task, in the module of class Task."""
    module = program.modules.get(program.debuggee.type_info(state.type).module)
    if module is None or module.metadata is None:
        return []
    types = (one.token for one in module.metadata.types_named(_PROMISE.rpartition(".")[2]))
    promise = next((one for one in types if module.metadata.type_name(one) == _PROMISE), None)
    methods = module.metadata.methods_of(promise) if promise is not None else ()
    return [
        BreakpointLocation(module.id, MethodToken(method.token), 0)
        for method in methods
        if method.name == _PROMISE_TAKES
    ]


def _hook(program: Program, state: DeclaredField) -> BreakpointLocation | None:
    """The beginning of the hook's method, in the class that has the state."""
    found = ((module, method) for module, method in _methods_of(program, state.type) if method.name == _HOOK)
    places = (BreakpointLocation(module.id, MethodToken(method.token), 0) for module, method in found)
    return next(places, None)
