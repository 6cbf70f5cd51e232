"""Handlers of interpolated strings (C# specification 12.8.3): types that take one piece by piece."""

from __future__ import annotations

from dap_dotnet.evaluation.types.csharp_types import Operand, Type, WrittenText
from dap_dotnet.evaluation.types.universe import Universe

_ATTRIBUTE = "System.Runtime.CompilerServices.InterpolatedStringHandlerAttribute"


def is_handler(universe: Universe, kind: Type) -> bool:
    """Whether a type is a handler of interpolated strings."""
    return universe.has_attribute(kind, _ATTRIBUTE)


def takes_handler(universe: Universe, operand: Operand, target: Type) -> bool:
    """Whether an operand is an interpolated string in code that is to become a handler."""
    return isinstance(operand.data, WrittenText) and is_handler(universe, target)


def prefers_handler(universe: Universe, given: Operand, one: Type | None, other: Type | None) -> int:
    """Below 0 when an interpolated string converts better to `one` (12.6.4.5), above 0: to `other`; else 0.

    A handler of the framework does what string.Format does, which takes less.
    """
    if not isinstance(given.data, WrittenText) or not given.data.has_holes:
        return 0
    ranks = [kind is not None and is_handler(universe, kind) and not _is_framework(kind) for kind in (one, other)]
    return int(ranks[1]) - int(ranks[0])


def _is_framework(kind: Type) -> bool:
    return kind.full_name.startswith("System.")


FORMATTABLE = frozenset({"System.FormattableString", "System.IFormattable"})
"""What an interpolated string converts to, besides string."""


def takes_formattable(operand: Operand, target: Type) -> bool:
    """Whether an operand is an interpolated string that is to become a FormattableString."""
    return isinstance(operand.data, WrittenText) and target.full_name in FORMATTABLE
