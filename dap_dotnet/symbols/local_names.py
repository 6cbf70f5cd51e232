"""The local variables and constants in scope at an IL offset: kept, for each evaluation at a stop asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import LocalConstant, LocalVariable

_MOST_PLACES = 1_000
"""Places that a module keeps."""
_VARIABLES: ModuleMemo[tuple[int, int], list[LocalVariable]] = ModuleMemo(
    "locals by place",
    lambda module, place: module.pdb.locals_at(*place) if module.pdb is not None else [],
    _MOST_PLACES,
)
_CONSTANTS: ModuleMemo[tuple[int, int], list[LocalConstant]] = ModuleMemo(
    "constants by place",
    lambda module, place: module.pdb.constants_at(*place) if module.pdb is not None else [],
    _MOST_PLACES,
)


def locals_at(module: LoadedModule, method: int, il_offset: int) -> list[LocalVariable]:
    """The variables in scope, of the outermost scope first; none without a PDB. Not to be changed."""
    return _VARIABLES(module, (method, il_offset))


def constants_at(module: LoadedModule, method: int, il_offset: int) -> list[LocalConstant]:
    """As `locals_at`, of the local constants."""
    return _CONSTANTS(module, (method, il_offset))
