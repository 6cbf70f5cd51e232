"""Which methods are the code of async ones, as the PDB says: kept with their module, since each step asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb import AsyncInfo

_KEPT: ModuleMemo[MethodToken, AsyncInfo | None] = ModuleMemo(
    "async methods", lambda module, method: module.pdb.async_info(method) if module.pdb is not None else None
)


def async_info(module: LoadedModule, method: MethodToken) -> AsyncInfo | None:
    """The awaits of an async method, by the MoveNext that is its code; None for other methods, and without symbols.

    Raises `PortablePdbError` for damaged symbols.
    """
    return _KEPT(module, method)
