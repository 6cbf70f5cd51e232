"""The state machines of F#'s `task { … }` in optimised code. Not the PDB says that they are; their shape does. Pure.

The compiler makes a structure `load@12` with a MoveNext, whose field `ResumptionPoint` has the number of the await at
which it is suspended: it stores that number on its way out, and only there. When it goes on, MoveNext runs from its
beginning. Neither the jump to the place of the await nor what follows there has to be a place of its own once it is
compiled.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import Instruction, Metadata, TypeDef

RESUMPTION_POINT = "ResumptionPoint"
_NAME = re.compile(r".+@\d+(-\d+)?$")
_LOADS_NUMBER = re.compile(r"ldc\.i4(\.\d|\.s)?$")
_ASKS = "get_IsCompleted"
RESUMES_AT = 0
"""The IL offset at which each goes on; one in its first run begins there, too, but has no task yet."""
_MOST_INSTRUCTIONS = 200_000


class FSharpTask(Struct, frozen=True):
    """A MoveNext: the IL offset at which it gives up control, by the number of the await; and who starts it."""

    yield_offsets: dict[int, int]
    awaiters: dict[int, str]
    """The name of the field that holds what is awaited, by the number of the await, where that is known."""
    kickoffs: frozenset[int]
    """Tokens of methods."""


def _find(module: LoadedModule, method: MethodToken) -> FSharpTask | None:
    from portablepdb import PortablePdbError

    metadata = module.metadata
    if metadata is None or not module.is_optimized:
        return None
    try:
        own = metadata.declaring_type(method)
        if _NAME.match(own.name) is None or metadata.method(method).name != "MoveNext":
            return None
        field = next((one.token for one in own.fields if one.name == RESUMPTION_POINT), None)
        body = metadata.method_body(method)
        if field is None or body is None or own.enclosing is None:
            return None
        instructions = list(body.instructions())
        offsets = _yields(instructions, int(field))
        names = {int(one.token): one.name for one in own.fields}
        awaiters = _awaiters(metadata, instructions, offsets, names)
        return FSharpTask(offsets, awaiters, _starters(module, own)) if offsets else None
    except PortablePdbError:
        return None


_TASKS = ModuleMemo("state machines of F#", _find)


def fsharp_task(module: LoadedModule, move_next: MethodToken) -> FSharpTask | None:
    """What is known of a MoveNext of F#'s optimised `task`; None for any other method."""
    return _TASKS(module, move_next)


def _yields(instructions: list[Instruction], field: int) -> dict[int, int]:
    found = {}
    for this, number, store in zip(instructions, instructions[1:], instructions[2:], strict=False):
        loads = _LOADS_NUMBER.match(number.opcode.name)
        if store.opcode.name != "stfld" or store.operand != field or this.opcode.name != "ldarg.0" or loads is None:
            continue
        value = number.operand if isinstance(number.operand, int) else int((loads[1] or ".0")[1:])
        found[value] = this.offset
    return found


def _awaiters(
    metadata: Metadata, instructions: list[Instruction], offsets: dict[int, int], names: dict[int, str]
) -> dict[int, str]:
    """The field that was asked last, before each place, whether it has completed."""
    found: dict[int, str] = {}
    asked = ""
    numbers = {offset: number for number, offset in offsets.items()}
    for this, following in pairwise(instructions):
        if this.opcode.name == "ldflda" and isinstance(this.operand, int) and isinstance(following.operand, int):
            asks = following.opcode.name.startswith("call") and _ASKS in metadata.display(following.operand)
            asked = names.get(this.operand, "") if asks else asked
        if asked and this.offset in numbers:
            found[numbers[this.offset]] = asked
    return found


def _starters(module: LoadedModule, machine: TypeDef) -> frozenset[int]:
    """The methods that make one, in the class around it and those in that."""
    assert module.metadata is not None
    assert machine.enclosing is not None
    types, found, seen = [machine.enclosing], set(), 0
    while types and seen < _MOST_INSTRUCTIONS:
        one = types.pop()
        types += one.nested
        for method in one.methods:
            body = module.metadata.method_body(method.token)
            instructions = list(body.instructions()) if body is not None else []
            seen += len(instructions)
            if any(each.opcode.name == "initobj" and each.operand == machine.token for each in instructions):
                found.add(int(method.token))
    return frozenset(found)
