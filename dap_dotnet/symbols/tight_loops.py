"""Loops that call nothing: no runtime up to .NET 8 can stop a thread in one, and none ends a call that is in one."""

from __future__ import annotations

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.instructions import branch_targets, instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

_CALLS = ("call", "callvirt", "calli", "newobj")
_METHOD_DEF = 0x06
_MOST_METHODS = 100


def _find(module: LoadedModule, method: MethodToken) -> bool:
    pending, seen = [method], {method}
    while pending and len(seen) < _MOST_METHODS:
        instructions = instructions_of(module, pending.pop())
        calls = [one for one in instructions if one.opcode.name in _CALLS]
        for branch in instructions:
            for target in branch_targets(branch):
                if target <= branch.offset and not any(target <= one.offset <= branch.offset for one in calls):
                    return True
        called = {MethodToken(one.token) for one in calls if one.token is not None and one.token >> 24 == _METHOD_DEF}
        pending += called - seen
        seen |= called
    return False


has_tight_loop = ModuleMemo("methods with loops that call nothing", _find)
"""Whether a method, a MethodDef token, or what it calls in its module has such a loop; False where it has no code."""
