"""Where the PDB of a module is searched for, and for which modules at all (`symbolOptions`)."""

from __future__ import annotations

import re

from msgspec import Struct


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

    def folders_for(self, module_name: str) -> tuple[str, ...] | None:
        """Which folders to search for the PDB of a module, after its own; None: it gets none, wherever one lies."""
        if self.included is None:
            return None if _is_one_of(module_name, self.excluded) else self.folders
        if _is_one_of(module_name, self.included):
            return self.folders
        return () if self.looks_beside_others else None


def _is_one_of(module_name: str, patterns: tuple[str, ...]) -> bool:
    return any(_matches(module_name, pattern) for pattern in patterns)


def _matches(module_name: str, pattern: str) -> bool:
    written = ".*".join(re.escape(part) for part in pattern.strip().split("*"))
    return re.fullmatch(written, module_name, re.IGNORECASE | re.DOTALL) is not None
