from __future__ import annotations

import os

import pytest

from dap_dotnet.launching.environment import diagnostics_switch_off, sdk_home_problem, temporary_folder


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, None),
        ({"DOTNET_EnableDiagnostics": "1"}, None),
        ({"DOTNET_EnableDiagnostics": "0"}, "DOTNET_EnableDiagnostics=0"),
        ({"COMPlus_EnableDiagnostics": "0x0"}, "COMPlus_EnableDiagnostics=0x0"),
        ({"DOTNET_EnableDiagnostics_Debugger": "0"}, "DOTNET_EnableDiagnostics_Debugger=0"),
        ({"DOTNET_EnableDiagnostics": "1", "COMPlus_EnableDiagnostics": "0"}, None),
        ({"DOTNET_EnableDiagnostics": "", "DOTNET_EnableDiagnostics_IPC": "0"}, None),
        ({"DOTNET_EnableDiagnostics": "no"}, None),
    ],
)
def test_switch_that_forbids_debugging_is_named(variables, expected):
    assert diagnostics_switch_off(variables) == expected


@pytest.mark.parametrize(
    ("variables", "expected"),
    [({}, "/tmp"), ({"TMPDIR": ""}, "/tmp"), ({"TMPDIR": "/a/b/"}, "/a/b"), ({"TMPDIR": "/"}, "/")],
)
def test_temporary_folder_is_that_of_the_runtime(variables, expected):
    assert temporary_folder(variables) == expected


def test_home_in_which_the_sdk_cannot_write(tmp_path, monkeypatch):
    assert sdk_home_problem({"HOME": str(tmp_path)}) is None
    assert sdk_home_problem({"HOME": "/nowhere", "DOTNET_CLI_HOME": str(tmp_path)}) is None
    assert "does not exist" in (sdk_home_problem({"HOME": "/nowhere"}) or "")
    writable = {str(tmp_path / ".dotnet")}
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) in writable)
    assert "cannot be written" in (sdk_home_problem({"HOME": str(tmp_path)}) or "")
    (tmp_path / ".dotnet").mkdir()
    assert sdk_home_problem({"HOME": str(tmp_path)}) is None
    monkeypatch.setattr("dap_dotnet.launching.environment.pwd.getpwuid", {}.__getitem__)
    assert "no home folder" in (sdk_home_problem({"HOME": ""}) or "")
