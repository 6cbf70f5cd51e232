"""Structures whose only field is repeated: inline arrays ([InlineArray], .NET 8), and the fixed buffers of C#."""

from __future__ import annotations

from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

INLINE_ARRAY = "System.Runtime.CompilerServices.InlineArrayAttribute"
_LENGTHS: CacheSlot[dict[int, int]] = CacheSlot("lengths of inline arrays", lambda _: {})


def inline_length(module: LoadedModule, token: int) -> int:
    """How many elements a TypeDef with [InlineArray] has; 0 for others."""
    lengths = module.cached(_LENGTHS)
    if token not in lengths:
        found = (
            attribute.fixed_arguments[0].value
            for attribute in (module.metadata.attributes_of(token) if module.metadata is not None else ())
            if attribute.type_name == INLINE_ARRAY and attribute.fixed_arguments
        )
        length = next(found, 0)
        lengths[token] = length if isinstance(length, int) else 0
    return lengths[token]
