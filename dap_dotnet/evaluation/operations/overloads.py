"""Overload resolution: which method of a name fits the arguments best, and with which type arguments.

By number and implicit conversions of the arguments; optional parameters take their defaults, and `params` arrays are
made where nothing else fits. Arguments with ref and out fit only byrefs of exactly their type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.evaluation.types.implicit_conversions import conversion_cost, implicitly_converts
from dap_dotnet.evaluation.types.inheritance import ancestors
from dap_dotnet.evaluation.types.metadata_names import resolve
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken

if TYPE_CHECKING:
    from portablepdb.signatures import TypeSignature

_OPTIONAL = 0x10
_USER_DEFINED = 100
"""What a user-defined conversion costs: more than any other."""


class Given(Struct, frozen=True):
    """What a call passes: its arguments, their names, its type arguments, and which arguments are constants."""

    operands: Sequence[Operand]
    names: Sequence[str | None] = ()
    types: tuple[Type, ...] = ()
    constants: Sequence[Operand | None] = ()
    by_reference: frozenset[int] = frozenset()
    """The arguments with ref or out; those of type NULL fit parameters of any type."""


class Chosen(Struct, frozen=True):
    """The best candidate, its arguments in the order of its parameters, and its inferred type arguments."""

    candidate: Candidate
    arguments: list[Operand]
    type_arguments: tuple[Type, ...]
    conversions: dict[int, ExactMethod]
    """User-defined implicit conversions of arguments, by their position."""
    expanded: Type | None = None
    """The element type of a `params` array: the arguments from the last parameter on are put into one."""

    @property
    def exact(self) -> ExactMethod:
        """The method to call."""
        return ExactMethod(self.candidate.owner, MethodToken(self.candidate.method.token), self.type_arguments)

    def with_arguments(self, arguments: list[Operand]) -> Chosen:
        """The same choice for other arguments of the same types."""
        return Chosen(self.candidate, arguments, self.type_arguments, self.conversions, self.expanded)


def run_chosen(env: Environment, chosen: Chosen, target: Operand | None, *, is_virtual: bool = True) -> Operand:
    """The result of the chosen method, with its arguments converted as the program's operators do it."""
    if not chosen.conversions and chosen.expanded is None:
        return env.runner.run(env, chosen.exact, target, chosen.arguments, is_virtual=is_virtual)
    before = len(env.live)
    passed = [Operand(argument.type, argument.data, argument.value) for argument in chosen.arguments]
    env.live.extend(passed if target is None else [target, *passed])
    try:
        if chosen.expanded is not None:
            first = len(chosen.candidate.method.signature.parameters) - 1
            passed[first:] = [env.runner.array_of(env, chosen.expanded, passed[first:])]
        for position, converter in chosen.conversions.items():
            made = env.runner.run(env, converter, None, [passed[position]])
            passed[position].type, passed[position].data, passed[position].value = made.type, made.data, made.value
    finally:
        del env.live[before:]
    return env.runner.run(env, chosen.exact, target, passed, is_virtual=is_virtual)


def choose(universe: Universe, found: Sequence[Candidate], given: Given) -> Chosen | None:
    """The best candidate for the arguments; of equally good ones the first, which is the most derived. None: no fit."""
    best: tuple[int, Chosen] | None = None
    for fit in (_fit, _fit_expanded):
        for candidate in found:
            fitted = fit(universe, candidate, given)
            if fitted is None:
                continue
            is_better = best is None or fitted[0] < best[0]
            if best is not None and fitted[0] == best[0]:
                is_better = _is_more_specific(universe, fitted[1], best[1])
            best = fitted if is_better else best
        if best is not None:
            return best[1]
    return None


def _is_more_specific(universe: Universe, one: Chosen, other: Chosen) -> bool:
    """C# specification 12.6.4.3: of two equally good candidates, whether the one is to be called."""
    if one.candidate.owner is not other.candidate.owner:
        return False  # the more derived type's comes first
    left, right = (
        [kind for kind in chosen.candidate.parameter_types(universe, chosen.type_arguments) if kind is not None]
        for chosen in (one, other)
    )
    if len(left) != len(right):
        return False
    if left == right:
        return not one.type_arguments and bool(other.type_arguments)
    return all(implicitly_converts(universe, mine, theirs) for mine, theirs in zip(left, right, strict=True))


def _fit(universe: Universe, candidate: Candidate, given: Given) -> tuple[int, Chosen] | None:
    """(cost, choice), or None when the candidate does not apply."""
    from portablepdb.signatures import ByRefType

    arguments, constants = given.operands, given.constants
    placed = _placed(candidate, given)
    if placed is None:
        return None
    signature = candidate.method.signature
    types_given = given.types
    if signature.generic_count and not types_given:
        inferred = _infer(universe, candidate, [arguments[index] if index is not None else None for index in placed])
        if inferred is None:
            return None
        types_given = inferred
    if len(types_given) != signature.generic_count:
        return None
    parameters = candidate.parameter_types(universe, types_given)
    cost, passed, conversions = 0, list[Operand](), dict[int, ExactMethod]()
    for position, (index, parameter) in enumerate(zip(placed, parameters, strict=True)):
        if index is None:
            default = _default(candidate, position, parameter)
            if default is None:
                return None
            cost += 1
            passed.append(default)
            continue
        argument = arguments[index]
        known = constants[index] if index < len(constants) else None
        if parameter is None:
            return None
        if given.by_reference:
            if (index in given.by_reference) is not isinstance(signature.parameters[position], ByRefType):
                return None
            if index in given.by_reference:
                if argument.type is not parameter and argument.type is not types.NULL:
                    return None
                passed.append(argument)
                continue
        if isinstance(signature.parameters[position], ByRefType):
            cost += 1  # `in`; one that takes the value is better
        if not implicitly_converts(universe, argument.type, parameter, known):
            converter = conversion_operator(universe, argument.type, parameter)
            if converter is None:
                return None
            conversions[position] = converter
            cost += _USER_DEFINED
            passed.append(argument)
            continue
        cost += conversion_cost(argument.type, parameter)
        passed.append(argument)
    return cost, Chosen(candidate, passed, types_given, conversions)


