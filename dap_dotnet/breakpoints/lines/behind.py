"""The next place of a statement that the runtime has no code for at its beginning, as in optimised code. Pure.

F# begins statements with instructions that do nothing (`nop`, a branch on a constant), C# with a `nop` here and there:
the compiler at run time makes nothing of them, and cannot stop there. Where they lead is as good a place, unless other
code goes there as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.breakpoints.model import Site
from dap_dotnet.runtime.model import BreakpointLocation
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.spans import span_of

if TYPE_CHECKING:
    from portablepdb import Instruction

_MOST_STEPS = 32
_ALWAYS = ("br", "br.s", "leave", "leave.s")
_CONSTANTS = {"ldc.i4.0": False, "ldc.i4.1": True}
_CONDITIONS = {"brfalse": False, "brfalse.s": False, "brtrue": True, "brtrue.s": True}
"""On what they jump."""
_JUMPS = ("br", "beq", "bge", "bgt", "ble", "blt", "bne", "leave")
_ENDS = ("br.", "leave", "ret", "throw", "rethrow", "endf", "jmp")
"""Names of instructions, or their beginnings, that what is behind them does not follow."""


def site_behind(loaded: LoadedModule, site: Site) -> Site | None:
    """The next place of a site's statement, or of its line; else the beginning of the next statement, further down.

    None where there is none. A place has a higher IL offset than the site, so that asking again and again ends.
    """
    from portablepdb import PortablePdbError

    location = site.location
    if loaded.pdb is None or loaded.metadata is None or site.span is None:
        return None
    try:
        body = loaded.metadata.method_body(location.method)
        instructions = list(body.instructions()) if body is not None else []
        points = sorted(loaded.pdb.sequence_points(location.method), key=lambda point: point.il_offset)
    except PortablePdbError:
        return None
    path, jumps = _path(instructions, location.il_offset)
    entered = _entered(instructions, {location.il_offset, *path}, jumps)
    further = [offset for offset in path if offset > location.il_offset and offset not in entered]
    same_line = [
        point.il_offset
        for point in points
        if not point.is_hidden and point.start_line == site.span.line and point.il_offset > location.il_offset
    ]
    next_statement: Site | None = None
    for offset in (*further, *same_line):
        point = next((one for one in reversed(points) if one.il_offset <= offset), None)
        if point is None or point.is_hidden:
            continue
        found = Site(BreakpointLocation(location.module, location.method, offset), span_of(point), site.path)
        if point.start_line == site.span.line:
            return found
        if next_statement is None and point.start_line > site.span.line and offset == point.il_offset:
            next_statement = found
    return next_statement


def _path(instructions: list[Instruction], offset: int) -> tuple[list[int], set[int]]:
    """The IL offsets that code comes to from one, without having done anything, and those of the jumps on the way.

    The first instruction that does something is the last.
    """
    by_offset = {one.offset: number for number, one in enumerate(instructions)}
    path: list[int] = []
    jumps: set[int] = set()
    number = by_offset.get(offset)
    while number is not None and number < len(instructions) and len(path) < _MOST_STEPS:
        one = instructions[number]
        following = instructions[number + 1] if number + 1 < len(instructions) else None
        if one.opcode.name == "nop":
            number += 1
        elif one.opcode.name in _ALWAYS and isinstance(one.operand, int):
            jumps.add(one.offset)
            number = by_offset.get(one.operand)
        elif one.opcode.name in _CONSTANTS and following is not None and isinstance(following.operand, int):
            if following.opcode.name not in _CONDITIONS:
                break
            jumps.add(following.offset)
            is_taken = _CONSTANTS[one.opcode.name] == _CONDITIONS[following.opcode.name]
            number = by_offset.get(following.operand) if is_taken else number + 2
        else:
            break
        if number is not None and number < len(instructions):
            path.append(instructions[number].offset)
    return path, jumps


def _entered(instructions: list[Instruction], path: set[int], jumps: set[int]) -> set[int]:
    """The IL offsets that other code comes to as well: by a jump, or from right before."""
    targets: set[int] = set()
    before: Instruction | None = None
    for one in instructions:
        name = one.opcode.name
        if isinstance(one.operand, tuple):
            targets.update(one.operand)
        elif one.offset not in jumps and isinstance(one.operand, int) and name.startswith(_JUMPS) and name != "break":
            targets.add(one.operand)
        falls_through = before is not None and not _ends(before)
        if before is not None and falls_through and before.offset not in path and before.offset not in jumps:
            targets.add(one.offset)
        before = one
    return targets


def _ends(one: Instruction) -> bool:
    return one.opcode.name == "br" or one.opcode.name.startswith(_ENDS)
