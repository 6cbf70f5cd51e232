"""Collection expressions: `[1, 2, ..xs]` (C# specification, collection expressions of C# 12)."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.interpolated_strings import bind_interpolated
from dap_dotnet.evaluation.binding.method_groups import bind_argument
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.creation import MOST_ITEMS, create, create_array
from dap_dotnet.evaluation.operations.sequences import inner_sequence, plain
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import ARRAYS, LIST, LISTS, SPANS, element_of
from dap_dotnet.evaluation.types.csharp_types import Elements, Kind, Operand, Type


def bind_collection(binder: NameBinder, node: syntax.Collection, kind: Type) -> Bound:
    """A collection expression of the type of its target. CS9174 for types that are not made so here."""
    element = element_of(kind)
    if element is None or kind.full_name in SPANS:
        raise Diagnostic("CS9174", kind.name)
    wanted = element
    items = [
        (binder.expression(item.value) if item.is_spread else binder.typed(item.value, wanted), item.is_spread)
        for item in node.items
    ]

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            _add_elements(env, items)
            constants = [bound.constant for bound, _ in items] if not any(spread for _, spread in items) else ()
            array = create_array(env, wanted, env.live[before:], constants)
            if kind.kind is Kind.ARRAY or kind.full_name in ARRAYS:
                return array
            env.live.append(array)
            made = env.universe.named(LIST, (wanted,)) if kind.full_name in LISTS else kind
            if made is None:
                raise EvaluationError("The program has not loaded List<T>")
            return create(env, made, Given([array]))
        finally:
            del env.live[before:]

    return Bound(run, kind)


def bind_argument_collection(binder: NameBinder, node: syntax.Collection) -> Bound:
    """A collection expression as an argument: its elements, until the method and so its type is known."""
    items = [(bind_passed(binder, item.value), item.is_spread) for item in node.items]
    constants = () if any(spread for _, spread in items) else tuple(bound.constant for bound, _ in items)

    def run(env: Environment) -> Operand:
        before = len(env.live)
        try:
            _add_elements(env, items)
            made = Elements(env.live[before:])
        finally:
            del env.live[before:]
        made.constants = constants
        return Operand(types.COLLECTION, made)

    return Bound(run, types.COLLECTION)


def bind_passed(binder: NameBinder, node: syntax.Node) -> Bound:
    """An argument: a value, a group of methods, a collection expression, or an interpolated string of either type."""
    if isinstance(node, syntax.Collection):
        return bind_argument_collection(binder, node)
    if isinstance(node, syntax.Interpolated):
        return bind_interpolated(binder, node, is_target_typed=True)
    return bind_argument(binder, node)


def _add_elements(env: Environment, items: list[tuple[Bound, bool]]) -> None:
    """Put the elements in flight; `items`: which of them are spread."""
    before = len(env.live)
    for bound, is_spread in items:
        operand = bound.run(env)
        if not is_spread:
            env.live.append(operand)
            continue
        for one in inner_sequence(env, operand).elements(env):
            env.live.append(plain(env, one))
            if len(env.live) - before > MOST_ITEMS:
                raise EvaluationError(f"A collection of more than {MOST_ITEMS} elements cannot be created here")