def _fit_expanded(universe: Universe, candidate: Candidate, given: Given) -> tuple[int, Chosen] | None:
    """As `_fit`, with the arguments from the last parameter on as elements of its `params` array."""
    from portablepdb.signatures import SzArrayType

    signature, first = candidate.method.signature, len(candidate.method.signature.parameters) - 1
    if (
        first < 0
        or given.by_reference
        or any(given.names)
        or len(given.operands) < first
        or not _takes_params(candidate)
    ):
        return None
    types_given = given.types
    if signature.generic_count and not types_given:
        found: dict[int, Type] = {}
        for position, argument in enumerate(given.operands):
            parameter = signature.parameters[min(position, first)]
            if position >= first and isinstance(parameter, SzArrayType):
                parameter = parameter.element
            _unify(universe, candidate, parameter, argument.type, found)
        if any(number not in found for number in range(signature.generic_count)):
            return None
        types_given = tuple(found[number] for number in range(signature.generic_count))
    if len(types_given) != signature.generic_count:
        return None
    parameters = candidate.parameter_types(universe, types_given)
    last = parameters[-1]
    if last is None or last.kind is not Kind.ARRAY:
        return None
    cost = 0
    for position, argument in enumerate(given.operands):
        wanted = parameters[position] if position < first else last.element
        known = given.constants[position] if position < len(given.constants) else None
        if wanted is None or not implicitly_converts(universe, argument.type, wanted, known):
            return None
        cost += conversion_cost(argument.type, wanted)
    return cost, Chosen(candidate, list(given.operands), types_given, {}, last.element)


def _takes_params(candidate: Candidate) -> bool:
    module, count = candidate.module, len(candidate.method.signature.parameters)
    if module is None or module.metadata is None:
        return False
    return any(
        attribute.type_name == "System.ParamArrayAttribute"
        for row in candidate.method.parameter_rows
        if row.sequence == count
        for attribute in module.metadata.attributes_of(row.token)
    )


def _placed(candidate: Candidate, given: Given) -> list[int | None] | None:
    """For each parameter the argument's index, None for an omitted one. None: the arguments do not fit in number."""
    arguments, names = given.operands, given.names
    count = len(candidate.method.signature.parameters)
    if len(arguments) > count:
        return None
    parameter_names = candidate.method.parameters
    placed: list[int | None] = [None] * count
    for index in range(len(arguments)):
        name = names[index] if index < len(names) else None
        position = index
        if name is not None:
            matches = [number for number in range(count) if parameter_names.get(number + 1) == name]
            if not matches:
                return None
            position = matches[0]
        if placed[position] is not None:
            return None
        placed[position] = index
    return placed


def _default(candidate: Candidate, position: int, parameter: Type | None) -> Operand | None:
    for row in candidate.method.parameter_rows:
        if row.sequence == position + 1 and row.flags & _OPTIONAL and parameter is not None:
            constant = row.constant
            if constant is None:
                return None
            value = constant.value
            return Operand(parameter, ord(value) if parameter is types.CHAR and isinstance(value, str) else value)
    return None


def _infer(universe: Universe, candidate: Candidate, arguments: list[Operand | None]) -> tuple[Type, ...] | None:
    """Type arguments from the arguments' types: the first that each type parameter meets."""
    signature = candidate.method.signature
    found: dict[int, Type] = {}
    for parameter, argument in zip(signature.parameters, arguments, strict=True):
        if argument is not None:
            _unify(universe, candidate, parameter, argument.type, found)
    if any(number not in found for number in range(signature.generic_count)):
        return None
    return tuple(found[number] for number in range(signature.generic_count))


def _unify(
    universe: Universe, candidate: Candidate, signature: TypeSignature, given: Type, found: dict[int, Type]
) -> None:
    from portablepdb import signatures as sig

    if isinstance(signature, sig.MethodParameter):
        if given.kind is not Kind.NULL:
            found.setdefault(signature.number, given)
    elif isinstance(signature, sig.ByRefType):
        _unify(universe, candidate, signature.element, given, found)
    elif isinstance(signature, sig.SzArrayType) and given.kind is Kind.ARRAY:
        _unify(universe, candidate, signature.element, given.element, found)
    elif isinstance(signature, sig.GenericInstance) and isinstance(signature.generic, sig.NamedType):
        if given.kind is Kind.ARRAY and len(signature.arguments) == 1:
            _unify(universe, candidate, signature.arguments[0], given.element, found)
            return
        definition = universe.definition_of(given)
        wanted = resolve(universe.modules, candidate.module, signature.generic.token) if candidate.module else None
        if definition is None or wanted is None:
            return
        for ancestor in ancestors(universe, definition, given.arguments):
            if ancestor.definition == wanted:
                for entry, argument in zip(signature.arguments, ancestor.arguments, strict=False):
                    _unify(universe, candidate, entry, argument, found)
                return
