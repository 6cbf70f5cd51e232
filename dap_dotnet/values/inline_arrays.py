"""Structures whose only field is repeated: inline arrays ([InlineArray], .NET 8), and the fixed buffers of C#."""

from __future__ import annotations

from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.primitives import SIZES

INLINE_ARRAY = "System.Runtime.CompilerServices.InlineArrayAttribute"
_FIXED_ELEMENT = "FixedElementField"
_SIZES = {int(code): size for code, size in SIZES.items()}
_FIXED_LENGTHS: CacheSlot[dict[int, int]] = CacheSlot("lengths of fixed buffers", lambda _: {})
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


def fixed_length(module: LoadedModule, token: int) -> int:
    """How many elements the structure of a fixed buffer has (`fixed int data[4]`, C# 23.8.2); 0 for others."""
    lengths = module.cached(_FIXED_LENGTHS)
    found = lengths.get(token)
    if found is None:
        found = lengths[token] = _fixed_length(module, token)
    return found


def _fixed_length(module: LoadedModule, token: int) -> int:
    metadata = module.metadata
    size = (metadata.type_def(token).layout or (0, 0))[1] if metadata is not None else 0
    if metadata is None or not size:
        return 0
    fields = [field for field in metadata.fields_of(token) if not field.is_static]
    if [field.name for field in fields] != [_FIXED_ELEMENT]:
        return 0
    return size // _SIZES.get(getattr(fields[0].signature, "code", 0), size + 1)
