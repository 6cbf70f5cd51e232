"""Why no method takes the arguments of a call, in the compiler's words (C# specification 12.6.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.bound_tree import source_of
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.applicable import (
    Given,
    converts_to,
    has_default,
    keyword_of,
    placed_arguments,
    takes_params,
)
from dap_dotnet.evaluation.rules.conversions import takes_formattable
from dap_dotnet.evaluation.rules.inference import broken_constraint, delegate_of, infer
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type, element_of
from dap_dotnet.evaluation.types.declarations import Candidate, delegate_signature, is_delegate
from dap_dotnet.evaluation.types.universe import Universe

CONSTRUCTOR = ".ctor"
_LOCAL = re.compile(r">g__([^|]+)\|")
"""The name of a local function in that of its method, whose closures are parameters without names."""
_OF_EXPRESSIONS = frozenset({types.COLLECTION, types.TUPLE, types.ANONYMOUS})
_FAMILY = 4


_TYPE, _WORD, _NAME, _OTHER = range(4)
"""What is wrong with an argument, what the compiler says first before the rest. The last one: their number."""
_MISNAMED = ("CS1740", "CS1744", "CS1739", "CS1746", "CS8323")


class _Failure(Struct, frozen=True):
    """Why one candidate does not fit, and by which argument; no error where it takes another number of them."""

    error: EvaluationError | None = None
    cause: int = _OTHER
    argument: int = 0

    def rank(self) -> tuple[int, int, int]:
        """Which the compiler tells first: of misnamed arguments that of the candidate nearest to their names."""
        if self.cause != _NAME or self.error is None:
            return self.cause, 0, 0
        return self.cause, _MISNAMED.index(self.error.compiler_code or ""), -self.argument


def _no_overload(universe: Universe, found: Sequence[Candidate], given: Given, name: str) -> EvaluationError | None:
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
    causing = sorted((one for one in failures if one.cause != _OTHER), key=_Failure.rank)
    refused = causing[0] if causing else None
    if refused is not None and refused.error is not None:
        if refused.error.argument in (None, refused.argument):
            refused.error.argument = refused.argument - given.has_receiver
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
    placed, used = list[int](), dict[int, bool]()
    parameters, count = candidate.method.parameters, len(kinds)
    is_expanded = takes_params(candidate)
    for index in range(len(given.operands)):
        word = given.name(index)
        if word is None:
            early = _out_of_position(given, index, parameters)
            if early is not None:
                return _Failure(Diagnostic("CS8323", early), _NAME, given.names.index(early))
            position: int | None = min(index, count - 1) if is_expanded else index
        else:
            position = next((one for one in range(count) if parameters.get(one + 1) == word), None)
            if position is None and _is_invocation(universe, candidate):
                return _Failure(Diagnostic("CS1746", candidate.owner.name, word), _NAME, index)
            if position is None:
                return _Failure(Diagnostic("CS1739", _shown(candidate, name), word), _NAME, index)
            if position in used:
                return _Failure(Diagnostic("CS1740" if used[position] else "CS1744", word), _NAME, index)
        if position is None or position >= count:
            return _Failure()
        used[position] = word is not None
        placed.append(position)
    for position in range(count):
        is_open = has_default(candidate, position) or (is_expanded and position == count - 1)
        if position not in used and not is_open:
            return _Failure(_missing(universe, candidate, kinds, parameters.get(position + 1) or "", name))
    return _unconverted(universe, candidate, kinds, given, placed)


def _out_of_position(given: Given, index: int, parameters: dict[int, str]) -> str | None:
    """The name of an argument before a positional one that does not stand where its parameter does."""
    for before in range(index):
        word = given.name(before)
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
    universe: Universe, candidate: Candidate, kinds: tuple[Type | None, ...], given: Given, placed: list[int]
) -> _Failure | None:
    """The first argument of a type that does not convert to its parameter's; None: they all do, or it is not known."""
    own = [(index, position) for index, position in enumerate(placed) if not (given.has_receiver and index == 0)]
    for index, position in own:
        word = keyword_of(candidate, position)
        if index not in given.by_reference and word not in ("", "in"):
            return _Failure(Diagnostic("CS1620", index + 1, word), _WORD, index)
    if given.by_reference or (candidate.method.signature.generic_count and not given.types):
        return None
    for index, position in own:
        wanted = kinds[position]
        if takes_params(candidate) and position == len(kinds) - 1 and wanted is not None:
            if len(placed) == len(kinds) and _converts(universe, given, index, wanted):
                continue
            wanted = element_of(wanted)
        if wanted is None:
            return None
        if not _converts(universe, given, index, wanted):
            return _Failure(_not_converted(given.operands[index], index, wanted), _TYPE, index)
    return None


def _converts(universe: Universe, given: Given, index: int, wanted: Type) -> bool:
    argument = given.operands[index]
    if argument.type in _OF_EXPRESSIONS or takes_formattable(argument, wanted):
        return True
    return converts_to(universe, argument, wanted, given.constant(index))


def _not_converted(argument: Operand, index: int, wanted: Type) -> EvaluationError:
    source = source_of(argument)
    if source is not None and isinstance(source.fault, EvaluationError) and not source.is_group:
        return source.fault
    shown = "method group" if source is not None and source.is_group else argument.type.name
    return Diagnostic("CS1503", index + 1, shown, wanted.name, argument=index)


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
    reason = _wrong_arity(found, given, name) or _why_generic_does_not_fit(universe, found, given, name)
    sources = [source for operand in given.operands if (source := source_of(operand)) is not None]
    faults = [source.fault for source in sources if isinstance(source.fault, EvaluationError)]
    alike = [one for one in found if len(one.method.signature.parameters) >= len(given.operands)]
    if faults and (len(alike) == 1 or isinstance(faults[0], Diagnostic)):
        return faults[0]
    if reason is None and not faults:
        reason = _no_overload(universe, found, given, name)
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


def _why_generic_does_not_fit(
    universe: Universe, found: Sequence[Candidate], given: Given, name: str
) -> EvaluationError | None:
    """CS0411 and what constraints say of the only method that takes so many arguments; None where it is not that."""
    placed = [(one, places) for one in found if (places := _complete(one, given)) is not None]
    if not placed or not all(one.method.signature.generic_count for one, _ in placed):
        return None
    told = list[tuple[Type, ...] | None]()
    for one, places in placed:
        arguments = [given.operands[place] if place is not None else None for place in places]
        told.append(given.types or infer(universe, one, arguments))
    first, types_given = placed[0][0], told[0]
    shown = f"{name}<{', '.join(one.name for one in first.method.generic_parameters)}>"
    if not any(told):
        return Diagnostic("CS0411", shown)
    if len(placed) > 1 or types_given is None:
        return None
    return broken_constraint(universe, first, types_given, shown)
