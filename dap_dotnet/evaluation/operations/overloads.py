"""Overload resolution: which method of a name fits the arguments best, and with which type arguments.

By number and implicit conversions of the arguments; optional parameters take their defaults, and `params` arrays are
made where nothing else fits. Arguments with ref and out fit only byrefs of exactly their type.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.better_methods import compare_parameters
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.operations.function_arguments import fits_function
from dap_dotnet.evaluation.operations.inference import Bounds, fixed_types, infer, unify
from dap_dotnet.evaluation.operations.program_code import source_of
from dap_dotnet.evaluation.operations.returned import as_returned
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import diagnostics
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken

_OPTIONAL = 0x10
_ACCESS, _PUBLIC = 0x7, 0x6
"""MethodAttributes (ECMA-335 II.23.1.10)."""
_STRUCT, _CLASS = 0x08, 0x04
"""GenericParamAttributes: constraints of a type parameter (ECMA-335 II.23.1.7)."""


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
    has_functions = any(argument.type.kind is Kind.LAMBDA for argument in chosen.arguments)
    if not chosen.conversions and chosen.expanded is None and not has_functions:
        result = env.runner.run(env, chosen.exact, target, chosen.arguments, is_virtual=is_virtual)
        return as_returned(env, chosen.exact, result)
    before = len(env.live)
    passed = [Operand(argument.type, argument.data, argument.value) for argument in chosen.arguments]
    env.live.extend(passed if target is None else [target, *passed])
    try:
        if has_functions:
            give_delegates(env, chosen, passed)
        if chosen.expanded is not None:
            first = len(chosen.candidate.method.signature.parameters) - 1
            passed[first:] = [env.runner.array_of(env, chosen.expanded, passed[first:])]
        for position, converter in chosen.conversions.items():
            made = env.runner.run(env, converter, None, [passed[position]])
            passed[position].type, passed[position].data, passed[position].value = made.type, made.data, made.value
    finally:
        del env.live[before:]
    return as_returned(env, chosen.exact, env.runner.run(env, chosen.exact, target, passed, is_virtual=is_virtual))


def give_delegates(env: Environment, chosen: Chosen, passed: Sequence[Operand]) -> None:
    """Make delegates of the program of the lambdas among a call's arguments, which are in flight."""
    kinds = chosen.candidate.parameter_types(env.universe, chosen.type_arguments)
    for position, operand in enumerate(passed):
        is_element = chosen.expanded is not None and position >= len(kinds) - 1
        kind = chosen.expanded if is_element else kinds[position]
        if operand.type.kind is Kind.LAMBDA and kind is not None:
            made = env.runner.delegate(env, operand, kind)
            operand.type, operand.data, operand.value = made.type, made.data, made.value


def choose(universe: Universe, found: Sequence[Candidate], given: Given, *, name: str = "") -> Chosen | None:
    """The best candidate for the arguments. None: no fit.

    `name`: CS0121 is raised where none is the best; else, as among those of different types, the first is taken, which
    is the most derived type's.
    """
    for fit in (_fit, _fit_expanded):
        fitting = [chosen for one in found if (chosen := fit(universe, one, given)) is not None]
        if fitting:
            return _best(universe, given, fitting, name)
    return None


def _best(universe: Universe, given: Given, fitting: Sequence[Chosen], name: str) -> Chosen:
    best = fitting[0]
    if len(fitting) == 1:
        return best
    for one in fitting[1:]:
        if _compared(universe, given, one, best) < 0:
            best = one
    for one in fitting if name else ():
        is_rival = one is not best and one.candidate.owner is best.candidate.owner
        if is_rival and _types(universe, one) != _types(universe, best) and not _compared(universe, given, best, one):
            pair = sorted((best, one), key=fitting.index)
            raise diagnostics.ambiguous_call(*(_shown(universe, chosen, name) for chosen in pair))
    return best


