"""Overload resolution: which of the methods that apply is the best one, and its call (C# specification 12.6.4.3)."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import (
    Chosen,
    Given,
    fit,
    fit_expanded,
    has_default,
    placed_arguments,
    takes_params,
)
from dap_dotnet.evaluation.operations.better_methods import compare_parameters, more_specific
from dap_dotnet.evaluation.operations.constraints import broken_constraint
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.operations.default_values import default_of
from dap_dotnet.evaluation.operations.element_names import inferred_names
from dap_dotnet.evaluation.operations.formattable import make_formattable, takes_formattable
from dap_dotnet.evaluation.operations.function_arguments import delegate_of
from dap_dotnet.evaluation.operations.inference import infer
from dap_dotnet.evaluation.operations.overload_errors import no_overload
from dap_dotnet.evaluation.operations.program_code import source_of
from dap_dotnet.evaluation.operations.returned import as_returned
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
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
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.delegate_types import delegate_signature
from dap_dotnet.evaluation.types.inheritance import is_subtype
from dap_dotnet.evaluation.types.string_handlers import is_handler, not_made
from dap_dotnet.evaluation.types.tuple_names import are_alike, is_tuple
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.symbols.language_version import FIRST_PRIORITIES, FIRST_SPANS

_ACCESS, _PUBLIC, _VIRTUAL, _NEW_SLOT = 0x7, 0x6, 0x40, 0x100
"""MethodAttributes (ECMA-335 II.23.1.10)."""


_PRIORITY = "System.Runtime.CompilerServices.OverloadResolutionPriorityAttribute"

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
    before = len(env.live)
    try:
        env.live.extend([target] if target is not None else [])
        passed = convert_arguments(env, chosen)
    finally:
        del env.live[before:]
    return as_returned(env, exact, env.runner.run(env, exact, target, passed, is_virtual=is_virtual), target)


def has_conversions(chosen: Chosen) -> bool:
    """Whether the arguments are not passed as they are."""
    is_open = any(
        argument.type.kind in _OPEN or isinstance(argument.data, InterpolatedText) or is_tuple(argument.type)
        for argument in chosen.arguments
    )
    return bool(chosen.conversions) or chosen.expanded is not None or is_open


def convert_arguments(env: Environment, chosen: Chosen) -> list[Operand]:
    """The arguments as the program's operators convert them, delegates of lambdas, and the array of `params`.

    What is called on has to be in flight.
    """
    before = len(env.live)
    passed = [
        Operand(argument.type, argument.data, argument.value, argument.names, argument.place)
        for argument in chosen.arguments
    ]
    env.live.extend(passed)
    try:
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
    finally:
        del env.live[before:]
    return passed


def _give_types(env: Environment, chosen: Chosen, passed: Sequence[Operand]) -> None:
    """Make delegates of the lambdas among a call's arguments, which are in flight, and collections of expressions."""
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
    """A tuple of the expression, which is in flight, as a ValueTuple of the program: of a type where that is one."""
    made = Operand(operand.type, operand.data, None, operand.names)
    wanted = _held_type(kind)
    if operand.type is wanted:
        return operand
    if is_tuple(wanted) and (operand.type is not types.TUPLE or len(wanted.arguments) == len(operand.data)):
        made = Operand(types.TUPLE, env.runner.converted(env, operand, wanted).data)
    env.live.append(made)
    try:
        env.runner.put_on_heap(env, made)
    finally:
        env.live.pop()
    return made


def make_collection(env: Environment, operand: Operand, kind: Type) -> Operand:
    """A collection expression, which is in flight, as a value of a type. CS9174."""
    element, universe = element_of(kind), env.universe
    if element is None:
        raise Diagnostic("CS9174", kind.name)
    before = len(env.live)
    try:
        for one in operand.data:
            env.live.append(make_collection(env, one, element) if one.type is types.COLLECTION else one)
        array = env.runner.array_of(env, element, env.live[before:], operand.data.constants)
        if kind.kind is Kind.ARRAY or kind.full_name in ARRAYS:
            return array
        env.live.append(array)
        if kind.full_name in SPANS:
            converter = conversion_operator(universe, array.type, kind)
            return env.runner.run(env, converter, None, [array]) if converter is not None else array
        made = universe.named(LIST, (element,)) if kind.full_name in LISTS else kind
        constructors = [one for one in candidates(universe, made) if one.method.name == ".ctor"] if made else []
        chosen = choose(universe, constructors, Given([array]))
        if made is None or chosen is None:
            raise Diagnostic("CS9174", kind.name)
        return env.runner.construct(env, made, chosen.exact, chosen.arguments)
    finally:
        del env.live[before:]


def choose(universe: Universe, found: Sequence[Candidate], given: Given, *, name: str = "") -> Chosen | None:
    """The best candidate for the arguments. None: no fit.

    `name`: CS0121 is raised where none is the best; else, as among those of different types, the first is taken, which
    is the most derived type's.
    """
    fitting = [
        chosen
        for one in found
        if (chosen := fit(universe, one, given) or fit_expanded(universe, one, given)) is not None
    ]
    if len(fitting) > 1:
        fitting = _most_derived(universe, fitting)
    if len(fitting) > 1 and given.language_version >= FIRST_PRIORITIES:
        fitting = _of_priority(fitting)
    if fitting:
        _check_handlers(universe, found, given)
    return _best(universe, given, fitting, name) if fitting else None


