"""The instructions of methods. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction


def instructions_of(module: LoadedModule, method: MethodToken | int) -> list[Instruction]:
    """Those of a method, in their order; none where its code cannot be read."""
    from portablepdb import PortablePdbError

    try:
        body = module.metadata.method_body(method) if module.metadata is not None else None
        return list(body.instructions()) if body is not None else []
    except PortablePdbError:
        return []


def branch_targets(instruction: Instruction) -> tuple[int, ...]:
    """The IL offsets to which an instruction may jump."""
    from portablepdb.opcodes import Operand

    operand = instruction.operand
    if isinstance(operand, tuple):
        return operand
    is_branch = instruction.opcode.operand in (Operand.TARGET8, Operand.TARGET32)
    return (operand,) if is_branch and isinstance(operand, int) else ()
