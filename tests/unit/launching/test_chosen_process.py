"""Which process `attach` means."""

from __future__ import annotations

from typing import Any

import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching import chosen_process as module
from dap_dotnet.launching import processes
from dap_dotnet.launching.arguments import AttachArguments
from dap_dotnet.launching.processes import DotnetProcess

RUNNING = [
    DotnetProcess(11, "8.0.1", ("/usr/bin/dotnet", "/a/Web.dll", "--port", "1")),
    DotnetProcess(12, "8.0.1", ("/usr/bin/dotnet", "/b/Worker.dll")),
    DotnetProcess(13, "8.0.1", ("/b/Worker",)),
]


@pytest.fixture(autouse=True)
def running(monkeypatch: pytest.MonkeyPatch) -> None:
    for owner in (module, processes):
        monkeypatch.setattr(owner, "list_processes", lambda: RUNNING)


def chosen(**attributes: Any) -> int:
    return module.chosen_process(AttachArguments.model_validate(attributes))


def test_process_by_id_comes_first() -> None:
    assert chosen(processId="7", processName="Web") == 7


@pytest.mark.parametrize("name", ["Web", "Web.dll"])
def test_process_by_name(name: str) -> None:
    assert chosen(processName=name) == 11
    assert chosen(processId="", processName=name) == 11


def test_ambiguous_name_lists_all_of_them() -> None:
    with pytest.raises(LaunchError, match=r"2 processes are called Worker: .*12 .*/b/Worker.dll.*; 13 \(/b/Worker\)"):
        chosen(processName="Worker")


@pytest.mark.parametrize("attributes", [{}, {"processId": None}, {"processName": "Other"}])
def test_without_a_process_all_are_listed(attributes: dict[str, Any]) -> None:
    with pytest.raises(LaunchError, match=r"There are: 11 \(.*; 12 \(.*; 13 \("):
        chosen(**attributes)
