"""The state machines of F#'s `task { … }` in optimised code. Not the PDB says that they are; their shape does. Pure.

The compiler makes a structure `load@12` with a MoveNext, whose field `ResumptionPoint` has the number of the await at
which it is suspended: it stores that number on its way out, and only there. When it goes on, it comes to the call of
GetResult, as it does when it has not to suspend at all. The jump there is no place of its own once it is compiled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import Instruction, TypeDef

RESUMPTION_POINT = "ResumptionPoint"
_NAME = re.compile(r".+@\d+(-\d+)?$")
_LOADS_NUMBER = re.compile(r"ldc\.i4(\.\d|\.s)?$")
_MOST_BETWEEN = 40
"""Instructions between the way out and GetResult; there are about twelve."""
_LOADS_AWAITER = 3
"""Instructions of the call of GetResult: the machine, its awaiter, the call."""
_MOST_INSTRUCTIONS = 200_000


class FSharpTask(Struct, frozen=True):
    """A MoveNext: the IL offsets where it gives up control and goes on, by the number of the await; who starts it."""

    awaits: dict[int, tuple[int, int]]
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
        awaits = _awaits(module, list(body.instructions()), int(field))
        return FSharpTask(awaits, _starters(module, own)) if awaits else None
    except PortablePdbError:
        return None


_TASKS = ModuleMemo("state machines of F#", _find)


def fsharp_task(module: LoadedModule, move_next: MethodToken) -> FSharpTask | None:
    """What is known of a MoveNext of F#'s optimised `task`; None for any other method."""
    return _TASKS(module, move_next)


def _awaits(module: LoadedModule, instructions: list[Instruction], field: int) -> dict[int, tuple[int, int]]:
    found = {}
    for at in range(2, len(instructions)):
        this, number, store = instructions[at - 2 : at + 1]
        loads = _LOADS_NUMBER.match(number.opcode.name)
        if store.opcode.name != "stfld" or store.operand != field or this.opcode.name != "ldarg.0" or loads is None:
            continue
        value = number.operand if isinstance(number.operand, int) else int((loads[1] or ".0")[1:])
        resumes_at = _taking_result(module, instructions[at : at + _MOST_BETWEEN])
        if resumes_at is not None:
            found[value] = (this.offset, resumes_at)
    return found


def _taking_result(module: LoadedModule, instructions: list[Instruction]) -> int | None:
    """The offset at which the code begins that calls GetResult; None where it does not look as expected."""
    assert module.metadata is not None
    for at, one in enumerate(instructions):
        if one.opcode.name not in ("call", "callvirt") or not isinstance(one.operand, int):
            continue
        if not module.metadata.display(one.operand).partition("(")[0].endswith(".GetResult"):
            continue
        this = instructions[at - _LOADS_AWAITER + 1] if at >= _LOADS_AWAITER else None
        return this.offset if this is not None and this.opcode.name == "ldarg.0" else None
    return None


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