def _compared(universe: Universe, given: Given, one: Chosen, other: Chosen) -> int:
    """Below 0 when the one is better, above 0 when the other is; 0 when neither is (12.6.4.3)."""
    found = compare_parameters(
        universe, given.operands, _types_of_arguments(universe, given, one), _types_of_arguments(universe, given, other)
    )
    if found:
        return found
    if _types(universe, one) == _types(universe, other) and bool(one.type_arguments) is not bool(other.type_arguments):
        return 1 if one.type_arguments else -1
    ranks = [_rank(given, chosen) for chosen in (one, other)]
    return -1 if ranks[0] < ranks[1] else 1 if ranks[0] > ranks[1] else 0


def _rank(given: Given, chosen: Chosen) -> tuple[int, int, bool]:
    """What decides between methods that are equally good for the arguments: defaults taken, `in` parameters.

    Then whether it is public: nobody outside of the framework is to choose between a public method and a hidden one.
    """
    from portablepdb.signatures import ByRefType

    parameters = chosen.candidate.method.signature.parameters
    omitted = 0 if chosen.expanded is not None else len(parameters) - len(given.operands)
    is_hidden = chosen.candidate.method.row.flags & _ACCESS != _PUBLIC
    return omitted, sum(isinstance(one, ByRefType) for one in parameters), is_hidden


def _types(universe: Universe, chosen: Chosen) -> list[Type | None]:
    return chosen.candidate.parameter_types(universe, chosen.type_arguments)


def _types_of_arguments(universe: Universe, given: Given, chosen: Chosen) -> list[Type | None]:
    """The types of the parameters that the arguments go to, in the order of the arguments."""
    parameters = _types(universe, chosen)
    if chosen.expanded is not None:
        last = len(parameters) - 1
        return [parameters[number] if number < last else chosen.expanded for number in range(len(given.operands))]
    placed = _placed(chosen.candidate, given)
    assert placed is not None
    return [parameters[placed.index(number)] for number in range(len(given.operands))]


def _shown(universe: Universe, chosen: Chosen, name: str) -> str:
    """A method as the compiler names it: with the types of its parameters."""
    return f"{name}({', '.join(kind.name if kind is not None else '?' for kind in _types(universe, chosen))})"


def _fit(universe: Universe, candidate: Candidate, given: Given) -> Chosen | None:
    """None when the candidate does not apply."""
    from portablepdb.signatures import ByRefType

    arguments, constants = given.operands, given.constants
    placed = _placed(candidate, given)
    if placed is None:
        return None
    signature = candidate.method.signature
    types_given = given.types
    if signature.generic_count and not types_given:
        inferred = infer(universe, candidate, [arguments[index] if index is not None else None for index in placed])
        if inferred is None:
            return None
        types_given = inferred
    if len(types_given) != signature.generic_count or broken_constraint(candidate, types_given) is not None:
        return None
    parameters = candidate.parameter_types(universe, types_given)
    passed, conversions = list[Operand](), dict[int, ExactMethod]()
    for position, (index, parameter) in enumerate(zip(placed, parameters, strict=True)):
        if index is None:
            default = _default(candidate, position, parameter)
            if default is None:
                return None
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
        source = source_of(argument)
        if source is not None:
            if not fits_function(universe, source, parameter):
                return None
        elif not implicitly_converts(universe, argument.type, parameter, known):
            converter = conversion_operator(universe, argument.type, parameter)
            if converter is None:
                return None
            conversions[position] = converter
        passed.append(argument)
    return Chosen(candidate, passed, types_given, conversions)


