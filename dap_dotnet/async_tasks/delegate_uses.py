"""What a program does with a task, or a parallel loop, that runs one of its delegates: read from the IL around. Pure.

The runtime does not say at a throw who will take the exception of a task that nobody awaits yet. The instructions do,
most often: `await Task.Run(() => …)` awaits in the statement that makes the delegate.
"""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.calls import called_name, may_drop_exceptions
from dap_dotnet.symbols.damage import if_damaged
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction

_STARTS = ("Task.Run", "Task.ContinueWith", "TaskFactory.StartNew")
_PARALLEL = ("Parallel.For", "Parallel.ForEach", "Parallel.Invoke")
_QUERY = "ParallelEnumerable."
_JOINS = ("Task.WhenAll", "Task.WaitAll")
_WAITS = ("Task.Wait", "Task.Result")
_USES = ("call", "callvirt", "ldftn")
_CALLS = ("call", "callvirt", "newobj")
_ARGUMENTS = re.compile(r"<[^<>]*>")
_METHOD_DEF = 0x06
_FIELD_DEF = 0x04
_HOISTED = re.compile(r"<\w+>5__")
"""A local of an async method, as a field of its state machine."""
_FARTHEST = 40
"""Instructions between a delegate and the call that it is made for."""
_MOST_RETURNS = 3
_MOST_INSTRUCTIONS = 200_000
_MOST_METHODS = 200


class Outcome(enum.Enum):
    """Where the exception of a delegate comes out."""

    AWAITED = "awaited"
    """As it is, in the statement that has started it."""
    WAITED = "waited for"
    """In that statement, within an AggregateException."""
    KEPT = "kept"
    """The task is kept or handed over, or it is a parallel query: where that is awaited, waited for or enumerated."""
    DROPPED = "dropped"
    """Nowhere: the statement drops the task."""


class DelegateUse(Struct, frozen=True):
    """A place in a method of the same module; `il_offset` is that of the call that starts the delegate."""

    method: MethodToken
    il_offset: int
    outcome: Outcome


def delegate_uses(module: LoadedModule, method: MethodToken) -> Sequence[DelegateUse]:
    """Where a method's class, with those around and within it, starts the method in a task or in parallel.

    Empty where it does so nowhere, or in a way that is not known.
    """
    return _USES_OF(module, method)


@if_damaged([])
def _find(module: LoadedModule, method: MethodToken) -> Sequence[DelegateUse]:

    return list(_of(module, method, ("ldftn",), _MOST_RETURNS))


_USES_OF = ModuleMemo("uses of delegates by method", _find, _MOST_METHODS)


def _of(module: LoadedModule, method: MethodToken, opcodes: Sequence[str], returns: int) -> Iterator[DelegateUse]:
    for user, body, number in _sites(module, method, opcodes):
        starting = _starting_call(module, user, body, number)
        if starting is None:
            continue
        at, name = starting
        offset = body[at].offset
        if name in _PARALLEL or name == "Task.WaitAll":
            yield DelegateUse(user, offset, Outcome.WAITED)
        elif name.startswith(_QUERY):
            yield DelegateUse(user, offset, Outcome.KEPT)
        elif _is_returned(body, at):
            users = list(_of(module, user, _USES, returns - 1)) if returns else []
            yield from users or [DelegateUse(user, offset, Outcome.KEPT)]
        else:
            yield DelegateUse(user, offset, _outcome(module, body, at))


def _sites(
    module: LoadedModule, method: MethodToken, opcodes: Sequence[str]
) -> Iterator[tuple[MethodToken, list[Instruction], int]]:
    """(method, its instructions, the number of the one that calls `method` or makes a delegate of it)."""
    metadata = module.metadata
    if metadata is None:
        return
    owner = metadata.declaring_type(method)
    while (around := metadata.enclosing_type(owner.token)) is not None:
        owner = around
    types, seen = [owner], 0
    while types:
        one = types.pop()
        types += metadata.nested_types(one.token)
        for candidate in metadata.methods_of(one.token):
            decoded = metadata.method_body(candidate.token)
            body = list(decoded.instructions()) if decoded is not None else []
            seen += len(body)
            if seen > _MOST_INSTRUCTIONS:
                return
            for number, instruction in enumerate(body):
                if instruction.opcode.name in opcodes and _is_of(module, instruction.operand, method):
                    yield MethodToken(candidate.token), body, number


