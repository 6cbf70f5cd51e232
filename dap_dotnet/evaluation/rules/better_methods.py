"""Of two methods that fit the arguments of a call, which is the better one (C# specification 12.6.4.3 to 12.6.4.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.evaluation.bound_tree import source_of
from dap_dotnet.evaluation.numbers.numeric import BITS, SIGNED
from dap_dotnet.evaluation.rules.conversion_operators import conversion_operator
from dap_dotnet.evaluation.rules.function_conversions import compare_functions
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.collection_types import READ_ONLY_SPAN, element_of
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.implicit_conversions import converts_to_span, implicitly_converts, prefers_handler
from dap_dotnet.evaluation.types.universe import Universe

if TYPE_CHECKING:
    from portablepdb.members import Method


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
    down, up = _converts(universe, one, other), _converts(universe, other, one)
    if down is not up:
        return -1 if down else 1
    return _by_sign(one, other)


def _converts(universe: Universe, source: Type, target: Type) -> bool:
    """Whether there is an implicit conversion, which the program may define."""
    return implicitly_converts(universe, source, target) or conversion_operator(universe, source, target) is not None


def _by_sign(one: Type, other: Type) -> int:
    """Of an integral type with a sign and one without, the one with."""
    one, other = (kind.element if kind.kind is Kind.NULLABLE else kind for kind in (one, other))
    if not all(kind.kind is Kind.NUMBER and kind.code in BITS for kind in (one, other)):
        return 0
    signs = one.code in SIGNED, other.code in SIGNED
    return 0 if signs[0] is signs[1] else -1 if signs[0] else 1


def best_common(universe: Universe, kinds: Sequence[Type]) -> Type | None:
    """The one of several types to which all the others convert implicitly; None when there is none, or more."""
    distinct = list(dict.fromkeys(kinds))
    fitting = [kind for kind in distinct if all(_converts(universe, other, kind) for other in distinct)]
    return fitting[0] if len(fitting) == 1 else None


def more_specific(one: Method, other: Method) -> int:
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
