"""Interprets methods that only read, so that a property costs reads instead of a call into the program.

A stack machine over operands (ECMA-335 III). Nothing of the program is ever written: whatever would write, allocate,
throw or do something unknown ends the interpretation with `NotInterpretable`, and the caller may make a real call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.stack_values import Address, on_stack, typed, zero
from dap_dotnet.evaluation.interpreter.tokens import ILScope
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Operand, Type
from dap_dotnet.symbols.modules import LoadedModule

MAX_STEPS = 20_000
MAX_DEPTH = 24


class NotInterpretable(Exception):
    """The method does what only running it can do."""


class Code(Struct, frozen=True):
    """A method's body, decoded once."""

    scope: ILScope
    names: tuple[str, ...]
    operands: tuple[Any, ...]
    index_of: dict[int, int]
    """The number of an instruction by its IL offset."""
    locals: tuple[Type | None, ...]
    result: Type | None
    parameters: tuple[Type | None, ...]
    has_this: bool
    has_handlers: bool


class Machine:
    """One interpretation: how many steps it may still take."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.steps = MAX_STEPS
        self.depth = 0

    def run(self, method: ExactMethod, arguments: Sequence[Operand | Address]) -> Operand:
        """The result of a method. Raises `NotInterpretable`."""
        from dap_dotnet.evaluation.interpreter.intrinsics import intrinsic

        known = intrinsic(self, method, arguments)
        if known is not None:
            return known
        code = code_of(self.env, method)
        if self.depth >= MAX_DEPTH:
            raise NotInterpretable("calls too deep")
        self.depth += 1
        try:
            return Activation(self, code, arguments).run()
        finally:
            self.depth -= 1


def interpret(env: Environment, method: ExactMethod, arguments: Sequence[Operand]) -> Operand:
    """The result of a method that only reads; `this` is the first argument where there is one.

    Raises `NotInterpretable` for all others, and when something could not be read. Bounded in steps and depth.
    """
    try:
        return Machine(env).run(method, list(arguments))
    except EvaluationError as error:
        raise NotInterpretable(error.message) from error
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise NotInterpretable(f"IL that is not verifiable: {error!r}") from error


def code_of(env: Environment, method: ExactMethod) -> Code:
    """The decoded body of a method; kept with its module. Raises `NotInterpretable` when it has none."""
    definition = env.universe.definition_of(method.owner)
    module = env.universe.modules.get(definition[0]) if definition is not None else None
    if module is None or module.metadata is None:
        raise NotInterpretable("no metadata")
    cache: dict[ExactMethod, Code | None] = module.__dict__.setdefault("_decoded_il", {})
    if method not in cache:
        cache[method] = _decode(env, module, method)
    found = cache[method]
    if found is None:
        raise NotInterpretable("no IL")
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
        local_types: tuple[Type | None, ...] = ()
        if body.local_signature is not None:
            row = metadata.image.table(0x11).row(body.local_signature & 0xFFFFFF)
            local_types = tuple(scope.signature(entry) for entry in decode_locals(metadata.blob(row.signature)))
    except PortablePdbError:
        return None
    parameters = [scope.signature(entry) for entry in signature.parameters]
    return Code(
        scope,
        tuple(entry.opcode.name for entry in decoded),
        tuple(entry.operand for entry in decoded),
        {entry.offset: number for number, entry in enumerate(decoded)},
        local_types,
        scope.signature(signature.return_type),
        tuple([method.owner, *parameters] if signature.has_this else parameters),
        signature.has_this,
        any(clause.kind in (2, 4) for clause in body.exception_clauses),
    )


class Activation:
    """One activation of a method: arguments, locals and the stack."""

    __slots__ = ("arguments", "code", "env", "locals", "machine", "next", "result", "stack")

    def __init__(self, machine: Machine, code: Code, arguments: Sequence[Operand | Address]) -> None:
        self.machine = machine
        self.env = machine.env
        self.code = code
        self.arguments: list[Operand | Address] = list(arguments)
        self.locals: list[Operand | Address] = [zero(kind) for kind in code.locals]
        self.stack: list[Operand | Address] = []
        self.next = 0
        self.result: Operand | None = None

    def run(self) -> Operand:
        """Until `ret`."""
        from dap_dotnet.evaluation.interpreter.instructions import HANDLERS

        code, machine = self.code, self.machine
        while self.result is None:
            machine.steps -= 1
            if machine.steps < 0:
                raise NotInterpretable("too many steps")
            number = self.next
            handler = HANDLERS.get(code.names[number])
            if handler is None:
                raise NotInterpretable(code.names[number])
            self.next = number + 1
            handler(self, code.operands[number])
        return self.result

    def push(self, operand: Operand | Address) -> None:
        """Push a value as the stack has it: small integers widened."""
        self.stack.append(operand if isinstance(operand, Address) else on_stack(operand))

    def pop(self) -> Operand:
        """Pop a value; an address is followed."""
        top = self.stack.pop()
        while isinstance(top, Address):
            top = top.slots[top.index]
        return top

    def jump(self, il_offset: int) -> None:
        """Go on at an IL offset."""
        self.next = self.code.index_of[il_offset]

    def finish(self) -> None:
        """`ret`."""
        kind = self.code.result
        if kind is types.VOID:
            self.result = Operand(types.VOID, None)
            return
        if kind is None and self.stack:
            self.result = self.pop()
            return
        assert kind is not None
        self.result = typed(self.env, kind, self.pop())
