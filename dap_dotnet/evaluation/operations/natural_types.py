"""The type that a lambda has by itself: Func or Action, where it says its parameters' types (C# specification 10.7).

A group of methods has one where it is a single method, or methods of one signature.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.operations.program_code import FunctionSource
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.universe import Universe

_FUNC, _ACTION = "System.Func", "System.Action"
_TAKERS = frozenset({"System.Delegate", "System.MulticastDelegate", "System.Object", "System.ICloneable"})
"""What such a delegate converts to."""


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
