"""Names of PDBs in symbol stores and on symbol servers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.symbols.symbol_servers import shown
from dap_dotnet.symbols.symbol_store import WantedPdb, wanted_pdb

PDB_ID = bytes(range(16)) + b"stmp"
IDENTIFIER = "030201000504070608090a0b0c0d0e0fFFFFFFFF"


def assembly_naming(path: str, pdb_id: bytes | None = PDB_ID) -> Any:
    return SimpleNamespace(codeview=SimpleNamespace(path=path), pdb_id=pdb_id, pdb_checksums=[], path="/a/b.dll")


def test_key_is_that_of_the_conventions() -> None:
    wanted = WantedPdb("/a/b.dll", "My Lib.pdb", PDB_ID)
    assert wanted.key == f"My Lib.pdb/{IDENTIFIER}/My Lib.pdb"
    assert wanted.url_path == f"My%20Lib.pdb/{IDENTIFIER}/My%20Lib.pdb"
    assert wanted.headers == {}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/src/obj/Lib.pdb", "Lib.pdb"),
        ("C:\\src\\obj\\Lib.pdb", "Lib.pdb"),
        ("Lib.pdb", "Lib.pdb"),
        ("", None),
        ("/src/..", None),
        ("/src/", None),
        ("a\0b.pdb", None),
        ("x" * 256, None),
    ],
)
def test_name_is_a_file_name_and_leads_nowhere_else(path: str, name: str | None) -> None:
    found = wanted_pdb(assembly_naming(path))
    assert (found.name if found is not None else None) == name


def test_windows_pdb_is_not_wanted() -> None:
    assert wanted_pdb(assembly_naming("/src/Lib.pdb", None)) is None


def test_password_is_not_shown() -> None:
    assert shown("https://me:secret@symbols.example:8080/a?token=secret") == "https://symbols.example:8080/a"