def _check_handlers(universe: Universe, found: Sequence[Candidate], given: Given) -> None:
    """Raises where the compiler would give a handler of the program's own an interpolated string, and not its text."""
    for index, operand in enumerate(given.operands):
        if not isinstance(operand.data, InterpolatedText) or not operand.data.holes:
            continue
        for one in found:
            kinds = one.parameter_types(universe, given.types)
            kind = kinds[index] if index < len(kinds) and len(kinds) == len(given.operands) else None
            if kind is not None and one.module is not None and one.module.is_user_code and is_handler(universe, kind):
                raise not_made(kind)


def _most_derived(universe: Universe, fitting: Sequence[Chosen]) -> list[Chosen]:
    """Without the methods of types from which others that fit derive (12.6.6.2): those of derived types go first.

    An override belongs to the type that first declares the method.
    """
    if all(one.candidate.owner is fitting[0].candidate.owner for one in fitting):
        return list(fitting)
    declared = list[tuple[Chosen, Type]]()
    for number, one in enumerate(fitting):
        kinds, owner, flags = _types(universe, one), one.candidate.owner, one.candidate.method.flags
        if any(other.candidate.method.flags & _VIRTUAL and _types(universe, other) == kinds for other, _ in declared):
            continue  # what is overridden
        if flags & _VIRTUAL and not flags & _NEW_SLOT:
            same = (other for other in fitting[number + 1 :] if _types(universe, other) == kinds)
            owner = next((other.candidate.owner for other in same if other.candidate.method.flags & _NEW_SLOT), owner)
        declared.append((one, owner))
    owners = dict.fromkeys(owner for _, owner in declared)
    hidden = {
        base for base in owners if any(other is not base and is_subtype(universe, other, base) for other in owners)
    }
    return [one for one, owner in declared if owner not in hidden]


def _of_priority(fitting: Sequence[Chosen]) -> list[Chosen]:
    """Of the methods of each type those with the highest priority that they have by an attribute."""
    ranked = [(one, one.candidate.owner, _priority(one.candidate)) for one in fitting]
    highest = dict[Type, int]()
    for _, owner, priority in ranked:
        highest[owner] = max(priority, highest.get(owner, priority))
    return [one for one, owner, priority in ranked if priority == highest[owner]]


def _priority(candidate: Candidate) -> int:
    metadata, token = candidate.module.metadata if candidate.module is not None else None, candidate.method.token
    if metadata is None:
        return 0
    if candidate.is_indexer:  # its property has it
        declared = metadata.properties_of(metadata.declaring_type(token))
        token = next((one.token for one in declared if one.getter == token), token)
    for attribute in metadata.attributes_of(token):
        if attribute.type_name == _PRIORITY and attribute.fixed_arguments:
            return int(attribute.fixed_arguments[0].value)
    return 0


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
            raise Diagnostic("CS0121", *(_shown(universe, chosen, name) for chosen in pair))
    return best


def _compared(universe: Universe, given: Given, one: Chosen, other: Chosen) -> int:
    """Below 0 when the one is better, above 0 when the other is; 0 when neither is (12.6.4.3)."""
    kinds = [_types_of_arguments(universe, given, chosen) for chosen in (one, other)]
    to_spans = given.language_version >= FIRST_SPANS
    found = compare_parameters(universe, given.operands, *kinds, to_spans=to_spans)
    if found:
        return found
    if _types(universe, one) == _types(universe, other) and bool(one.type_arguments) is not bool(other.type_arguments):
        return 1 if one.type_arguments else -1
    more = more_specific(one.candidate.method, other.candidate.method)
    if more and kinds[0] == kinds[1]:
        return more
    ranks = [_rank(given, chosen) for chosen in (one, other)]
    return -1 if ranks[0] < ranks[1] else 1 if ranks[0] > ranks[1] else 0


def _rank(given: Given, chosen: Chosen) -> tuple[bool, int, int, bool, int]:
    """What decides between methods that are equally good for the arguments: `params`, defaults taken, `in` parameters.

    Then whether it is public: nobody outside of the framework is to choose between a public method and a hidden one.
    Of `params` spans are better than arrays; the framework's own methods do the same with an array, which is simpler.
    """
    from portablepdb.signatures import ByRefType, SzArrayType

    parameters = chosen.candidate.method.signature.parameters
    is_expanded = chosen.expanded is not None
    omitted = -len(parameters) if is_expanded else len(parameters) - len(given.operands)
    is_hidden = chosen.candidate.method.row.flags & _ACCESS != _PUBLIC
    by_reference = sum(isinstance(one, ByRefType) for one in parameters)
    is_array = is_expanded and isinstance(parameters[-1], SzArrayType)
    module = chosen.candidate.module
    spans_first = module is not None and module.is_user_code
    rank = 0 if not is_expanded or is_array is not spans_first else 1
    return is_expanded, omitted, by_reference, is_hidden, rank


