"""Bodies of methods, decoded once and kept with their module."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.tokens import Declared, ILScope
from dap_dotnet.evaluation.types.csharp_types import ExactMethod
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

if TYPE_CHECKING:
    from portablepdb.instructions import Instruction

_FINALLY = 2
"""II.25.4.6."""
_OF_PARAMETERS = frozenset({"ldarg", "ldarga", "starg"})
_OF_LOCALS = frozenset({"ldloc", "ldloca", "stloc"})
_LAST = frozenset({"ret", "throw", "rethrow", "br", "br.s", "leave", "leave.s", "endfinally", "endfilter", "jmp"})
"""After these control does not go on with the next instruction."""


class NotInterpretable(Exception):
    """The method does what only running it can do."""


class Code(Struct, frozen=True):
    """A method's body, decoded once."""

    scope: ILScope
    names: tuple[str, ...]
    operands: tuple[Any, ...]
    index_of: dict[int, int]
    """The number of an instruction by its IL offset."""
    locals: tuple[Declared, ...]
    result: Declared
    parameters: tuple[Declared, ...]
    """`this` first, where there is one: by reference in a value type."""
    has_this: bool
    finallies: tuple[tuple[int, int, int], ...]
    """Of each `finally`, inner ones first: the numbers of the first instruction in its `try`, of the one after, and of
    its own first."""


_BODIES: CacheSlot[dict[ExactMethod, Code | None]] = CacheSlot("decoded bodies by method", lambda _: {})


def code_of(env: Environment, method: ExactMethod) -> Code:
    """The decoded body of a method; kept with its module. Raises `NotInterpretable` when it has no sound one."""
    module = env.universe.module_of(method.owner)
    if module is None or module.metadata is None:
        raise NotInterpretable("no metadata")
    cache = module.cached(_BODIES)
    if method not in cache:
        cache[method] = _decode(env, module, method)
    found = cache[method]
    if found is None:
        raise NotInterpretable("no sound IL")
    return found


def _decode(env: Environment, module: LoadedModule, method: ExactMethod) -> Code | None:
    from portablepdb import PortablePdbError
    from portablepdb.signatures import decode_locals

    metadata = module.metadata
    assert metadata is not None
    try:
        own = metadata.method(method.token)
        body = own.body
        if body is None:
            return None
        scope = ILScope(env.universe, module, method)
        decoded = list(body.instructions())
        signature = own.signature
        local_types: tuple[Declared, ...] = ()
        if body.local_signature is not None:
            row = metadata.image.table(0x11).row(body.local_signature & 0xFFFFFF)
            local_types = tuple(scope.declared(entry) for entry in decode_locals(metadata.blob(row.signature)))
    except PortablePdbError:
        return None
    parameters = [scope.declared(entry) for entry in signature.parameters]
    if signature.has_this:
        parameters.insert(0, Declared(method.owner, method.owner.is_value_type))
    index_of = {entry.offset: number for number, entry in enumerate(decoded)}
    clauses = [clause for clause in body.exception_clauses if clause.kind == _FINALLY]
    if not all(clause.try_offset in index_of and clause.handler_offset in index_of for clause in clauses):
        return None
    if not _is_sound(decoded, index_of, len(parameters), len(local_types)):
        return None
    return Code(
        scope,
        tuple(entry.opcode.name for entry in decoded),
        tuple(entry.operand for entry in decoded),
        index_of,
        local_types,
        scope.declared(signature.return_type),
        tuple(parameters),
        signature.has_this,
        tuple(
            (
                index_of[clause.try_offset],
                index_of.get(clause.try_offset + clause.try_length, len(decoded)),
                index_of[clause.handler_offset],
            )
            for clause in clauses
        ),
    )


def _is_sound(decoded: Sequence[Instruction], index_of: Container[object], parameters: int, local_count: int) -> bool:
    """Whether branches lead to instructions, the variables are declared, and control does not leave at the end.

    What the machine then need not ask at each step.
    """
    from portablepdb.opcodes import Operand

    for entry in decoded:
        kind, operand = entry.opcode.operand, entry.operand
        targets = operand if kind is Operand.SWITCH and isinstance(operand, tuple) else (operand,)
        if kind in (Operand.TARGET8, Operand.TARGET32, Operand.SWITCH) and not all(one in index_of for one in targets):
            return False
        stem, _, fixed = entry.opcode.name.partition(".")
        count = parameters if stem in _OF_PARAMETERS else local_count if stem in _OF_LOCALS else None
        index = int(fixed) if fixed.isdecimal() else operand
        if count is not None and not (isinstance(index, int) and index < count):
            return False
    return bool(decoded) and decoded[-1].opcode.name in _LAST
