"""Lambdas and groups of methods as arguments: whether a parameter takes one, and which parameter is the better one."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.bound_tree import FunctionSource
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import delegate_signature
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.universe import Universe

_FUNC, _ACTION = "System.Func", "System.Action"
_TAKERS = frozenset({"System.Delegate", "System.MulticastDelegate", "System.Object", "System.ICloneable"})
"""What such a delegate converts to."""
_EXPRESSION = "System.Linq.Expressions.Expression`1"


def delegate_of(kind: Type) -> Type:
    """The type of delegates that a parameter stands for, which may take the expression tree of one."""
    return kind.arguments[0] if kind.full_name == _EXPRESSION else kind


def fits_function(universe: Universe, source: FunctionSource, parameter: Type) -> bool:
    """Whether a delegate of the parameter's type can be made of a lambda."""
    if takes_delegates(parameter):
        return natural_delegate(universe, source) is not None
    signature = delegate_signature(universe, delegate_of(parameter))
    return signature is not None and source.takes(len(signature.parameters)) and source.fits(signature)


def compare_functions(universe: Universe, source: FunctionSource, one: Type, other: Type) -> int:
    """Below 0 when a lambda converts better to `one` (C# specification 12.6.4.5), above 0: to `other`; else 0."""
    first, second = delegate_signature(universe, delegate_of(one)), delegate_signature(universe, delegate_of(other))
    if (first is None) is not (second is None):
        return 1 if first is None else -1
    if first is None or second is None or first.parameters != second.parameters or first.result is second.result:
        return 0
    if types.VOID in (first.result, second.result):
        return 1 if first.result is types.VOID else -1
    kinds = [kind for kind in first.parameters if kind is not None]
    given = source.result_type(kinds) if len(kinds) == len(first.parameters) else None
    if given is None or first.result is None or second.result is None:
        return 0
    if given in (first.result, second.result):
        return -1 if given is first.result else 1
    down = implicitly_converts(universe, first.result, second.result)
    up = implicitly_converts(universe, second.result, first.result)
    return 0 if down is up else -1 if down else 1


def natural_delegate(universe: Universe, source: FunctionSource) -> Type | None:
    """None where parameters have no types, the result has none, or the program has loaded no such delegates."""
    found = source.natural()
    if found is None:
        return None
    kinds, result = found
    if result in (types.NULL, types.LAMBDA, types.TUPLE, types.COLLECTION):
        return None
    return _named(universe, _ACTION, kinds) if result is types.VOID else _named(universe, _FUNC, [*kinds, result])


def _named(universe: Universe, stem: str, arguments: Sequence[Type]) -> Type | None:
    return universe.named(f"{stem}`{len(arguments)}" if arguments else stem, tuple(arguments))


def takes_delegates(parameter: Type) -> bool:
    """Whether a parameter takes a lambda as a delegate of its natural type."""
    return parameter.full_name in _TAKERS or parameter is types.OBJECT
