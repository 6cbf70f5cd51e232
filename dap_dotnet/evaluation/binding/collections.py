"""Collection expressions: `[1, 2, ..xs]` (C# specification, collection expressions of C# 12)."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.creation import MOST_ITEMS, create, create_array
from dap_dotnet.evaluation.operations.sequences import inner_sequence, plain
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type

_GENERIC = "System.Collections.Generic."
_LIST = _GENERIC + "List`1"
_ARRAYS = frozenset(_GENERIC + name for name in ("IEnumerable`1", "IReadOnlyCollection`1", "IReadOnlyList`1"))
_LISTS = frozenset({_LIST, _GENERIC + "ICollection`1", _GENERIC + "IList`1"})
_MADE_OF_SEQUENCES = frozenset(_GENERIC + name for name in ("HashSet`1", "Queue`1", "Stack`1", "LinkedList`1"))


def bind_collection(binder: NameBinder, node: syntax.Collection, kind: Type) -> Bound:
    """A collection expression of the type of its target. CS9174 for types that are not made so here."""
    element = kind.element if kind.kind is Kind.ARRAY and kind.rank <= 1 else None
    if kind.full_name in _ARRAYS | _LISTS | _MADE_OF_SEQUENCES:
        element = kind.arguments[0]
    if element is None:
        raise EvaluationError(
            f"error CS9174: Cannot initialize type '{kind.name}' with a collection expression because the type is not "
            "constructible"
        )
    wanted = element
    items = [
        (binder.expression(item.value) if item.is_spread else binder.typed(item.value, wanted), item.is_spread)
        for item in node.items
    ]

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            for bound, is_spread in items:
                operand = bound.run(env)
                if not is_spread:
                    env.live.append(operand)
                    continue
                for one in inner_sequence(env, operand).elements(env):
                    env.live.append(plain(env, one))
                    if len(env.live) - before > MOST_ITEMS:
                        raise EvaluationError(f"A collection of more than {MOST_ITEMS} elements is not made here")
            constants = [bound.constant for bound, _ in items] if not any(spread for _, spread in items) else ()
            array = create_array(env, wanted, env.live[before:], constants)
            if kind.kind is Kind.ARRAY or kind.full_name in _ARRAYS:
                return array
            env.live.append(array)
            made = env.universe.named(_LIST, (wanted,)) if kind.full_name in _LISTS else kind
            if made is None:
                raise EvaluationError("The program has not loaded List<T>")
            return create(env, made, Given([array]))
        finally:
            del env.live[before:]

    return Bound(run, kind)
