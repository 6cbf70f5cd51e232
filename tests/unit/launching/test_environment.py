from __future__ import annotations

import pytest

from dap_dotnet.launching.environment import diagnostics_switch_off, temporary_folder


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
