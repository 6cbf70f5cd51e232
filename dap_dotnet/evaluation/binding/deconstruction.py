"""Taking a value apart: tuples, pairs, and what has a method Deconstruct (C# specification 12.7)."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.binding.binary_operators import tuple_items
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.methods_by_name import choose_method
from dap_dotnet.evaluation.operations.reflected_calls import run_reflected
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.tuple_names import is_tuple


def taken_apart(env: Environment, operand: Operand, count: int, names: Sequence[str | None] = ()) -> list[Operand]:
    """The parts of a value, which is in flight. CS8129, CS8132 where it has not so many.

    `names` are those that a pattern gives to parts, None for parts without one: CS8516, CS8517 where they have others.
    """
    if operand.type is types.PAIR:
        items = list(operand.data[:2])
        _check_parameters(names, ("key", "value"))
    elif operand.type.kind is Kind.TUPLE or is_tuple(operand.type):
        items = list(tuple_items(env, operand))
    else:
        return _deconstructed(env, operand, count, names)
    if len(items) != count:
        raise Diagnostic("CS8132", len(items), count)
    if operand.type is not types.PAIR:
        for number, name in enumerate(names):
            own = operand.names[number] if number < len(operand.names) else None
            if name is not None and name not in (own, f"Item{number + 1}"):
                raise Diagnostic("CS8516", name, number + 1)
    return items


def _check_parameters(names: Sequence[str | None], parameters: Sequence[str | None]) -> None:
    for name, parameter in zip(names, parameters, strict=False):
        if name not in (None, parameter):
            raise Diagnostic("CS8517", name, parameter)


def _deconstructed(env: Environment, operand: Operand, count: int, names: Sequence[str | None]) -> list[Operand]:
    if operand.data is None:
        raise null_reference("the value that is taken apart")
    places = [Operand(types.NULL, None) for _ in range(count)]
    given = Given(places, [None] * count, (), [None] * count, frozenset(range(count)))
    found = choose_method(env, operand, operand.type, "Deconstruct", given)
    if found is None:
        raise Diagnostic("CS8129", operand.type.name, count)
    parameters = found[0].candidate.method.parameters
    _check_parameters(names, [parameters.get(number + 1) for number in range(count)])
    return list(run_reflected(env, *found)[1])
