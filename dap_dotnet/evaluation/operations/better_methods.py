"""Of two methods that fit the arguments of a call, which is the better one (C# specification 12.6.4.3 to 12.6.4.7)."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.numbers.numeric import BITS, SIGNED
from dap_dotnet.evaluation.operations.function_arguments import compare_functions
from dap_dotnet.evaluation.operations.program_code import source_of
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.universe import Universe


def compare_parameters(
    universe: Universe, arguments: Sequence[Operand], one: Sequence[Type | None], other: Sequence[Type | None]
) -> int:
    """Below 0 when the parameter types `one`, in the order of the arguments, are better; above 0: `other`; else 0."""
    found = {_compare_for(universe, given, a, b) for given, a, b in zip(arguments, one, other, strict=True)}
    if -1 in found and 1 in found:
        return 0
    return -1 if -1 in found else 1 if 1 in found else 0


def _compare_for(universe: Universe, given: Operand, one: Type | None, other: Type | None) -> int:
    source = source_of(given)
    if source is not None and one is not None and other is not None and one is not other:
        return compare_functions(universe, source, one, other)
    return _compare(universe, given.type, one, other)


def _compare(universe: Universe, given: Type, one: Type | None, other: Type | None) -> int:
    """The better conversion target (12.6.4.7) for an argument of a type."""
    if one is other or one is None or other is None:
        return 0
    if given is one or given is other:
        return -1 if given is one else 1
    down, up = implicitly_converts(universe, one, other), implicitly_converts(universe, other, one)
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


def best_common(universe: Universe, kinds: Sequence[Type]) -> Type | None:
    """The one of several types to which all the others convert implicitly; None when there is none, or more."""
    distinct = list(dict.fromkeys(kinds))
    fitting = [kind for kind in distinct if all(implicitly_converts(universe, other, kind) for other in distinct)]
    return fitting[0] if len(fitting) == 1 else None
