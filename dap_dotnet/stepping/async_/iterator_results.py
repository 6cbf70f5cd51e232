"""Where the `MoveNextAsync` of an async iterator takes a result that is there when it comes back from asking for one.

The compiler writes `if (promise.GetStatus(version) == Succeeded) return new(promise.GetResult(version))`.
"""

from __future__ import annotations

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.instructions import instructions_of
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

_TAKES = ".GetResult("
_BRANCHES = ("b", "leave", "switch")
"""How the names of instructions begin after which another statement does."""


def result_offset(module: LoadedModule, move_next_async: MethodToken) -> int | None:
    """The IL offset at which the statement begins that takes it; None where the method is another compiler's."""
    return _OFFSETS(module, move_next_async)


def _find(module: LoadedModule, method: MethodToken) -> int | None:
    from portablepdb import PortablePdbError

    if module.metadata is None:
        return None
    try:
        begin = 0
        for one in instructions_of(module, method):
            name = one.opcode.name
            if name.startswith(_BRANCHES) and name not in ("box", "break"):
                begin = one.offset + one.size
            elif name == "call" and isinstance(one.operand, int) and _TAKES in module.metadata.display(one.operand):
                return begin
    except PortablePdbError:
        pass
    return None


_OFFSETS = ModuleMemo("where async iterators take a result that is there", _find)
