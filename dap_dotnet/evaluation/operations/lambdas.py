"""Lambdas: the adapter runs their bodies itself, with the parameters as variables of the expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import FunctionSource
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.element_names import renamed
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Parameter, Place
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.runtime.model import ElementType

UNASSIGNED = Type(Kind.VOID, ElementType.VOID, "unassigned")
"""The type of a variable that has no value yet."""


class Signature(Struct, frozen=True):
    """The types of a lambda. None: a parameter has its argument's, the result its body's; VOID: none."""

    parameters: tuple[Type | None, ...]
    result: Type | None
    names: tuple[tuple[str | None, ...] | None, ...] = ()
    """Of each parameter with a written type those of tuples' elements."""
    result_names: tuple[tuple[str | None, ...], ...] = ()
    """Those of the result, where its type is written."""


class Lambda:
    """The data of an operand of kind LAMBDA."""

    __slots__ = (
        "_at", "_body", "_captured", "_changes_parameters", "_has_rows", "_names", "_signature", "needs_program",
        "source",
    )  # fmt: skip

    def __init__(
        self,
        names: tuple[Parameter, ...],
        body: Callable[[Environment], Operand],
        captured: Mapping[str, Operand],
        signature: Signature | None = None,
        *,
        changes_parameters: bool = False,
        source: FunctionSource | None = None,
        needs_program: bool = False,
        at: Place = NOWHERE,
    ) -> None:
        """`captured`: the variables around it, in flight. `changes_parameters`: the body may assign to them.

        `source`: what the program can be given a delegate of. `needs_program`: only the program can run it. `at` is
        the place of the body.
        """
        self._at = at
        self._names = names
        self._has_rows = not all(isinstance(name, str) for name in names)
        self._body = body
        self._captured = captured
        self._signature = signature
        self._changes_parameters = changes_parameters
        self.source = source
        self.needs_program = needs_program

    @property
    def count(self) -> int:
        """How many parameters it has."""
        return len(self._names)

    def typed(self, signature: Signature) -> Lambda:
        """The lambda as a delegate of a type."""
        return Lambda(
            self._names,
            self._body,
            self._captured,
            signature,
            changes_parameters=self._changes_parameters,
            source=self.source,
            needs_program=self.needs_program,
            at=self._at,
        )

    def invoke(self, env: Environment, *arguments: Operand) -> Operand:
        """The value of the body. The parameters hide variables of the same names. CS1593."""
        if len(arguments) != len(self._names):
            raise Diagnostic("CS1593 lambda", len(arguments), len(self._names))
        env.step()
        if self._signature is not None:
            return self._invoke_typed(env, arguments, self._signature)
        return self._run(env, arguments)

    def _run(self, env: Environment, arguments: tuple[Operand, ...]) -> Operand:
        slots = env.slots
        if self._changes_parameters:
            arguments = tuple(Operand(one.type, one.data, one.value, one.names) for one in arguments)
        given = self._named(arguments)
        if not slots and not self._captured:
            slots.update(given)
            try:
                return self._body(env)
            finally:
                slots.clear()
        outer, before = slots.copy(), len(env.live)
        if self._changes_parameters:
            env.live.extend(outer.values())  # its own variables may hide them while the program runs
        slots.update(self._captured)
        slots.update(given)
        try:
            return self._body(env)
        finally:
            del env.live[before:]
            slots.clear()
            slots.update(outer)

    def _invoke_typed(self, env: Environment, arguments: tuple[Operand, ...], signature: Signature) -> Operand:
        """With arguments and result converted."""
        env.turn()
        before = len(env.live)
        try:
            for number, argument in enumerate(arguments):
                wanted = signature.parameters[number] if signature.parameters else None
                given = convert_implicitly(env, argument, wanted) if wanted is not None else argument
                names = signature.names[number] if signature.names else None
                env.live.append(renamed(given, wanted, names) if wanted is not None and names is not None else given)
            result = self._run(env, tuple(env.live[before:]))
        finally:
            del env.live[before:]
        is_plain = not signature.result_names or signature.result is None
        if signature.result is None or (result.type is signature.result and is_plain):
            return result
        if signature.result is types.VOID:
            return Operand(types.VOID, None)
        try:
            made = convert_implicitly(env, result, signature.result)
            return renamed(made, signature.result, signature.result_names[0]) if signature.result_names else made
        except EvaluationError as error:
            error.trail.append(self._at)
            raise

    def _named(self, arguments: tuple[Operand, ...]) -> Iterable[tuple[str, Operand]]:
        """The variables of the body: the arguments, and the elements of those that are rows."""
        if not self._has_rows:
            return zip(cast("tuple[str, ...]", self._names), arguments, strict=True)
        given: list[tuple[str, Operand]] = []
        for name, argument in zip(self._names, arguments, strict=True):
            given += [(name, argument)] if isinstance(name, str) else zip(name, argument.data, strict=True)
        return given

    def test(self, env: Environment, *arguments: Operand) -> bool:
        """The truth of the body. CS0029 where it is no bool."""
        result = self.invoke(env, *arguments)
        if result.type is not types.BOOL:
            error = Diagnostic("CS0029", result.type.name, types.BOOL.name)
            error.trail.append(self._at)
            raise error
        return bool(result.data)
