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
    if kind.full_name in SPANS:
        return True
    definition, module = universe.definition_of(kind), universe.module_of(kind)
    if definition is None or module is None or module.metadata is None:
        return False
    return any(one.type_name == _ATTRIBUTE for one in module.metadata.attributes_of(definition[1]))
