"""Where the object of a store is on the evaluation stack, and where it goes afterwards (ECMA-335 III)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction
    from portablepdb.stack_depth import StackDepths

_VARIABLE = re.compile(r"(ld|st)(arg|loc)(a?)(?:\.(\d))?(?:\.s)?")


def object_offsets(flow: StackDepths, before: int, offset: int, *, is_address: bool) -> frozenset[int]:
    """Walking back from the store, as long as the object stays where it is: the offsets where it is on top."""
    depth = flow.depths[offset]
    wanted = depth if is_address else depth - 1
    found = set()
    for candidate in sorted((one for one in flow.instructions if before <= one <= offset), reverse=True):
        there = flow.depths.get(candidate)
        if there is None:
            continue
        if candidate != offset and flow.untouched(candidate) < wanted:
            break
        if there == wanted:
            found.add(candidate)
    return frozenset(found)


def object_from(flow: StackDepths, before: int, objects: frozenset[int]) -> int:
    """Where to begin interpreting so that the object is on top at one of these offsets: at `before` or later.

    An argument or local that nothing changes on the way needs nothing of what comes before it in its statement.
    """
    if not objects:
        return before
    first, last = min(objects), max(objects)
    own = next((one for one in flow.instructions if one + flow.instructions[one].size == first), before)
    variable = _variable(flow.instructions[own])
    if own <= before or variable is None or variable[0] != "ld" or variable[2]:
        return before
    for offset, instruction in flow.instructions.items():
        other = _variable(instruction)
        is_same = other is not None and other[1::2] == variable[1::2]
        if is_same and other is not None and (other[2] or (other[0] == "st" and before <= offset < own)):
            return before  # it may be another one by then
        after = offset + instruction.size
        targets = flow.successors(offset) if offset in flow.depths and not own <= offset <= last else ()
        if any(own < target <= last and target != after for target in targets):
            return before  # there is another way to the store
    return own


def is_found_again(flow: StackDepths, before: int, offset: int) -> bool:
    """Whether the way to the object leads to the same one after the store: its statement changes nothing that it reads.

    That matters for a struct, which has no identity: `points[i++].X = 1` is another element afterwards.
    """
    read: set[tuple[str | int, ...]] = set()
    written: set[tuple[str | int, ...]] = set()
    for at in (one for one in flow.instructions if before <= one < offset and one in flow.depths):
        name = flow.instructions[at].opcode.name
        variable = _variable(flow.instructions[at])
        if variable is not None:
            (written if variable[0] == "st" else read).add(variable[1::2])
        elif name.startswith(("stfld", "stsfld", "stelem", "stind", "stobj")):
            return False
    return not read & written


def _variable(instruction: Instruction) -> tuple[str, str, str, int] | None:
    """Of an instruction on a variable: `ld` or `st`, `arg` or `loc`, `a` for its address, its number."""
    match = _VARIABLE.fullmatch(instruction.opcode.name)
    if match is None:
        return None
    number = int(match[4]) if match[4] else instruction.operand
    return (match[1], match[2], match[3], number) if isinstance(number, int) else None


def kept_in(flow: StackDepths, before: int, offset: int) -> int | None:
    """In an initialiser the object stays below its copy on the stack: the local that it goes into at last."""
    slot = flow.depths[offset] - 2
    made = [one for one in flow.instructions if before <= one < offset and one in flow.depths]
    last = next((one for one in reversed(made) if flow.untouched(one) <= slot), None)
    if last is None or flow.instructions[last].opcode.name != "dup" or slot < 1:
        return None
    at = offset + flow.instructions[offset].size
    while at in flow.depths and flow.untouched(at) >= slot:
        following = list(flow.successors(at))
        if len(following) != 1:
            return None
        at = following[0]
    if at not in flow.depths or flow.depths[at] != slot:
        return None
    name, operand = flow.instructions[at].opcode.name, flow.instructions[at].operand
    if name in ("stloc", "stloc.s"):
        return operand if isinstance(operand, int) else None
    return int(name[-1]) if name.startswith("stloc.") else None