def _fit_expanded(universe: Universe, candidate: Candidate, given: Given) -> Chosen | None:
    """As `_fit`, with the arguments from the last parameter on as elements of its `params` array."""
    from portablepdb.signatures import SzArrayType

    signature, first = candidate.method.signature, len(candidate.method.signature.parameters) - 1
    if first < 0 or given.by_reference or any(given.names) or not _takes_params(candidate):
        return None
    given = _with_defaults(universe, candidate, given, first)
    if len(given.operands) < first:
        return None
    types_given = given.types
    if signature.generic_count and not types_given:
        found = Bounds()
        for position, argument in enumerate(given.operands):
            parameter = signature.parameters[min(position, first)]
            if position >= first and isinstance(parameter, SzArrayType):
                parameter = parameter.element
            unify(universe, candidate, parameter, argument.type, found)
        fixed = fixed_types(universe, found, signature.generic_count)
        if fixed is None:
            return None
        types_given = fixed
    if len(types_given) != signature.generic_count or broken_constraint(candidate, types_given) is not None:
        return None
    parameters = candidate.parameter_types(universe, types_given)
    last = parameters[-1]
    if last is None or last.kind is not Kind.ARRAY:
        return None
    for position, argument in enumerate(given.operands):
        wanted = parameters[position] if position < first else last.element
        known = given.constants[position] if position < len(given.constants) else None
        source = source_of(argument) if wanted is not None else None
        if wanted is None or not (
            fits_function(universe, source, wanted)
            if source is not None
            else implicitly_converts(universe, argument.type, wanted, known)
        ):
            return None
    return Chosen(candidate, list(given.operands), types_given, {}, last.element)


def _with_defaults(universe: Universe, candidate: Candidate, given: Given, first: int) -> Given:
    """With the defaults of optional parameters that are omitted before the `params` array."""
    operands, parameters = list(given.operands), candidate.parameter_types(universe, given.types)
    while len(operands) < first:
        default = _default(candidate, len(operands), parameters[len(operands)])
        if default is None:
            break
        operands.append(default)
    return given if len(operands) == len(given.operands) else Given(operands, (), given.types, given.constants)


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


class Refusal(Struct, frozen=True):
    """A type parameter, by its name, whose constraint a type does not meet."""

    parameter: str
    given: Type
    must_be_struct: bool


def broken_constraint(candidate: Candidate, given: tuple[Type, ...]) -> Refusal | None:
    """The first of a method's constraints `struct` and `class` that its type arguments do not meet."""
    for parameter in candidate.method.generic_parameters if given else ():
        kind = given[parameter.number] if parameter.number < len(given) else None
        if kind is None:
            continue
        flags = parameter.row.flags
        if flags & _STRUCT and (not kind.is_value_type or kind.kind is Kind.NULLABLE):
            return Refusal(parameter.name, kind, must_be_struct=True)
        if flags & _CLASS and not kind.is_reference:
            return Refusal(parameter.name, kind, must_be_struct=False)
    return None


def why_no_overload(universe: Universe, found: Sequence[Candidate], given: Given, name: str) -> EvaluationError:
    """Why none of the methods fits: what is wrong with the only one, or with its lambda; else CS1503."""
    reason = why_generic_does_not_fit(universe, found, given, name)
    sources = [source for operand in given.operands if (source := source_of(operand)) is not None]
    faults = [source.fault for source in sources if isinstance(source.fault, EvaluationError)]
    alike = [one for one in found if len(one.method.signature.parameters) >= len(given.operands)]
    if faults and len(alike) == 1:
        return faults[0]
    shown = ", ".join(argument.type.name for argument in given.operands)
    said = f" ({faults[0].message})" if faults else ""
    return reason or EvaluationError(f"error CS1503: No overload of '{name}' takes the arguments ({shown}){said}")


def why_generic_does_not_fit(
    universe: Universe, found: Sequence[Candidate], given: Given, name: str
) -> EvaluationError | None:
    """CS0411, CS0452 and CS0453, where one generic method alone takes so many arguments; None where it is not that."""
    placed = [(one, place) for one in found if (place := _placed(one, given)) is not None]
    if len(placed) != 1 or not placed[0][0].method.signature.generic_count:
        return None
    candidate, places = placed[0]
    if any(place is None for place in places):
        return None
    shown = f"{name}<{', '.join(one.name for one in candidate.method.generic_parameters)}>"
    arguments = [given.operands[place] for place in places if place is not None]
    types_given = given.types or infer(universe, candidate, list(arguments))
    if types_given is None:
        return diagnostics.not_inferred(shown)
    broken = broken_constraint(candidate, types_given)
    if broken is None:
        return None
    return diagnostics.breaks_constraint(shown, broken.parameter, broken.given, must_be_struct=broken.must_be_struct)
