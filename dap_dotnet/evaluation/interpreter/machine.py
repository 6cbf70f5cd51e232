"""Interprets methods that only read, so that a property costs reads instead of a call into the program.

A stack machine over operands (ECMA-335 III). Nothing of the program is ever written: whatever would write, allocate,
throw or do something unknown ends the interpretation with `NotInterpretable`, and the caller may make a real call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.interpreter.code import Code, NotInterpretable, code_of
from dap_dotnet.evaluation.interpreter.intrinsics import intrinsic
from dap_dotnet.evaluation.interpreter.stack_values import Address, default, in_program, on_stack, reference, typed
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand

MAX_STEPS = 20_000
MAX_DEPTH = 24
_ASKS_EACH = 256
"""Steps between two questions whether the evaluation is still wanted."""


class Machine:
    """One interpretation: its instructions, and how many steps it may still take."""

    def __init__(self, env: Environment, instructions: Mapping[str, Instruction]) -> None:
        self.env = env
        self.instructions = instructions
        self.steps = MAX_STEPS
        self.depth = 0

    def run(self, method: ExactMethod, arguments: Sequence[Operand | Address]) -> Operand | Address:
        """The result of a method: where it is a variable (`ref`), its place. Raises `NotInterpretable`."""
        known = intrinsic(self.env, method, arguments)
        if known is not None:
            return known
        code = code_of(self.env, method)
        if self.depth >= MAX_DEPTH:
            raise NotInterpretable("calls too deep")
        if code.has_this and method.owner.is_reference:
            arguments = [_as_object(self.env, arguments[0]), *arguments[1:]]
        self.depth += 1
        try:
            return Activation(self, code, arguments).run()
        finally:
            self.depth -= 1


def _as_object(env: Environment, this: Operand | Address) -> Operand | Address:
    """The `this` of a method that a value type inherits: a box, for the stack would forget which type a number has."""
    if isinstance(this, Operand) and this.type.kind in (Kind.BOOL, Kind.NUMBER, Kind.ENUM):
        return boxed(env, this)
    return this


class Activation:
    """One activation of a method: arguments, locals and the stack."""

    __slots__ = ("arguments", "code", "env", "left_to", "locals", "machine", "next", "result", "stack")

    def __init__(self, machine: Machine, code: Code, arguments: Sequence[Operand | Address]) -> None:
        self.machine = machine
        self.env = machine.env
        self.code = code
        self.arguments: list[Operand | Address] = [
            in_program(argument) if declared.is_reference and isinstance(argument, Operand) else argument
            for argument, declared in zip(arguments, code.parameters, strict=False)
        ]
        self.locals: list[Operand | Address] = [default(declared.type) for declared in code.locals]
        self.stack: list[Operand | Address] = []
        self.next = 0
        self.left_to: list[int] = []
        """Where the `finally` that runs goes on at its end, then where that one does, from the last on."""
        self.result: Operand | Address | None = None

    def run(self) -> Operand | Address:
        """Until `ret`; the result."""
        self.run_until(frozenset())
        assert self.result is not None
        return self.result

    def run_until(self, ends: frozenset[int]) -> None:
        """Until an instruction by its number, which is not done, or to the end of the method."""
        code, machine, instructions = self.code, self.machine, self.machine.instructions
        while self.result is None and self.next not in ends:
            machine.steps -= 1
            if machine.steps < 0:
                raise NotInterpretable("too many steps")
            if not machine.steps % _ASKS_EACH:
                self.env.go_on()
            number = self.next
            instruction = instructions.get(code.names[number])
            if instruction is None:
                raise NotInterpretable(code.names[number])
            self.next = number + 1
            instruction(self, code.operands[number])

    def push(self, operand: Operand | Address) -> None:
        """Push a value as the stack has it: small integers widened."""
        self.stack.append(operand if isinstance(operand, Address) else on_stack(operand))

    def pop(self) -> Operand:
        """Pop a value; an address is followed."""
        try:
            top = self.stack.pop()
        except IndexError:
            raise _no_value() from None
        return top.target if isinstance(top, Address) else top

    def pop_direct(self) -> Operand:
        """Pop a value that is no address: what computes with addresses is not followed."""
        try:
            top = self.stack.pop()
        except IndexError:
            raise _no_value() from None
        if isinstance(top, Address):
            raise NotInterpretable("arithmetic on an address")
        return top

    def pop_any(self) -> Operand | Address:
        """Pop a value or an address as it is."""
        try:
            return self.stack.pop()
        except IndexError:
            raise _no_value() from None

    def top(self) -> Operand | Address:
        """What is on top of the stack, which stays there."""
        try:
            return self.stack[-1]
        except IndexError:
            raise _no_value() from None

    def pop_many(self, count: int) -> list[Operand | Address]:
        """Pop the arguments of a call, the first of them first."""
        before = len(self.stack) - count
        if before < 0:
            raise _no_value()
        popped = self.stack[before:]
        del self.stack[before:]
        return popped

    def jump(self, il_offset: int) -> None:
        """Go on at an IL offset."""
        self.next = self.code.index_of[il_offset]

    def finish(self) -> None:
        """`ret`."""
        kind = self.code.result.type
        if self.code.result.is_reference:
            self.result = reference(self.env, kind, self.pop_any())
            return
        if kind is types.VOID:
            self.result = Operand(types.VOID, None)
            return
        if kind is None and self.stack:
            self.result = self.pop()
            return
        if kind is None:
            raise NotInterpretable("a result of an unknown type")
        result = self.pop()
        if kind.is_reference and result.type.is_value_type:
            raise NotInterpretable("a number as an object")
        self.result = typed(kind, result)


def _no_value() -> NotInterpretable:
    return NotInterpretable("an instruction without its operands")


Instruction = Callable[[Activation, Any], None]
"""What an instruction does to the activation, given its operand (ECMA-335 III); raises `NotInterpretable`."""
