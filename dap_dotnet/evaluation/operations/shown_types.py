"""Values of the expression as the source sees them, for what asks for their types alone."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.anonymous_objects import natural_kind
from dap_dotnet.evaluation.operations.sequences import Sequence
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type

_ENUMERABLE, _GROUPING = "System.Collections.Generic.IEnumerable`1", "System.Linq.IGrouping`2"


def seen_as(env: Environment, operand: Operand) -> Operand:
    """An operand of the type that C# gives it: pairs, tuples, anonymous objects, queries and groups; others as is."""
    if operand.type is types.PAIR:
        return Operand(operand.data[2], None)
    if operand.type.kind is Kind.TUPLE:
        kind = natural_kind(env, operand)
        return Operand(kind, None, None, operand.names) if kind is not None else operand
    if isinstance(operand.data, Sequence):
        kind = _type_of_sequence(env, operand.data)
        return Operand(kind, None) if kind is not None else operand
    return operand


def _type_of_sequence(env: Environment, sequence: Sequence) -> Type | None:
    element = sequence.shown_element()
    if element is None:
        first = next(sequence.elements(env), None)
        element = seen_as(env, first).type if first is not None else None
    if element is None:
        return None
    if sequence.key is not None:
        return env.universe.named(_GROUPING, (seen_as(env, sequence.key).type, element))
    return env.universe.named(_ENUMERABLE, (element,))
