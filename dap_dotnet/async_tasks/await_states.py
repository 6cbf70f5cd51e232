"""Where a suspended async method stands: the await that its state machine has noted in its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.async_tasks.state_machine import AWAITER_FIELDS, STATE_FIELDS, state_machine
from dap_dotnet.runtime.model import Frame, MethodToken, ThreadId, Value
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.fsharp_tasks import RESUMES_AT, RESUMPTION_POINT, fsharp_task
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction

_SHORT_CONSTANTS = {f"ldc.i4.{number}": number for number in range(9)}
_SUPPRESS_THROWING = 2
"""ConfigureAwaitOptions, of .NET 8 and later."""
_BETWEEN = ("dup", "stloc", "stfld", "ldloc", "nop")
"""What stands between the number of a state and the point at which the method yields, besides the number itself."""


def await_offset(program: Program, module: LoadedModule, move_next: MethodToken, machine: Value) -> int | None:
    """The IL offset, in MoveNext, of the await at which a state machine is suspended; None where that is not known."""
    state = _state(program, machine)
    return _YIELDS(module, move_next).get(state) if state is not None else None


def resuming_ranges(program: Program, thread: ThreadId, module: LoadedModule, frame: Frame) -> list[tuple[int, int]]:
    """The IL between the beginning of a task of F#'s, a thread's top frame, and the await from which it goes on there.

    Empty for every other frame. None of it but jumps runs.
    """
    if frame.il_offset != RESUMES_AT or frame.method is None or fsharp_task(module, frame.method) is None:
        return []
    machine = state_machine(program.debuggee, thread, frame.index)
    offset = await_offset(program, module, frame.method, machine) if machine is not None else None
    return [(RESUMES_AT, offset)] if offset else []


def drops_exceptions(program: Program, module: LoadedModule, move_next: MethodToken, machine: Value) -> bool:
    """Whether the await at which a state machine is suspended does not throw (ConfigureAwaitOptions.SuppressThrowing).

    False also where that is not known.
    """
    state = _state(program, machine)
    name = awaiter_field(module, move_next, state) if state is not None else None
    awaiter = read_field(program, machine, name) if name is not None else None
    if awaiter is None or awaiter.error is not None or awaiter.is_null:
        return False
    options = read_field(program, awaiter, "m_options")
    if options is None or options.error is not None or not options.raw:
        return False
    return bool(int.from_bytes(options.raw, "little") & _SUPPRESS_THROWING)


def _state(program: Program, machine: Value) -> int | None:
    read = (read_field(program, machine, name) for name in (*STATE_FIELDS, RESUMPTION_POINT))
    state = next((one for one in read if one is not None), None)
    if state is None or state.error is not None or not state.raw:
        return None
    return int.from_bytes(state.raw, "little", signed=True)


def offset_of_state(module: LoadedModule, move_next: MethodToken, state: int) -> int | None:
    """As `await_offset`, from the number of the state."""
    return _YIELDS(module, move_next).get(state)


def known_yields(module: LoadedModule, move_next: MethodToken) -> set[int]:
    """The yield offsets, in MoveNext, of the awaits that `await_offset` can tell."""
    return set(_YIELDS(module, move_next).values())


def awaiter_field(module: LoadedModule, move_next: MethodToken, state: int) -> str | None:
    """The name of the field that holds what a method awaits in a state; None where that is not known."""
    return _AWAITERS(module, move_next).get(state)


@if_damaged({})
def _find_yields(module: LoadedModule, move_next: MethodToken) -> dict[int, int]:
    """The yield offset of each state: the method stores the number of its state right before it yields."""

    task = fsharp_task(module, move_next)
    if task is not None:
        return task.yield_offsets
    info = async_info(module, move_next)
    instructions = instructions_of(module, move_next)
    found: dict[int, int] = {}
    for one in info.awaits if info is not None else ():
        before = [instruction for instruction in instructions if instruction.offset < one.yield_offset]
        state = _stored_state(before)
        if state is not None:
            found[state] = one.yield_offset
    return found


_YIELDS = ModuleMemo("yield offsets by state", _find_yields)


@if_damaged({})
def _find_awaiters(module: LoadedModule, move_next: MethodToken) -> dict[int, str]:
    """The field of the awaiter of each state: the method stores it right after the point at which it yields."""

    found: dict[int, str] = {}
    task = fsharp_task(module, move_next)
    if task is not None:
        return task.awaiters
    if module.metadata is None:
        return {}
    stores = [one for one in instructions_of(module, move_next) if one.opcode.name == "stfld"]
    for state, offset in _YIELDS(module, move_next).items():
        stored = next((one.operand for one in stores if one.offset >= offset), None)
        name = module.metadata.display(stored).rpartition(".")[2] if isinstance(stored, int) else ""
        if name.startswith(AWAITER_FIELDS):
            found[state] = name
    return found


_AWAITERS = ModuleMemo("awaiters by state", _find_awaiters)


def _stored_state(before: list[Instruction]) -> int | None:
    for instruction in reversed(before):
        name = instruction.opcode.name
        if name in _SHORT_CONSTANTS:
            return _SHORT_CONSTANTS[name]
        if name in ("ldc.i4", "ldc.i4.s") and isinstance(instruction.operand, int):
            return instruction.operand
        if not name.startswith(_BETWEEN):
            return None
    return None
