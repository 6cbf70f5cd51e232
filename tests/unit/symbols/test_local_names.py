"""Locals and constants in scope, asked of the PDB once for each place."""

from __future__ import annotations

from typing import Any

from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols import local_names
from dap_dotnet.symbols.modules import LoadedModule


class CountingPdb:
    def __init__(self) -> None:
        self.asked: list[tuple[str, int, int]] = []

    def locals_at(self, method: int, il_offset: int) -> list[Any]:
        self.asked.append(("locals", method, il_offset))
        return [f"local{il_offset}"]

    def constants_at(self, method: int, il_offset: int) -> list[Any]:
        self.asked.append(("constants", method, il_offset))
        return []


def loaded(pdb: CountingPdb | None) -> LoadedModule:
    module = LoadedModule(ModuleInfo(ModuleId(1), "/nowhere/app.dll", 0, 0, False, False, False), lambda *_: b"")
    module.__dict__["_symbols"] = (pdb, None)
    return module


def test_the_pdb_is_asked_once_for_each_place() -> None:
    pdb = CountingPdb()
    module = loaded(pdb)
    for _ in range(2):
        assert local_names.locals_at(module, 1, 5) == ["local5"]
        assert local_names.locals_at(module, 1, 6) == ["local6"]
        assert local_names.constants_at(module, 1, 5) == []
    assert pdb.asked == [("locals", 1, 5), ("locals", 1, 6), ("constants", 1, 5)]


def test_places_are_forgotten_before_they_are_many(monkeypatch: Any) -> None:
    monkeypatch.setattr(local_names._VARIABLES, "_most", 3)
    pdb = CountingPdb()
    module = loaded(pdb)
    for il_offset in (0, 1, 2, 3, 0):
        assert local_names.locals_at(module, 1, il_offset) == [f"local{il_offset}"]
    assert [il_offset for _, _, il_offset in pdb.asked] == [0, 1, 2, 3, 0]


def test_without_a_pdb_there_are_none() -> None:
    assert local_names.locals_at(loaded(None), 1, 5) == []
    assert local_names.constants_at(loaded(None), 1, 5) == []
