"""Variables of patterns in a `switch` that a lambda captures, from the IL: where they have a value. Pure.

The C# compiler keeps those of all sections in one closure, in fields such as `<name>5__2`, and writes no scopes of them
into the PDB. A section is reached only behind the stores into its own variables, and no test has found null there.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken, TypeDefToken
from dap_dotnet.symbols.metadata_names import base_of, field_name
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.stack_depth import StackDepths

_MOST_METHODS = 500
_TYPE_DEF, _MEMBER_REF = 0x02, 0x0A
_NAME = re.compile(r"^<\w+>5__\d+$")
_EXITS = ("ret", "leave", "leave.s")
_IF_NULL, _IF_NOT_NULL = ("brfalse", "brfalse.s"), ("brtrue", "brtrue.s")
Names = frozenset[str]
_NONE = Names()


def has_value(module: LoadedModule, method: MethodToken, il_offset: int, field_name: str) -> bool:
    """Whether such a variable, by its field's name in the metadata, has its value at an IL offset of a method.

    In a method that has the closure from elsewhere, a lambda: whether it uses the field. False where the IL cannot be
    read.
    """
    stored, used = _STORES(module, method)
    at = max((offset for offset in stored if offset <= il_offset), default=None)
    return field_name in used or (at is not None and field_name in stored[at])


def _stores(module: LoadedModule, method: MethodToken) -> tuple[dict[int, Names], Names]:
    """By the IL offsets of instructions the fields that have values; the fields of closures from elsewhere."""
    from portablepdb import PortablePdbError
    from portablepdb.stack_depth import StackDepths

    metadata = module.metadata
    try:
        body = metadata.method_body(method) if metadata is not None else None
        if body is None or metadata is None:
            return {}, _NONE
        flow = StackDepths(metadata, body)
        uses = _Uses(module, metadata, method, flow)
        return _values(flow, uses, _ways(module, method, flow)), uses.elsewhere
    except PortablePdbError:
        return {}, _NONE


class _Uses:
    """Where a method uses such fields."""

    def __init__(self, module: LoadedModule, metadata: Metadata, method: MethodToken, flow: StackDepths) -> None:
        """Raises `PortablePdbError`."""
        self.stores: dict[int, str] = {}
        """By IL offset: what is stored, or has its address taken, in a closure that is made here."""
        self.loads: dict[int, str] = {}
        """By the IL offset behind."""
        made = set[int]()
        used = list[tuple[int, str, int, str]]()
        for offset, instruction in flow.instructions.items():
            opcode, token = instruction.opcode.name, instruction.operand
            if opcode == "newobj":
                assert isinstance(token, int)
                made.add(_owner(metadata, token))
            elif opcode in ("ldfld", "ldflda", "stfld"):
                assert isinstance(token, int)
                name = field_name(metadata, token)
                if _NAME.match(name):
                    used.append((offset, opcode, _owner(metadata, token), name))
                    self.loads[offset + instruction.size] = name if opcode == "ldfld" else ""
        is_generated = metadata.method(method).name.startswith("<")
        here = {one for _, _, one, _ in used if one in made or (not is_generated and _is_structure(module, one))}
        self.stores = {at: name for at, opcode, one, name in used if opcode != "ldfld" and one in here}
        self.elsewhere = Names(name for _, _, one, name in used if one not in here)

    def after(self, flow: StackDepths, offset: int, following: int, before: Names) -> Names:
        """The fields that have values behind an instruction, on the way to another."""
        instruction, loaded = flow.instructions[offset], self.loads.get(offset, "")
        is_next = following == offset + instruction.size
        if instruction.opcode.name in (_IF_NOT_NULL if is_next else _IF_NULL):
            return before - {loaded}
        return before | {self.stores[offset]} if offset in self.stores else before


def _values(flow: StackDepths, uses: _Uses, ways: dict[int, list[int]]) -> dict[int, Names]:
    if not uses.stores:
        return {}
    found: dict[int, Names] = {0: _NONE}
    pending = [0]
    while pending:
        offset = pending.pop()
        before = found[offset]
        states = [(following, uses.after(flow, offset, following, before)) for following in ways[offset]]
        states += [(handler, before) for handler in flow.handlers_of(offset)]
        for following, state in states:
            joined = found.get(following, state) & state
            if following in flow.instructions and joined != found.get(following):
                found[following] = joined
                pending.append(following)
    return found


def _owner(metadata: Metadata, token: int) -> int:
    """The token of the type that has a member."""
    if token >> 24 == _MEMBER_REF:
        return int(metadata.image.table(_MEMBER_REF).row(token & 0xFFFFFF).class_)
    return metadata.declaring_type(token)


def _is_structure(module: LoadedModule, owner: int) -> bool:
    """Whether it is the closure of a local function that no delegate is made of, which nobody creates."""
    return owner >> 24 == _TYPE_DEF and base_of(module, TypeDefToken(owner)) == "System.ValueType"


def _ways(module: LoadedModule, method: MethodToken, flow: StackDepths) -> dict[int, list[int]]:
    """Where control goes on from each instruction, in a state machine as if the method were never left.

    What the dispatch at its beginning leads to is behind that alone only where no other code leads there: not the one
    that leaves the method right before, either.
    """
    offsets = sorted(flow.instructions)
    ways = {offset: list(flow.successors(offset)) for offset in offsets}
    if module.pdb is None or not module.pdb.kickoff_method(method):
        return ways
    visible = {point.il_offset for point in module.pdb.sequence_points(method) if not point.is_hidden}
    dispatch, pending = set[int](), [0]
    while pending:
        offset = pending.pop()
        if offset not in visible and offset not in dispatch and offset in ways:
            dispatch.add(offset)
            pending += ways[offset]
    left = {
        behind: offset
        for offset, behind in itertools.pairwise(offsets)
        if offset not in dispatch and flow.instructions[offset].opcode.name in _EXITS
    }
    entered = {following for offset in offsets if offset not in dispatch for following in ways[offset]} | left.keys()
    for offset in dispatch:
        for following in [one for one in ways[offset] if one in entered]:
            ways[offset].remove(following)
            if following in left and following not in ways[left[following]]:
                ways[left[following]].append(following)
    return ways


_STORES = ModuleMemo("stores into captured variables of patterns", _stores, _MOST_METHODS)
