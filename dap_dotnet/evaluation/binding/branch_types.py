"""The types of branches that are not evaluated: `c ? 1 : M()` is what M returns, also where it is 1."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.static_types import as_branch
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Operand, Type

_MOST_KNOWN = 64
Key = tuple[tuple[str, Type], ...]
"""The types of the variables of the expression around the branches."""


class Branches:
    """The branches of an expression that evaluates one of them."""

    def __init__(self, binder: NameBinder, nodes: Sequence[syntax.Node], bound: Sequence[Bound]) -> None:
        self._types = [one.type for one in bound]
        self._sources = [
            binder.for_program(syntax.Lambda((), node))
            if one.type is None and not isinstance(node, syntax.Throw)
            else None
            for node, one in zip(nodes, bound, strict=True)
        ]
        self._known: dict[Key, list[Type | None]] = {}

    def converted(self, env: Environment, result: Operand) -> Operand:
        """What the chosen branch gave, in the type that all have in common."""
        return as_branch(env, result, self._kinds(env))

    def _kinds(self, env: Environment) -> list[Type | None]:
        """The type of each branch; None where it cannot be known without evaluating it."""
        if not any(self._sources):
            return self._types
        key = tuple((name, operand.type) for name, operand in env.slots.items())
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = [self._kind(env, number) for number in range(len(self._types))]
        return found

    def _kind(self, env: Environment, number: int) -> Type | None:
        source = self._sources[number]
        if source is None:
            return self._types[number]
        try:
            return source(env).result_type(())
        except EvaluationError:
            return None
