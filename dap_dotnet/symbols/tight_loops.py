"""Loops that call nothing: no runtime up to .NET 8 can stop a thread in one, and none ends a call that is in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction


def _find(module: LoadedModule, method: MethodToken) -> bool:
    pending, seen = [method], {method}
    while pending and len(seen) < _MOST_METHODS:
        instructions = _instructions(module, pending.pop())
        calls = [one for one in instructions if one.opcode.name in _CALLS]
        for branch in instructions:
            for target in _targets(branch):
                if target <= branch.offset and not any(target <= one.offset <= branch.offset for one in calls):
                    return True
        called = {MethodToken(one.token) for one in calls if one.token is not None and one.token >> 24 == _METHOD_DEF}
        pending += called - seen
        seen |= called
    return False


def _instructions(module: LoadedModule, method: MethodToken) -> list[Instruction]:
    """Those of a method; none where its code cannot be read."""
    from portablepdb import PortablePdbError

    try:
        body = module.metadata.method_body(method) if module.metadata is not None else None
        return list(body.instructions()) if body is not None else []
    except PortablePdbError:
        return []


_CALLS = ("call", "callvirt", "calli", "newobj")
_METHOD_DEF = 0x06
_MOST_METHODS = 100


def _targets(instruction: Instruction) -> tuple[int, ...]:
    from portablepdb.opcodes import Operand

    operand = instruction.operand
    if isinstance(operand, tuple):
        return operand
    is_branch = instruction.opcode.operand in (Operand.TARGET8, Operand.TARGET32)
    return (operand,) if is_branch and isinstance(operand, int) else ()


has_tight_loop = ModuleMemo("methods with loops that call nothing", _find)
"""Whether a method, a MethodDef token, or what it calls in its module has such a loop; False where it has no code."""
