"""Why no method takes the arguments of a call, in the compiler's words (C# specification 12.6.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import source_of
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.applicable import Given, has_default, keyword_of, placed_arguments, takes_params
from dap_dotnet.evaluation.rules.conversions import conversion_operator, implicitly_converts, takes_formattable
from dap_dotnet.evaluation.rules.inference import broken_constraint, delegate_of, fits_function, infer
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type, element_of
from dap_dotnet.evaluation.types.declarations import Candidate, delegate_signature, is_delegate
from portablepdb.signatures import ByRefType

if TYPE_CHECKING:
    from dap_dotnet.evaluation.types.universe import Universe

CONSTRUCTOR = ".ctor"
_LOCAL = re.compile(r">g__([^|]+)\|")
"""The name of a local function in that of its method, whose closures are parameters without names."""
_OF_EXPRESSIONS = frozenset({types.COLLECTION, types.TUPLE, types.ANONYMOUS})
_FAMILY = 4


class _Failure(Struct, frozen=True):
    """Why one candidate does not fit; `argument`: which one of a type that does not convert, by its number.

    `named`: which one has a name that does not do, `unworded`: which one lacks its `ref` or `out`.
    """

    candidate: Candidate
    error: Diagnostic | None = None
    argument: int | None = None
    parameter: Type | None = None
    named: int | None = None
    unworded: int | None = None


def no_overload(universe: Universe, found: Sequence[Candidate], given: Given, name: str) -> EvaluationError | None:
    """The compiler's error for arguments that no candidate takes; None where it is not known which one that is.

    CS1503 of the first method that takes so many; CS7036, CS1739, CS1740, CS1744 or CS8323 of a method that is alone;
    else CS1501, CS1593 or CS1729.
    """
    failures: list[_Failure] = []
    seen: set[tuple[Type | None, ...]] = set()
    for candidate in found:
        kinds = tuple(candidate.parameter_types(universe, given.types))
        if _LOCAL.search(candidate.method.name):
            kinds = kinds[: max((one for one, word in candidate.method.parameters.items() if word), default=0)]
        if kinds in seen or _is_copying(candidate, kinds):
            continue
        seen.add(kinds)
        failure = _failure(universe, candidate, kinds, given, name)
        if failure is None:
            return None
        failures.append(failure)
    wrong = next((one for one in failures if one.argument is not None), None)
    if wrong is not None:
        error = _not_converted(universe, given.operands[wrong.argument or 0], wrong)
        if error.argument in (None, wrong.argument):
            error.argument = (wrong.argument or 0) - given.has_receiver
        return error
    refused = next((one for one in failures if one.unworded is not None), None) or _misnamed(failures)
    if refused is not None and refused.error is not None:
        refused.error.argument = (refused.unworded or refused.named or 0) - given.has_receiver
        return refused.error
    is_inferred = given.has_receiver and found[0].method.signature.generic_count > 0
    if len(failures) == 1 and failures[0].error is not None and not is_inferred:
        return failures[0].error
    count = len(given.operands) - given.has_receiver
    if found[0].method.name == CONSTRUCTOR:
        return Diagnostic("CS1729", found[0].owner.name, count)
    if _is_invocation(universe, found[0]):
        return Diagnostic("CS1593", found[0].owner.name, count)
    return Diagnostic("CS1501", _shown(found[0], name), count)


def _failure(
    universe: Universe, candidate: Candidate, kinds: tuple[Type | None, ...], given: Given, name: str
) -> _Failure | None:
    """None where nothing is found that is wrong."""
    placed = list[int | None]()
    parameters, count = candidate.method.parameters, len(kinds)
    is_expanded = takes_params(candidate)
    used: dict[int, bool] = {}
    for index in range(len(given.operands)):
        word = given.names[index] if index < len(given.names) else None
        position: int | None = index
        if word is not None:
            position = next((one for one in range(count) if parameters.get(one + 1) == word), None)
            if position is None:
                best = _shown(candidate, name)
                said = Diagnostic("CS1739", best, word)
                if _is_invocation(universe, candidate):
                    said = Diagnostic("CS1746", candidate.owner.name, word)
                return _Failure(candidate, said, named=index)
            if position in used:
                return _Failure(candidate, Diagnostic("CS1740" if used[position] else "CS1744", word), named=index)
        else:
            early = _out_of_position(given, index, parameters)
            if early is not None:
                return _Failure(candidate, Diagnostic("CS8323", early), named=given.names.index(early))
            if index >= count - is_expanded:
                position = count - 1 if is_expanded else None
        if position is None:
            return _Failure(candidate)
        used[position] = word is not None
        placed.append(position)
    for position in range(count):
        is_open = has_default(candidate, position) or (is_expanded and position == count - 1)
        if position not in used and not is_open:
            return _Failure(candidate, _missing(universe, candidate, kinds, parameters.get(position + 1) or "", name))
    return _unconverted(universe, candidate, kinds, given, placed)


def _misnamed(failures: Sequence[_Failure]) -> _Failure | None:
    """The candidate that is nearest to the names of the arguments: of several the compiler tells CS1744 and CS1739."""
    if len(failures) == 1:
        return failures[0] if failures[0].named is not None else None
    for code in ("CS1740", "CS1744", "CS1739", "CS8323"):
        of_code = [
            one
            for one in failures
            if one.named is not None and one.error is not None and one.error.compiler_code == code
        ]
        if of_code:
            return max(of_code, key=lambda one: one.named or 0)
    return None


def _out_of_position(given: Given, index: int, parameters: dict[int, str]) -> str | None:
    """The name of an argument before a positional one that does not stand where its parameter does."""
    for before in range(index):
        word = given.names[before] if before < len(given.names) else None
        if word is not None and parameters.get(before + 1) != word:
            return word
    return None


def _missing(
    universe: Universe, candidate: Candidate, kinds: tuple[Type | None, ...], parameter: str, name: str
) -> Diagnostic:
    shown = candidate.owner.name
    if not _is_invocation(universe, candidate):
        listed = [kind.name if kind is not None else "?" for kind in kinds]
        if takes_params(candidate):
            listed[-1] = f"params {listed[-1]}"
        owner = "" if _LOCAL.search(candidate.method.name) else f"{candidate.owner.name}."
        shown = f"{owner}{_shown(candidate, name)}({', '.join(listed)})"
    return Diagnostic("CS7036 local" if _LOCAL.search(candidate.method.name) else "CS7036", parameter, shown)


def _unconverted(
    universe: Universe, candidate: Candidate, kinds: tuple[Type | None, ...], given: Given, placed: list[int | None]
) -> _Failure | None:
    """The first argument of a type that does not convert to its parameter's; None: they all do, or it is not known."""
    for index, position in enumerate(placed):
        if position is None or (given.has_receiver and index == 0):
            continue
        if not isinstance(candidate.method.signature.parameters[position], ByRefType):
            continue
        word = keyword_of(candidate, position)
        if index not in given.by_reference and word != "in":
            return _Failure(candidate, Diagnostic("CS1620", index + 1, word), unworded=index)
    if given.by_reference or (candidate.method.signature.generic_count and not given.types):
        return None
    for index, position in enumerate(placed):
        if position is None or (given.has_receiver and index == 0):
            continue
        wanted = kinds[position]
        if takes_params(candidate) and position == len(kinds) - 1 and wanted is not None:
            if len(placed) == len(kinds) and _converts(universe, given, index, wanted):
                continue
            wanted = element_of(wanted)
        if wanted is None:
            return None
        if not _converts(universe, given, index, wanted):
            return _Failure(candidate, None, index, wanted)
    return None


