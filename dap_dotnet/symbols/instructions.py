"""The instructions of methods. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction


def _decoded(module: LoadedModule, method: MethodToken | int) -> list[Instruction]:
    from portablepdb import PortablePdbError

    try:
        body = module.metadata.method_body(method) if module.metadata is not None else None
        return list(body.instructions()) if body is not None else []
    except PortablePdbError:
        return []


instructions_of: ModuleMemo[MethodToken | int, list[Instruction]] = ModuleMemo("instructions", _decoded, 50)
"""Those of a method, in their order; none where its code cannot be read."""


def instructions_in(
    module: LoadedModule, method: MethodToken, ranges: Iterable[tuple[int, int]]
) -> Iterator[Instruction]:
    """Those of a method in half-open IL ranges, which do not overlap."""
    instructions = instructions_of(module, method)
    for start, end in ranges:
        at = bisect_left(instructions, start, key=_offset)
        while at < len(instructions) and instructions[at].offset < end:
            yield instructions[at]
            at += 1


def _offset(instruction: Instruction) -> int:
    return instruction.offset


_NEVER_GO_ON = ("br", "br.s", "leave", "leave.s", "ret", "throw", "rethrow", "endfinally", "endfilter", "jmp")


def followers(instruction: Instruction) -> tuple[int, ...]:
    """The IL offsets at which control may go on behind an instruction, in its method."""
    targets = branch_targets(instruction)
    if instruction.opcode.name in _NEVER_GO_ON:
        return targets
    return (*targets, instruction.offset + instruction.size)


def branch_targets(instruction: Instruction) -> tuple[int, ...]:
    """The IL offsets to which an instruction may jump."""
    from portablepdb.opcodes import Operand

    operand = instruction.operand
    if isinstance(operand, tuple):
        return operand
    is_branch = instruction.opcode.operand in (Operand.TARGET8, Operand.TARGET32)
    return (operand,) if is_branch and isinstance(operand, int) else ()
