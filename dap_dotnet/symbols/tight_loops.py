"""Loops that call nothing: no runtime up to .NET 8 can stop a thread in one, and none ends a call that is in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction


def _find(module: LoadedModule, method: MethodToken) -> bool:
    from portablepdb import PortablePdbError

    if module.metadata is None:
        return False
    try:
        body = module.metadata.method_body(method)
        instructions = list(body.instructions()) if body is not None else []
    except PortablePdbError:
        return False
    calls = [one.offset for one in instructions if one.opcode.name in _CALLS]
    for branch in instructions:
        for target in _targets(branch):
            if target <= branch.offset and not any(target <= offset <= branch.offset for offset in calls):
                return True
    return False


_CALLS = ("call", "callvirt", "calli", "newobj")


def _targets(instruction: Instruction) -> tuple[int, ...]:
    from portablepdb.opcodes import Operand

    operand = instruction.operand
    if isinstance(operand, tuple):
        return operand
    is_branch = instruction.opcode.operand in (Operand.TARGET8, Operand.TARGET32)
    return (operand,) if is_branch and isinstance(operand, int) else ()


has_tight_loop = ModuleMemo("methods with loops that call nothing", _find)
"""Whether the code of a method itself, a MethodDef token, has such a loop. False where it cannot be read."""