def _is_of(module: LoadedModule, token: object, method: MethodToken) -> bool:
    if token == method or not isinstance(token, int) or token >> 24 == _METHOD_DEF:
        return token == method
    assert module.metadata is not None
    plain = _without_arguments(module.metadata.display(method).partition("(")[0])
    return _without_arguments(module.metadata.display(token).partition("(")[0]) == plain


def _starting_call(
    module: LoadedModule, user: MethodToken, body: Sequence[Instruction], number: int
) -> tuple[int, str] | None:
    """(number, `Type.Method`) of the call that a delegate is for; of the call of a method that gives a task, itself."""
    if body[number].opcode.name != "ldftn":
        return number, ""
    end = _end_of_statement(module, user, body[number].offset)
    for at in range(number + 1, min(number + _FARTHEST, len(body))):
        if body[at].offset >= end:
            return None
        name = _name_of_call(module, body[at])
        if name in _STARTS or name in _PARALLEL or name in _JOINS or name.startswith(_QUERY):
            return at, name
        if body[at].opcode.name == "ret":
            return None
    return None


def _end_of_statement(module: LoadedModule, method: MethodToken, il_offset: int) -> int:
    points = module.pdb.sequence_points(method) if module.pdb is not None else ()
    later = [one.il_offset for one in points if not one.is_hidden and one.il_offset > il_offset]
    return min(later, default=sys.maxsize)


def _outcome(module: LoadedModule, body: Sequence[Instruction], at: int) -> Outcome:
    """What becomes of the task that a call has left on the stack."""
    after = [one for one in body[at + 1 : at + _FARTHEST] if one.opcode.name != "nop"]
    if after and after[0].opcode.name == "pop":
        return Outcome.DROPPED
    if after and _is_stored_for_good(module, body, after[0]):
        return Outcome.DROPPED
    call = next((one for one in after if one.opcode.name in _CALLS), None)
    if call is None or _is_store(after[0]):
        return Outcome.KEPT
    name = _name_of_call(module, call)
    if name in _WAITS:
        return Outcome.WAITED
    is_awaited = name.endswith((".GetAwaiter", ".ConfigureAwait"))
    may_drop = isinstance(call.operand, int) and may_drop_exceptions(module, call.operand)
    return Outcome.AWAITED if is_awaited and not may_drop else Outcome.KEPT


def _is_store(instruction: Instruction) -> bool:
    return instruction.opcode.name.startswith(("stloc", "stfld", "stsfld", "starg", "stelem"))


def _local(instruction: Instruction, kind: str) -> int | None:
    """The local that an instruction of a kind (`stloc`) is for."""
    name, _, number = instruction.opcode.name.partition(".")
    if name != kind:
        return None
    return int(number) if number.isdigit() else instruction.operand if isinstance(instruction.operand, int) else None


def _is_stored_for_good(module: LoadedModule, body: Sequence[Instruction], instruction: Instruction) -> bool:
    """Whether it stores into a variable of the method that the method does not read: a local, or a hoisted one."""
    stored = _local(instruction, "stloc")
    if stored is not None:
        return all(stored not in (_local(one, "ldloc"), _local(one, "ldloca")) for one in body)
    field = instruction.operand
    if instruction.opcode.name != "stfld" or not isinstance(field, int) or field >> 24 != _FIELD_DEF:
        return False
    assert module.metadata is not None
    is_hoisted = _HOISTED.match(module.metadata.field(field).name) is not None
    return is_hoisted and not any(one.operand == field and one.opcode.name in ("ldfld", "ldflda") for one in body)


def _is_returned(body: Sequence[Instruction], at: int) -> bool:
    """Whether a method returns what a call gives, also by way of a local, as unoptimised code does."""
    after = [one for one in body[at + 1 : at + 6] if not one.opcode.name.startswith(("nop", "br"))]
    if after and (stored := _local(after[0], "stloc")) is not None:
        after = after[2:] if len(after) > 1 and _local(after[1], "ldloc") == stored else []
    return bool(after) and after[0].opcode.name == "ret"


def _name_of_call(module: LoadedModule, instruction: Instruction) -> str:
    if instruction.opcode.name not in _CALLS or not isinstance(instruction.operand, int):
        return ""
    return _without_arguments(called_name(module, instruction.operand))


def _without_arguments(text: str) -> str:
    """A name without its type arguments, also nested ones."""
    while text != (shorter := _ARGUMENTS.sub("", text)):
        text = shorter
    return text
