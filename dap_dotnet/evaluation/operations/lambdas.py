"""Lambdas: the adapter runs their bodies itself, with the parameters as variables of the expression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import cast

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax.tree import Parameter
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import diagnostics
from dap_dotnet.evaluation.types.csharp_types import Operand


class Lambda:
    """The data of an operand of kind LAMBDA."""

    __slots__ = ("_body", "_captured", "_has_rows", "_names")

    def __init__(
        self, names: tuple[Parameter, ...], body: Callable[[Environment], Operand], captured: Mapping[str, Operand]
    ) -> None:
        """`captured`: the parameters of lambdas around it, which are in flight."""
        self._names = names
        self._has_rows = not all(isinstance(name, str) for name in names)
        self._body = body
        self._captured = captured

    @property
    def count(self) -> int:
        """How many parameters it has."""
        return len(self._names)

    def invoke(self, env: Environment, *arguments: Operand) -> Operand:
        """The value of the body. The parameters hide variables of the same names. CS1593."""
        if len(arguments) != len(self._names):
            raise EvaluationError(
                f"error CS1593: The delegate takes {len(arguments)} arguments, and the lambda {len(self._names)}"
            )
        slots, given = env.slots, self._named(arguments)
        if not slots and not self._captured:
            slots.update(given)
            try:
                return self._body(env)
            finally:
                slots.clear()
        outer = slots.copy()
        slots.update(self._captured)
        slots.update(given)
        try:
            return self._body(env)
        finally:
            slots.clear()
            slots.update(outer)

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
            raise diagnostics.no_conversion(result.type, types.BOOL)
        return bool(result.data)
