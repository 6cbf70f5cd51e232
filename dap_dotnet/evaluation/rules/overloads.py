"""Overload resolution: which of the methods that apply is the best one, and its call (C# specification 12.6.4.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.bound_tree import source_of
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.numeric import BITS, SIGNED
from dap_dotnet.evaluation.rules.applicable import Chosen, Given, fit, fit_expanded, placed_arguments
from dap_dotnet.evaluation.rules.conversions import compare_functions, converts
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import READ_ONLY_SPAN, element_of
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.evaluation.types.implicit_conversions import converts_to_span, prefers_handler
from dap_dotnet.evaluation.types.inheritance import is_subtype
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.symbols.language_version import FIRST_PRIORITIES, FIRST_SPANS

if TYPE_CHECKING:
    from portablepdb.members import Method

_ACCESS, _PUBLIC, _VIRTUAL, _NEW_SLOT = 0x7, 0x6, 0x40, 0x100
"""MethodAttributes (ECMA-335 II.23.1.10)."""


_PRIORITY = "System.Runtime.CompilerServices.OverloadResolutionPriorityAttribute"


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
    return _best(universe, given, fitting, name) if fitting else None


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
    more = _more_specific(one.candidate.method, other.candidate.method)
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


# which parameters are the better ones (C# specification 12.6.4.3 to 12.6.4.7)


def compare_parameters(
    universe: Universe,
    arguments: Sequence[Operand],
    one: Sequence[Type | None],
    other: Sequence[Type | None],
    *,
    to_spans: bool = True,
) -> int:
    """Below 0 when the parameter types `one`, in the order of the arguments, are better; above 0: `other`; else 0.

    `to_spans`: whether the language converts to spans itself.
    """
    found = {_compare_for(universe, *each, to_spans=to_spans) for each in zip(arguments, one, other, strict=True)}
    if -1 in found and 1 in found:
        return 0
    return -1 if -1 in found else 1 if 1 in found else 0


def _compare_for(
    universe: Universe, given: Operand, one: Type | None, other: Type | None, *, to_spans: bool = True
) -> int:
    source = source_of(given)
    if given.type is types.COLLECTION and one is not None and other is not None and one is not other:
        return _compare_collections(universe, given, one, other)
    if source is not None and one is not None and other is not None and one is not other:
        return compare_functions(universe, source, one, other)
    preferred = prefers_handler(universe, given, one, other)
    return preferred or _compare(universe, given.type, one, other, to_spans=to_spans)


def _compare_collections(universe: Universe, given: Operand, one: Type, other: Type) -> int:
    """The better conversion of a collection expression (C# 13): by its elements, then spans, then as other types."""
    first, second = element_of(one), element_of(other)
    if first is None or second is None:
        return 0
    found = {_compare_for(universe, item, first, second) for item in given.data}
    if {-1, 1} & found:
        return 0 if {-1, 1} <= found else -1 if -1 in found else 1
    ranks = [_SPAN_RANKS.get(kind.full_name, 2) for kind in (one, other)]
    if ranks[0] != ranks[1]:
        return -1 if ranks[0] < ranks[1] else 1
    return _compare(universe, given.type, one, other)


_SPAN_RANKS = {"System.ReadOnlySpan`1": 0, "System.Span`1": 1}


def _compare(universe: Universe, given: Type, one: Type | None, other: Type | None, *, to_spans: bool = True) -> int:
    """The better conversion (12.6.4.5) and the better target (12.6.4.7) for an argument of a type."""
    if one is other or one is None or other is None:
        return 0
    if given is one or given is other:
        return -1 if given is one else 1
    spans = [to_spans and converts_to_span(universe, given, kind) for kind in (one, other)]
    if spans[0] is not spans[1]:
        return -1 if spans[0] else 1
    if all(spans) and one.full_name != other.full_name:
        return -1 if one.full_name == READ_ONLY_SPAN else 1
    if all(spans):
        one, other = one.arguments[0], other.arguments[0]
    down, up = converts(universe, one, other), converts(universe, other, one)
    if down is not up:
        return -1 if down else 1
    return _by_sign(one, other)


def _by_sign(one: Type, other: Type) -> int:
    """Of an integral type with a sign and one without, the one with."""
    one, other = (kind.element if kind.kind is Kind.NULLABLE else kind for kind in (one, other))
    if not all(kind.kind is Kind.NUMBER and kind.code in BITS for kind in (one, other)):
        return 0
    signs = one.code in SIGNED, other.code in SIGNED
    return 0 if signs[0] is signs[1] else -1 if signs[0] else 1


def _more_specific(one: Method, other: Method) -> int:
    """Below 0 when the declared types of the parameters of `one` are the more specific ones (12.6.4.3); above 0; 0."""
    from portablepdb import signatures as sig

    def compared(first: object, second: object) -> set[int]:
        parameters = (sig.TypeParameter, sig.MethodParameter)
        if isinstance(first, parameters) or isinstance(second, parameters):
            if isinstance(first, parameters) and isinstance(second, parameters):
                return set()
            return {1} if isinstance(first, parameters) else {-1}
        if isinstance(first, sig.GenericInstance) and isinstance(second, sig.GenericInstance):
            pairs = zip(first.arguments, second.arguments, strict=False)
            return {found for pair in pairs for found in compared(*pair)}
        if isinstance(first, sig.SzArrayType) and isinstance(second, sig.SzArrayType):
            return compared(first.element, second.element)
        return set()

    pairs = zip(one.signature.parameters, other.signature.parameters, strict=False)
    found = {way for pair in pairs for way in compared(*pair)}
    return -1 if found == {-1} else 1 if found == {1} else 0
