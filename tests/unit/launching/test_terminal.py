"""Launching in a terminal of the client, as far as no .NET is needed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
import pytest

from dap_dotnet.errors import LaunchError
from dap_dotnet.launching.terminal import NoTerminalError, changed_variables, launch_in_terminal
from dap_dotnet.runtime.model import LaunchSpec
from tests.support.descriptors import low_descriptors_taken
from tests.unit.launching.helpers import DEADLINE_SECONDS

Open = Callable[[Sequence[str], str, Mapping[str, "str | None"], Callable[[str], None]], object]


class Opener:
    """A terminal of the client, waited for as long as the test has patience."""

    def __init__(self, open_it: Open, patience_s: float = DEADLINE_SECONDS) -> None:
        self.open = open_it
        self.waits_ended = 0
        self._patience_s = patience_s

    def is_waited_for(self, seconds: float) -> bool:
        return seconds < self._patience_s

    def wait_is_over(self) -> None:
        self.waits_ended += 1


def refusing(_command: Sequence[str], _folder: str, _environment: object, refused: Callable[[str], None]) -> None:
    refused("no terminal here")


SPEC = LaunchSpec(("/bin/sh", "-c", "exit 7"), "/", dict(os.environ))


def test_only_changed_variables_go_to_the_terminal() -> None:
    changed = changed_variables({"A": "1", "B": "new"}, {"A": "1", "B": "old", "C": "gone"})
    assert changed == {"B": "new", "C": None, "TMPDIR": "/tmp"}


def test_refusal_is_told_with_its_reason() -> None:
    with pytest.raises(NoTerminalError, match="no terminal here"):
        launch_in_terminal(SPEC, Opener(refusing), Path("/bin/true"))


def test_terminal_of_an_adapter_with_many_open_files() -> None:
    with low_descriptors_taken(), pytest.raises(NoTerminalError, match="no terminal here"):
        launch_in_terminal(SPEC, Opener(refusing), Path("/bin/true"))


def test_client_that_never_answers_is_not_awaited_for_ever() -> None:
    terminal = Opener(lambda *_: None, patience_s=0.05)
    with pytest.raises(NoTerminalError, match=r"within 0\.\d s"):
        launch_in_terminal(SPEC, terminal, Path("/bin/true"))
    assert terminal.waits_ended == 1


def test_start_that_is_given_up_waits_no_longer() -> None:
    spec = msgspec.structs.replace(SPEC, is_unwanted=lambda: True)
    with pytest.raises(LaunchError, match="given up"):
        launch_in_terminal(spec, Opener(lambda *_: None), Path("/bin/true"))


def test_temporary_folder_with_a_long_path_is_left_for_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = tmp_path / ("l" * 100)
    long.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(long))
    with pytest.raises(NoTerminalError, match="no terminal here"):
        launch_in_terminal(SPEC, Opener(refusing), Path("/bin/true"))
    assert list(long.iterdir()) == []


def test_without_a_folder_for_the_socket_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/no/such/folder")
    monkeypatch.setattr("dap_dotnet.launching.terminal.DEFAULT_TEMPORARY_FOLDER", "/no/such/folder")
    opened: list[object] = []
    with pytest.raises(NoTerminalError, match="No such file"):
        launch_in_terminal(SPEC, Opener(lambda *what: opened.append(what)), Path("/bin/true"))
    assert opened == []


def test_debuggee_waits_at_its_gate_and_its_end_is_reported(launcher_program: Path) -> None:
    started: list[subprocess.Popen[bytes]] = []
    launcher = launch_in_terminal(
        SPEC,
        Opener(lambda command, *_: started.append(subprocess.Popen(command, start_new_session=True))),
        launcher_program,
    )
    try:
        assert launcher.is_alive()
        launcher.open_gate()
        status = launcher.wait(DEADLINE_SECONDS)
        assert status is not None
        assert status.exit_code == 7
    finally:
        launcher.close()
    assert started[0].wait(DEADLINE_SECONDS) == 7
