"""The local variables and constants in scope at an IL offset: kept, for each evaluation at a stop asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.symbols.modules import CacheSlot, LoadedModule

if TYPE_CHECKING:
    from portablepdb import LocalConstant, LocalVariable

_MOST_PLACES = 1_000
"""Places that a module keeps."""
_VARIABLES: CacheSlot[dict[tuple[int, int], list[LocalVariable]]] = CacheSlot("locals by place", lambda _: {})
_CONSTANTS: CacheSlot[dict[tuple[int, int], list[LocalConstant]]] = CacheSlot("constants by place", lambda _: {})


def locals_at(module: LoadedModule, method: int, il_offset: int) -> list[LocalVariable]:
    """The variables in scope, of the outermost scope first; none without a PDB. Not to be changed."""
    known = module.cached(_VARIABLES)
    found = known.get((method, il_offset))
    if found is None:
        if len(known) >= _MOST_PLACES:
            known.clear()
        found = module.pdb.locals_at(method, il_offset) if module.pdb is not None else []
        known[method, il_offset] = found
    return found


def constants_at(module: LoadedModule, method: int, il_offset: int) -> list[LocalConstant]:
    """As `locals_at`, of the local constants."""
    known = module.cached(_CONSTANTS)
    found = known.get((method, il_offset))
    if found is None:
        if len(known) >= _MOST_PLACES:
            known.clear()
        found = module.pdb.constants_at(method, il_offset) if module.pdb is not None else []
        known[method, il_offset] = found
    return found
