"""Handlers of interpolated strings (C# specification 12.8.3): types that take one piece by piece."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.universe import Universe

_ATTRIBUTE = "System.Runtime.CompilerServices.InterpolatedStringHandlerAttribute"


def is_handler(universe: Universe, kind: Type) -> bool:
    """Whether a type is a handler of interpolated strings."""
    return universe.has_attribute(kind, _ATTRIBUTE)


def not_made(kind: Type) -> EvaluationError:
    """An interpolated string is to become a handler."""
    return EvaluationError(
        f"The interpolated string would become a '{kind.name}', a handler of such strings, which is not made here: "
        'pass a string instead, as text + value, or as (string)$"…" where the method takes one'
    )
