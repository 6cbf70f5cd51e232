"""Where the PDB of a module is searched for, and for which modules at all (`symbolOptions`)."""

from __future__ import annotations

import re

from msgspec import Struct

MICROSOFT = "https://msdl.microsoft.com/download/symbols"
"""The public server for the PDBs of .NET itself."""


class SymbolSearch(Struct, frozen=True):
    """Patterns are file names of modules in any letter case, with `*` for any text."""

    folders: tuple[str, ...] = ()
    """Searched after the module's own folder."""
    excluded: tuple[str, ...] = ()
    """Modules without symbols."""
    included: tuple[str, ...] | None = None
    """The only modules with symbols; None: all but `excluded`, which otherwise does not count."""
    looks_beside_others: bool = True
    """With `included`: a PDB in or beside any other module is loaded, too."""
    servers: tuple[str, ...] = ()
    """Addresses of symbol servers, asked in this order for what is in none of the folders."""
    cache: str = ""
    """The symbol store for what they have sent; searched last. Empty: there is none, and nothing is downloaded."""

    def folders_for(self, module_name: str) -> tuple[str, ...] | None:
        """Which folders to search for the PDB of a module, after its own; None: it gets none, wherever one lies."""
        if self._is_wanted(module_name):
            return self.folders
        return () if self.included is not None and self.looks_beside_others else None

    def stores_for(self, module_name: str) -> tuple[str, ...]:
        """Which folders to search as symbol stores: those of `folders_for`, and the cache where servers count."""
        is_kept = self.servers and self.cache and self._is_wanted(module_name)
        return (*(self.folders_for(module_name) or ()), *((self.cache,) if is_kept else ()))

    def servers_for(self, module_name: str) -> tuple[str, ...]:
        """Which servers to ask for the PDB of a module that has none here."""
        return self.servers if self.cache and self._is_wanted(module_name) else ()

    def _is_wanted(self, module_name: str) -> bool:
        if self.included is None:
            return not _is_one_of(module_name, self.excluded)
        return _is_one_of(module_name, self.included)


def _is_one_of(module_name: str, patterns: tuple[str, ...]) -> bool:
    return any(_matches(module_name, pattern) for pattern in patterns)


def _matches(module_name: str, pattern: str) -> bool:
    written = ".*".join(re.escape(part) for part in pattern.strip().split("*"))
    return re.fullmatch(written, module_name, re.IGNORECASE | re.DOTALL) is not None