def _converts(universe: Universe, given: Given, index: int, wanted: Type) -> bool:
    argument, known = given.operands[index], given.constants[index] if index < len(given.constants) else None
    source = source_of(argument)
    if source is not None:
        return fits_function(universe, source, wanted)
    if argument.type in _OF_EXPRESSIONS or takes_formattable(argument, wanted):
        return True
    if implicitly_converts(universe, argument.type, wanted, known):
        return True
    return conversion_operator(universe, argument.type, wanted, constant=known) is not None


def _not_converted(universe: Universe, argument: Operand, failure: _Failure) -> EvaluationError:
    source = source_of(argument)
    if source is not None and isinstance(source.fault, EvaluationError) and not source.is_group:
        return source.fault
    shown = "method group" if source is not None and source.is_group else argument.type.name
    parameter = failure.parameter
    wanted = parameter.name if parameter is not None else "?"
    position = failure.argument or 0
    return Diagnostic("CS1503", position + 1, shown, wanted, argument=position)


def _is_copying(candidate: Candidate, kinds: tuple[Type | None, ...]) -> bool:
    """Whether it is the constructor that copies a record, which only the record itself calls."""
    return (
        candidate.method.name == CONSTRUCTOR and kinds == (candidate.owner,) and candidate.method.flags & 7 == _FAMILY
    )


def _is_invocation(universe: Universe, candidate: Candidate) -> bool:
    return candidate.method.name == "Invoke" and is_delegate(universe, candidate.owner)


def _shown(candidate: Candidate, name: str) -> str:
    if candidate.method.name == CONSTRUCTOR:
        return candidate.owner.full_name.rpartition(".")[2].partition("`")[0]
    local = _LOCAL.search(candidate.method.name)
    return local[1] if local is not None else "this" if candidate.is_indexer else candidate.method.name


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
