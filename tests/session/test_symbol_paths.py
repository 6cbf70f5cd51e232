"""`symbolOptions.searchPaths`: where the PDBs of all modules are searched for, after a restart too."""

from __future__ import annotations

import os
from typing import Any

import pytest

from portablepdb import Assembly
from tests.support.fake_debuggee.sample import line_of


def test_module_that_is_left_out_has_no_symbols(session_of: Any) -> None:
    with session_of() as session:
        modules = {"mode": "loadAllButExcluded", "excludedModules": ["sam*.DLL"]}
        (found,) = session.launch(line_of("begin"), symbolOptions={"moduleFilter": modules})
        assert not found.verified
        session.client.wait_for_exit()
        assert "stopped" not in session.names()
        loaded = [body["module"] for body in session.client.events("module") if body["module"]["name"] == "Sample.dll"]
        assert [module["isUserCode"] for module in loaded] == [False]
        assert not [body for body in session.client.events("output") if "no effect" in body["output"]]


def test_folders_are_searched_for_the_symbols_of_each_run(session_of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[tuple[str, ...]] = []
    find = Assembly.find_pdb

    def recorded(assembly: Assembly, search_paths: Any = ()) -> Any:
        searched.append(tuple(search_paths))
        return find(assembly, search_paths)

    with session_of() as session:
        monkeypatch.setattr(Assembly, "find_pdb", recorded)
        paths = ["/symbols", "~/symbols", "relative"]
        session.launch(line_of("begin"), symbolOptions={"searchPaths": paths})
        session.client.wait_for_stop()
        wanted = ("/symbols", os.path.expanduser("~/symbols"))
        of_first_run = searched.count(wanted)
        assert of_first_run > 0
        session.client.request("restart")
        session.client.wait_for_stop()
        assert searched.count(wanted) > of_first_run
        told = [body["output"] for body in session.client.events("output") if "searchPaths" in body["output"]]
    assert told == [
        "symbolOptions.searchPaths: only absolute folders and the addresses of symbol servers count, not relative.\n"
    ]
