"""Calls of methods that overload resolution has chosen: their arguments, converted as the program's operators do it."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.default_values import default_of
from dap_dotnet.evaluation.operations.element_names import inferred_names
from dap_dotnet.evaluation.operations.formattable import make_formattable
from dap_dotnet.evaluation.operations.returned import as_returned
from dap_dotnet.evaluation.rules.applicable import (
    Chosen,
    Given,
)
from dap_dotnet.evaluation.rules.conversions import conversion_operator
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import ARRAYS, LIST, LISTS, SPANS, element_of
from dap_dotnet.evaluation.types.csharp_types import (
    Elements,
    ExactMethod,
    InterpolatedText,
    Kind,
    Operand,
    Type,
    TypeArguments,
)
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.string_handlers import takes_formattable
from dap_dotnet.evaluation.types.tuple_names import are_alike, is_tuple

_OPEN = frozenset({Kind.LAMBDA, Kind.COLLECTION, Kind.TUPLE, Kind.DEFAULT})
"""What has no type of its own, or is no value of the program yet."""


def run_chosen(env: Environment, chosen: Chosen, target: Operand | None, *, is_virtual: bool = True) -> Operand:
    """The result of the chosen method, with its arguments converted as the program's operators do it."""
    exact = chosen.exact
    if exact.type_arguments and not isinstance(exact.type_arguments, TypeArguments):
        named = inferred_names(env, chosen.candidate, chosen.arguments, exact.type_arguments)
        exact = ExactMethod(exact.owner, exact.token, named)
    if not has_conversions(chosen):
        result = env.runner.run(env, exact, target, chosen.arguments, is_virtual=is_virtual)
        return as_returned(env, exact, result, target)
    passed = convert_arguments(env, chosen)
    return as_returned(env, exact, env.runner.run(env, exact, target, passed, is_virtual=is_virtual), target)


def has_conversions(chosen: Chosen) -> bool:
    """Whether the arguments are not passed as they are."""
    is_open = any(
        argument.type.kind in _OPEN or isinstance(argument.data, InterpolatedText) or is_tuple(argument.type)
        for argument in chosen.arguments
    )
    return bool(chosen.conversions) or chosen.expanded is not None or is_open


def convert_arguments(env: Environment, chosen: Chosen) -> list[Operand]:
    """The arguments as the program's operators convert them, delegates of lambdas, and the array of `params`."""
    passed = [
        Operand(argument.type, argument.data, argument.value, argument.names, argument.place)
        for argument in chosen.arguments
    ]
    _give_types(env, chosen, passed)
    for position, converter in chosen.conversions.items():
        made = env.runner.run(env, converter, None, [passed[position]])
        given = passed[position]
        given.type, given.data, given.value, given.place = made.type, made.data, made.value, None
    if chosen.expanded is not None:
        first = len(chosen.candidate.method.signature.parameters) - 1
        kind = chosen.candidate.parameter_types(env.universe, chosen.type_arguments)[first]
        items = Operand(types.COLLECTION, Elements(passed[first:]))
        assert kind is not None
        passed[first:] = [make_collection(env, items, kind)]
    return passed


def _give_types(env: Environment, chosen: Chosen, passed: Sequence[Operand]) -> None:
    """Make collections of the collection expressions among a call's arguments, and so on."""
    kinds = chosen.candidate.parameter_types(env.universe, chosen.type_arguments)
    for position, operand in enumerate(passed):
        is_apart = is_tuple(operand.type)
        if operand.type.kind not in _OPEN and not isinstance(operand.data, InterpolatedText) and not is_apart:
            continue
        is_element = chosen.expanded is not None and position >= len(kinds) - 1
        kind = chosen.expanded if is_element else kinds[position]
        if kind is None or (is_apart and not are_alike(operand.type, _held_type(kind))):
            continue
        if operand.type.kind is Kind.STRING:
            if takes_formattable(operand, kind):
                made = make_formattable(env, operand, kind)
                operand.type, operand.data, operand.value = made.type, made.data, made.value
            continue
        if operand.type.kind is Kind.TUPLE or is_apart:
            made = make_tuple(env, operand, kind)
            operand.type, operand.data, operand.value = made.type, made.data, made.value
            continue
        if operand.type.kind is Kind.DEFAULT:
            made = default_of(env, kind)
            operand.type, operand.data, operand.value = made.type, made.data, made.value
            continue
        is_function = operand.type.kind is Kind.LAMBDA
        made = operand.data.in_program(env) if is_function else make_collection(env, operand, kind)
        operand.type, operand.data, operand.value = made.type, made.data, made.value


def _held_type(kind: Type) -> Type:
    return kind.element if kind.kind is Kind.NULLABLE else kind


def make_tuple(env: Environment, operand: Operand, kind: Type) -> Operand:
    """A tuple of the expression, as a ValueTuple of the program: of a type where that is one."""
    made = Operand(operand.type, operand.data, None, operand.names)
    wanted = _held_type(kind)
    if operand.type is wanted:
        return operand
    if is_tuple(wanted) and (operand.type is not types.TUPLE or len(wanted.arguments) == len(operand.data)):
        made = Operand(types.TUPLE, env.runner.converted(env, operand, wanted).data)
    env.runner.put_on_heap(env, made)
    return made


def make_collection(env: Environment, operand: Operand, kind: Type) -> Operand:
    """A collection expression, as a value of a type. CS9174."""
    element, universe = element_of(kind), env.universe
    if element is None:
        raise Diagnostic("CS9174", kind.name)
    items = [make_collection(env, one, element) if one.type is types.COLLECTION else one for one in operand.data]
    array = env.runner.array_of(env, element, items, operand.data.constants)
    if kind.kind is Kind.ARRAY or kind.full_name in ARRAYS:
        return array
    if kind.full_name in SPANS:
        converter = conversion_operator(universe, array.type, kind)
        return env.runner.run(env, converter, None, [array]) if converter is not None else array
    made = universe.named(LIST, (element,)) if kind.full_name in LISTS else kind
    constructors = [one for one in candidates(universe, made) if one.method.name == ".ctor"] if made else []
    chosen = choose(universe, constructors, Given([array]))
    if made is None or chosen is None:
        raise Diagnostic("CS9174", kind.name)
    return env.runner.construct(env, made, chosen.exact, chosen.arguments)
