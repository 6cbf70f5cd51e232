"""How symbol stores and symbol servers name the PDB of a module: ``name.pdb/<id>FFFFFFFF/name.pdb``.

Spec: SSQP key conventions, portable PDB signature.
"""

from __future__ import annotations

import os
import urllib.parse
import uuid
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from portablepdb import Assembly

_AGE = "FFFFFFFF"
"""In place of the age, which Portable PDBs do not have."""
_LONGEST_NAME = 255


class WantedPdb(Struct, frozen=True):
    """The PDB of one build of a module."""

    module_path: str
    name: str
    """Its file name, as the compiler wrote it."""
    pdb_id: bytes
    """20 bytes, as in the module and in the PDB."""
    checksums: tuple[tuple[str, bytes], ...] = ()
    """Algorithm and checksum, as the module has them."""

    @property
    def key(self) -> str:
        """Under which servers and our cache have it, with ``/`` between its parts."""
        return f"{self.name}/{self._identifier}/{self.name}"

    @property
    def url_path(self) -> str:
        """The key as part of an address."""
        return urllib.parse.quote(self.key, safe="/", errors="replace")

    @property
    def headers(self) -> dict[str, str]:
        """What public servers ask for: which checksums the PDB has to have."""
        known = ";".join(f"{algorithm}:{checksum.hex()}" for algorithm, checksum in self.checksums)
        return {"SymbolChecksumValidationSupported": "1", "SymbolChecksum": known} if known else {}

    def find_in(self, folders: Iterable[str]) -> str | None:
        """The file in the first of these folders that is a symbol store with it; None: none of them."""
        names, identifiers = (self.name, self.name.lower()), (self._identifier, self._identifier.lower())
        for folder in folders:
            for name in dict.fromkeys(names):
                for identifier in dict.fromkeys((*identifiers, self._identifier.upper())):
                    path = os.path.join(folder, name, identifier, name)
                    if os.path.isfile(path):
                        return path
        return None

    @property
    def _identifier(self) -> str:
        return uuid.UUID(bytes_le=self.pdb_id[:16]).hex + _AGE


def wanted_pdb(assembly: Assembly) -> WantedPdb | None:
    """The PDB that belongs to an assembly; None where the assembly names no Portable PDB. Raises `PortablePdbError`."""
    code_view, pdb_id = assembly.codeview, assembly.pdb_id
    if code_view is None or pdb_id is None:
        return None
    name = code_view.path.replace("\\", "/").rpartition("/")[2]
    if name in ("", ".", "..") or "\0" in name or len(name.encode(errors="replace")) > _LONGEST_NAME:
        return None
    checksums = tuple(
        (found.algorithm, found.checksum) for found in assembly.pdb_checksums if found.algorithm.isalnum()
    )
    return WantedPdb(assembly.path or "", name, pdb_id, checksums)
