"""Local slots that a method may have lost when it was suspended, from its IL. Pure.

A method that awaits or yields is left then, with its locals, and begins anew when it goes on: what it still needs is in
fields. In optimised code all other variables are in local slots, and 0 or null afterwards.
"""

from __future__ import annotations

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

_MOST_METHODS = 500
_STORES = ("stloc", "ldloca")
_OF_ITERATORS = "<>2__current"


def lost_slots(module: LoadedModule, method: MethodToken, il_offset: int) -> frozenset[int]:
    """The slots that have been given a value on some ways to an IL offset, and may have none any more.

    Empty where the IL cannot be read.
    """
    known = _SLOTS(module, method)
    before = known.get(il_offset)
    if before is None:
        at = max((offset for offset in known if offset <= il_offset), default=None)
        before = known[at] if at is not None else (0, 0)
    both = before[0] & before[1]
    return frozenset(slot for slot in range(both.bit_length()) if both >> slot & 1)


def _slots(module: LoadedModule, method: MethodToken) -> dict[int, tuple[int, int]]:
    """By the IL offsets of instructions: the slots that may have no value, and those that may have been given one.

    Each is a number with a bit for each slot.
    """
    from portablepdb import PortablePdbError
    from portablepdb.stack_depth import StackDepths

    try:
        body = module.metadata.method_body(method) if module.metadata is not None else None
        if body is None or module.metadata is None:
            return {}
        every = (1 << len(module.metadata.method(method).local_types)) - 1
        flow = StackDepths(module.metadata, body)
        resumes, begins_anew = _resumptions(module, method)
    except PortablePdbError:
        return {}
    found = {0: (every, 0)}
    pending = [0] if 0 in flow.instructions else []
    while pending:
        offset = pending.pop()
        before, instruction = found[offset], flow.instructions[offset]
        stem, _, short = instruction.opcode.name.partition(".")
        slot = 1 << int(short if short.isdigit() else str(instruction.operand)) if stem in _STORES else 0
        after = before[0] & ~slot, before[1] | slot
        ways = [(following, after) for following in flow.successors(offset)]
        ways += [(handler, before) for handler in flow.handlers_of(offset)]
        if offset in resumes:
            ways.append((resumes[offset], (0, after[1])))
        elif instruction.opcode.name == "ret" and begins_anew:
            ways.append((0, (0, after[1])))
        for following, (unset, is_set) in ways:
            known = found.get(following, (0, 0))
            joined = known[0] | unset, known[1] | is_set
            if following in flow.instructions and (joined != known or following not in found):
                found[following] = joined
                pending.append(following)
    return found


def _resumptions(module: LoadedModule, method: MethodToken) -> tuple[dict[int, int], bool]:
    """Where the method goes on that an `await` leaves, by IL offsets; whether it may after each `ret`: an iterator."""
    info = async_info(module, method)
    if info is None:
        return {}, True
    assert module.metadata is not None
    fields = module.metadata.fields_of(module.metadata.method(method).declaring_type)
    is_iterator = any(field.name == _OF_ITERATORS for field in fields)
    return {one.yield_offset: one.resume_offset for one in info.awaits}, is_iterator


_SLOTS = ModuleMemo("local slots that may have a value, and none", _slots, _MOST_METHODS)
