"""The logical callers of an async method that the framework has resumed: the methods that await it, one by one."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.async_tasks.await_states import await_offset
from dap_dotnet.async_tasks.awaiters import find_awaiters
from dap_dotnet.async_tasks.state_machine import state_machine
from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, FrameKind, MethodToken, ThreadId, Value
from dap_dotnet.symbols.async_methods import async_info, is_called_by
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog
from dap_dotnet.values.context import Program

_MOST_CALLERS = 100


class AsyncCaller(Struct, frozen=True):
    """A method that awaits: its MoveNext, the IL offset of its await in that, and its state machine."""

    module: LoadedModule
    move_next: MethodToken
    il_offset: int
    machine: Value

    def frame(self, number: int) -> Frame:
        """As a frame that is not on the stack; `number` tells it from others."""
        return Frame(-number, FrameKind.IL, self.module.id, self.move_next, self.il_offset, MAPPING_EXACT, 0, 0)


def resumed_method(modules: ModuleCatalog, stack: Sequence[Frame]) -> Frame | None:
    """The frame nearest to the leaf of an async method that the framework has resumed; None when there is none.

    One that has not suspended yet was called by what is below it on the stack, as any method.
    """
    for number, frame in enumerate(stack):
        module = modules.get(frame.module)
        if frame.method is None or module is None or module.pdb is None or frame.is_left:
            continue
        if async_info(module, frame.method) is None:
            continue
        if not _is_begun_below(modules, module, frame, stack[number + 1 :]):
            return frame
    return None


def _is_begun_below(modules: ModuleCatalog, module: LoadedModule, frame: Frame, below: Sequence[Frame]) -> bool:
    assert frame.method is not None
    for other in below:
        if other.module == frame.module and is_called_by(module, frame.method, other.method):
            return True
        caller = modules.get(other.module)
        if other.kind is FrameKind.IL and caller is not None and caller.is_user_code:
            return False
    return False


def async_callers(program: Program, thread: ThreadId, frame: Frame, *, just_my_code: bool) -> list[AsyncCaller]:
    """Who awaits the method of a resumed frame, who awaits that, and so on; of several awaiters the first one.

    Ends where nobody awaits yet, where a thread is blocked instead, and where the place of an await is not known.
    """
    found: list[AsyncCaller] = []
    machine = state_machine(program.debuggee, thread, frame.index)
    seen: set[int] = set()
    while machine is not None and machine.address not in seen and len(found) < _MOST_CALLERS:
        seen.add(machine.address)
        awaiting = next(iter(find_awaiters(program, machine, just_my_code=just_my_code)), None)
        if awaiting is None:
            break
        offset = await_offset(program, awaiting.module, awaiting.move_next, awaiting.machine)
        if offset is None:
            break
        found.append(AsyncCaller(awaiting.module, awaiting.move_next, offset, awaiting.machine))
        machine = awaiting.machine
    return found
