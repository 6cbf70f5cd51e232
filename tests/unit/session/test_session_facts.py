"""What a session finds out of its program, and how often it looks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dap_dotnet.session import session_facts
from dap_dotnet.session.session_facts import SessionFacts


class Facts(SessionFacts):
    def __init__(self, runtime_version: str) -> None:
        self._debuggee = SimpleNamespace(runtime_version=runtime_version, process_id=7, is_frozen=False)  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("runtime_version", "environment", "expected", "looks"),
    [
        ("10.0.12", {"DOTNET_RuntimeAsync": "1"}, True, 1),
        ("10.0.12", {"PATH": "/bin"}, False, 1),
        ("9.0.20", {"DOTNET_RuntimeAsync": "1"}, False, 0),
        ("", {"DOTNET_RuntimeAsync": "1"}, False, 0),
    ],
)
def test_environment_is_looked_at_once_for_methods_that_the_runtime_suspends(
    monkeypatch: pytest.MonkeyPatch, runtime_version: str, environment: dict[str, str], expected: bool, looks: int
) -> None:
    looked = []

    def environment_of(process_id: int) -> dict[str, str]:
        looked.append(process_id)
        return environment

    monkeypatch.setattr(session_facts, "environment_of", environment_of)
    facts = Facts(runtime_version)
    assert [facts.has_runtime_async for _ in range(3)] == [expected] * 3
    assert looked == [7] * looks


def test_process_that_has_ended_has_no_such_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    def environment_of(process_id: int) -> dict[str, str]:
        raise FileNotFoundError(process_id)

    monkeypatch.setattr(session_facts, "environment_of", environment_of)
    assert not Facts("10.0.12").has_runtime_async
