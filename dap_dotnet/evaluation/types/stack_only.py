"""Types that only the stack of a method holds: spans and other `ref struct` (C# specification 16.2.3)."""

from __future__ import annotations

from dap_dotnet.evaluation.types.collection_types import SPANS
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.universe import Universe

_ATTRIBUTE = "System.Runtime.CompilerServices.IsByRefLikeAttribute"


def is_stack_only(universe: Universe, kind: Type) -> bool:
    """Whether a type is a `ref struct`."""
    if kind.kind is not Kind.STRUCT:
        return False
    return kind.full_name in SPANS or universe.has_attribute(kind, _ATTRIBUTE)
