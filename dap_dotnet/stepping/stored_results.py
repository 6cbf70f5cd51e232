"""Structs that calls return, read from where the statement stores them: the runtime gives none right behind a call.

Read once the statement has been left in the way that leads past the store: then it is what the call has returned.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import FieldRef, FieldToken, MethodToken, ThreadId, TypeDefToken, Value
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.instructions import followers, instructions_in
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import read_field

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction

_LOCAL = re.compile(r"(st|ld)loc(a?)(?:\.(\d|s))?")
_FIELD_TABLE = 0x04
_DOES_NOTHING = ("nop", "br", "br.s", "leave", "leave.s", "ret")
_MOST_STATEMENTS = 2_000


class Store(Struct, frozen=True):
    """Where a result is: in a local's slot, or in a field, of `this` if it is not static."""

    slot: int | None
    field: int = 0
    is_static: bool = False

    def read(self, program: Program, thread: ThreadId, module: LoadedModule) -> Value | None:
        """What is there now, for the thread's top frame; None where it cannot be read."""
        from portablepdb import PortablePdbError

        debuggee = program.debuggee
        assert module.metadata is not None
        try:
            if self.slot is not None:
                values = debuggee.locals(thread, 0)
                return values[self.slot] if self.slot < len(values) else None
            field = module.metadata.field(self.field)
            if not self.is_static:
                arguments = debuggee.arguments(thread, 0, text_limit=0)
                return read_field(program, arguments[0], field.name) if arguments else None
            owner = debuggee.make_type(module.id, TypeDefToken(field.declaring_type.token))
            return debuggee.static_fields([FieldRef(owner, FieldToken(self.field))], thread)[0]
        except (DapDotnetError, PortablePdbError):
            return None


def store_of(
    module: LoadedModule, method: MethodToken, ranges: tuple[tuple[int, int], ...], call_offset: int
) -> Store | None:
    """Where the statement in IL ranges of a method stores what its call at an offset returns.

    None where it does not, where it need not come to that, and where it may change it afterwards. None in optimised
    code, too, where it may be gone by then.
    """
    return None if module.is_optimized else _STORES(module, (method, ranges)).get(call_offset)


@if_damaged({})
def _find_stores(module: LoadedModule, statement: tuple[MethodToken, tuple[tuple[int, int], ...]]) -> dict[int, Store]:
    """By the offset of the call."""
    method, ranges = statement
    found: dict[int, Store] = {}
    inside = list(instructions_in(module, method, ranges))
    for number, call in enumerate(inside):
        if call.opcode.name in ("call", "callvirt"):
            rest = inside[number + 1 :]
            while rest and rest[0].opcode.name in ("nop", "dup"):
                rest = rest[1:]
            store = _store(module, method, inside, rest) if rest else None
            if store is not None:
                found[call.offset] = store
    return found


def _stack_depths(module: LoadedModule, method: MethodToken) -> dict[int, int]:
    from portablepdb.stack_depth import StackDepths

    body = module.metadata.method_body(method) if module.metadata is not None else None
    return StackDepths(module.metadata, body).depths if module.metadata is not None and body is not None else {}


_DEPTHS = ModuleMemo("depths of the evaluation stack", _stack_depths, 50)
_STORES = ModuleMemo("stores of results", _find_stores, _MOST_STATEMENTS)


def _store(
    module: LoadedModule, method: MethodToken, statement: list[Instruction], rest: list[Instruction]
) -> Store | None:
    """The store that the first of `rest` is, if every way through the statement leads to it, by the call."""
    store, *after = rest
    before = [one for one in statement if one.offset < store.offset]
    for one in before:
        if any(at > store.offset or at == store.offset != one.offset + one.size for at in followers(one)):
            return None
    local = _LOCAL.fullmatch(store.opcode.name)
    if local is not None:
        slot = _slot(local, store)
        others = ((_LOCAL.fullmatch(one.opcode.name), one) for one in statement if one is not store)
        is_changed = any(
            other and (other[1] == "st" or other[2]) and _slot(other, one) == slot for other, one in others
        )
        return None if local[1] != "st" or is_changed or slot is None else Store(slot)
    if store.opcode.name not in ("stfld", "stsfld") or not isinstance(store.operand, int):
        return None
    if store.operand >> 24 != _FIELD_TABLE or any(one.opcode.name not in _DOES_NOTHING for one in after):
        return None
    if store.opcode.name == "stsfld":
        return Store(None, store.operand, is_static=True)
    depths = _DEPTHS(module, method)
    begins = next((one for one in reversed(before) if not depths.get(one.offset)), None)
    is_this = begins is not None and begins.opcode.name == "ldarg.0" and depths.get(store.offset) == 2
    return Store(None, store.operand) if is_this else None


def _slot(local: re.Match[str], instruction: Instruction) -> int | None:
    number = int(local[3]) if local[3] and local[3].isdigit() else instruction.operand
    return number if isinstance(number, int) else None
