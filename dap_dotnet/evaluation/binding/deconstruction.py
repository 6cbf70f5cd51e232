"""Taking a value apart: tuples, pairs, and what has a method Deconstruct (C# specification 12.7)."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.operator_chains import tuple_items
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.methods_by_name import choose_method
from dap_dotnet.evaluation.operations.overloads import Given
from dap_dotnet.evaluation.operations.reflected_calls import run_reflected
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import diagnostics
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.tuple_names import is_tuple


def taken_apart(env: Environment, operand: Operand, count: int) -> list[Operand]:
    """The parts of a value, which is in flight. CS8129, CS8132 where it has not so many."""
    if operand.type is types.PAIR:
        items = list(operand.data[:2])
    elif operand.type.kind is Kind.TUPLE or is_tuple(operand.type):
        items = list(tuple_items(env, operand))
    else:
        return _deconstructed(env, operand, count)
    if len(items) != count:
        raise EvaluationError(
            f"error CS8132: Cannot deconstruct a tuple of '{len(items)}' elements into '{count}' variables"
        )
    return items


def _deconstructed(env: Environment, operand: Operand, count: int) -> list[Operand]:
    if operand.data is None:
        raise diagnostics.null_reference("the value that is taken apart")
    places = [Operand(types.NULL, None) for _ in range(count)]
    given = Given(places, [None] * count, (), [None] * count, frozenset(range(count)))
    found = choose_method(env, operand, operand.type, "Deconstruct", given)
    if found is None:
        raise EvaluationError(
            f"error CS8129: No suitable 'Deconstruct' instance was found for type '{operand.type.name}', with {count} "
            "out parameters"
        )
    return list(run_reflected(env, *found)[1])
