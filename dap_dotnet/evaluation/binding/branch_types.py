"""The types of what is not evaluated: `c ? 1 : M()` is what M returns also where it is 1 (C# specification 12.18)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.binding.static_types import as_branch, natural_type
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.shown_types import seen_as
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type

_MOST_KNOWN = 64
_PLAIN = frozenset({Kind.BOOL, Kind.NUMBER, Kind.STRING, Kind.ENUM, Kind.NULLABLE, Kind.STRUCT, Kind.CLASS, Kind.ARRAY})
Key = tuple[tuple[str, Type], ...]
"""The types of the variables of the expression around a node."""


class ShownType:
    """The type of a node as its source shows it, or of what a lambda gives; it is worked out when it is asked for."""

    def __init__(self, binder: NameBinder, node: syntax.Node) -> None:
        function = node if isinstance(node, syntax.Lambda) else syntax.Lambda((), node)
        self._source = binder.for_program(function)
        self._parameters = [name for name in function.parameters if isinstance(name, str)]
        self._known: dict[Key, Type | None] = {}

    def find(self, env: Environment) -> Type | None:
        """The type, by those of the variables of the expression; None where the source alone does not show it."""
        key = tuple((name, operand.type) for name, operand in env.slots.items())
        is_plain = all(kind.kind in _PLAIN for _, kind in key)
        if not is_plain or key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._found(env)
        return self._known[key]

    def _found(self, env: Environment) -> Type | None:
        outer = env.slots
        try:
            env.slots = {name: seen_as(env, operand) for name, operand in outer.items()}
            return self._source(env).result_type([env.slots[name].type for name in self._parameters])
        except EvaluationError:
            return None
        finally:
            env.slots = outer


class Branches:
    """The branches of an expression that evaluates one of them."""

    def __init__(self, binder: NameBinder, nodes: Sequence[syntax.Node], bound: Sequence[Bound]) -> None:
        self._bound = bound
        self._types = [
            ShownType(binder, node) if one.type is None else None for node, one in zip(nodes, bound, strict=True)
        ]
        self._known: dict[tuple[int, Type, tuple[Type, ...]], tuple[Type | None, list[Type | None]]] = {}
        self._thrown = [isinstance(node, syntax.Throw) for node in nodes]

    def converted(self, env: Environment, result: Operand, number: int = -1) -> Operand:
        """What a branch gave, in the type that all have in common; -1: it is none of these."""
        slots = tuple([operand.type for operand in env.slots.values()])
        key = (number, result.type, slots)
        found = self._known.get(key)
        if found is None:
            found = self._common(env, result.type, number)
            if all(kind.kind in _PLAIN for kind in slots) and len(self._known) < _MOST_KNOWN:
                self._known[key] = found
        common, kinds = found
        if common is result.type:
            return result
        if common is None:
            return as_branch(env, result, kinds)
        return convert_implicitly(env, result, common, self._bound[number].constant if number >= 0 else None)

    def _common(self, env: Environment, given: Type, number: int) -> tuple[Type | None, list[Type | None]]:
        """(the type that the branches have in common, the type of each); None where that is not known."""
        kinds, seen = list[Type | None](), list[Bound]()
        for place, (one, shown) in enumerate(zip(self._bound, self._types, strict=True)):
            if self._thrown[place]:
                continue
            kind = given if place == number and one.type is None else one.type
            kinds.append(shown.find(env) if kind is None and shown is not None else kind)
            seen.append(structs.replace(one, type=kinds[-1]))
        if number < 0:
            seen.append(structs.replace(self._bound[0], type=given, constant=None))
        is_known = given.kind in _PLAIN and None not in kinds
        return (natural_type(env.universe, seen) if is_known else None), kinds
