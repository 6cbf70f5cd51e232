"""Which modules get symbols, and from where."""

from __future__ import annotations

import pytest

from dap_dotnet.symbols.symbol_search import SymbolSearch

FOLDERS = ("/symbols",)


@pytest.mark.parametrize(
    ("search", "module", "folders"),
    [
        (SymbolSearch(), "App.dll", ()),
        (SymbolSearch(FOLDERS), "App.dll", FOLDERS),
        (SymbolSearch(FOLDERS, excluded=("App.dll",)), "app.DLL", None),
        (SymbolSearch(FOLDERS, excluded=("App",)), "App.dll", FOLDERS),
        (SymbolSearch(FOLDERS, excluded=("My.*.dll", "x")), "My.Core.Data.dll", None),
        (SymbolSearch(FOLDERS, excluded=("My.*.dll",)), "MyXCore.dll", FOLDERS),
        (SymbolSearch(FOLDERS, excluded=("*",), included=("App.dll",)), "App.dll", FOLDERS),
        (SymbolSearch(FOLDERS, included=("App.dll",)), "Other.dll", ()),
        (SymbolSearch(FOLDERS, included=("App.dll",), looks_beside_others=False), "Other.dll", None),
        (SymbolSearch(FOLDERS, included=()), "App.dll", ()),
        (SymbolSearch(FOLDERS, excluded=("a[b].dll",)), "a[b].dll", None),
    ],
)
def test_folders_for_a_module(search, module, folders):
    assert search.folders_for(module) == folders