def _types(universe: Universe, chosen: Chosen) -> list[Type | None]:
    return chosen.candidate.parameter_types(universe, chosen.type_arguments)


def _types_of_arguments(universe: Universe, given: Given, chosen: Chosen) -> list[Type | None]:
    """The types of the parameters that the arguments go to, in the order of the arguments."""
    parameters = _types(universe, chosen)
    if chosen.expanded is not None:
        last = len(parameters) - 1
        return [parameters[number] if number < last else chosen.expanded for number in range(len(given.operands))]
    placed = placed_arguments(chosen.candidate, given)
    assert placed is not None
    return [parameters[placed.index(number)] for number in range(len(given.operands))]


def _shown(universe: Universe, chosen: Chosen, name: str) -> str:
    """A method as the compiler names it: with the types of its parameters."""
    return f"{name}({', '.join(kind.name if kind is not None else '?' for kind in _types(universe, chosen))})"


def why_no_overload(universe: Universe, found: Sequence[Candidate], given: Given, name: str) -> EvaluationError:
    """Why none of the methods fits: what is wrong with the only one, or with its lambda; else CS1503."""
    reason = _wrong_arity(found, given, name) or why_generic_does_not_fit(universe, found, given, name)
    sources = [source for operand in given.operands if (source := source_of(operand)) is not None]
    faults = [source.fault for source in sources if isinstance(source.fault, EvaluationError)]
    alike = [one for one in found if len(one.method.signature.parameters) >= len(given.operands)]
    if faults and (len(alike) == 1 or isinstance(faults[0], Diagnostic)):
        return faults[0]
    if reason is None and not faults:
        reason = no_overload(universe, found, given, name)
    shown = ", ".join(argument.type.name for argument in given.operands)
    said = f" ({faults[0].message})" if faults else ""
    return reason or _wrong_lambda(universe, found, given) or Diagnostic("CS1503 overloads", name, shown, said)


def _wrong_lambda(universe: Universe, found: Sequence[Candidate], given: Given) -> EvaluationError | None:
    """CS1593: a lambda has not the parameters of the first method's delegate; None where it is not that."""
    places = placed_arguments(found[0], given)
    if places is None or None in places:
        return None
    operands = [given.operands[place] for place in places if place is not None]
    kinds = found[0].parameter_types(universe, given.types or infer(universe, found[0], list(operands)) or ())
    for operand, kind in zip(operands, kinds, strict=True):
        source = source_of(operand)
        signature = delegate_signature(universe, delegate_of(kind)) if source is not None and kind is not None else None
        if source is None or kind is None or signature is None or source.takes(len(signature.parameters)):
            continue
        try:
            source.code(kind, signature)
        except EvaluationError as error:
            return error
    return None


def _complete(candidate: Candidate, given: Given) -> list[int | None] | None:
    """As `placed_arguments`; None also where an argument is missing."""
    placed = placed_arguments(candidate, given)
    is_complete = placed is not None and all(
        index is not None or has_default(candidate, position) or takes_params(candidate)
        for position, index in enumerate(placed)
    )
    return placed if is_complete else None


def _wrong_arity(found: Sequence[Candidate], given: Given, name: str) -> EvaluationError | None:
    """CS0305, CS0308: no method takes so many type arguments."""
    counts = [one.method.signature.generic_count for one in found]
    if not given.types or len(given.types) in counts:
        return None
    if not any(counts):
        return Diagnostic("CS0308", "method", name)
    count = next(one for one in counts if one)
    return Diagnostic("CS0305", "method", name, count)


def _generic_name(candidate: Candidate, name: str) -> str:
    return f"{name}<{', '.join(one.name for one in candidate.method.generic_parameters)}>"


def _is_not_inferred(universe: Universe, candidate: Candidate, places: list[int | None], given: Given) -> bool:
    """Whether nothing tells the type arguments of a generic method."""
    arguments = [given.operands[place] if place is not None else None for place in places]
    return bool(candidate.method.signature.generic_count) and infer(universe, candidate, arguments) is None


def why_generic_does_not_fit(
    universe: Universe, found: Sequence[Candidate], given: Given, name: str
) -> EvaluationError | None:
    """CS0411 and what constraints say of the only method that takes so many arguments; None where it is not that."""
    placed = [(one, place) for one in found if (place := _complete(one, given)) is not None]
    if len(placed) > 1 and not given.types and all(_is_not_inferred(universe, *one, given) for one in placed):
        return Diagnostic("CS0411", _generic_name(placed[0][0], name))
    if len(placed) != 1 or not placed[0][0].method.signature.generic_count:
        return None
    candidate, places = placed[0]
    if any(place is None for place in places):
        return None
    shown = _generic_name(candidate, name)
    arguments = [given.operands[place] for place in places if place is not None]
    types_given = given.types or infer(universe, candidate, list(arguments))
    if types_given is None:
        return Diagnostic("CS0411", shown)
    broken = broken_constraint(universe, candidate, types_given)
    return broken.error(shown) if broken is not None else None
