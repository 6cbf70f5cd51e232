"""`dap-dotnet config`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from dap_dotnet.cli.editor_setups import SETUPS, config, own_command, setup_text

EDITORS_MD = Path(__file__).parents[3] / "docs" / "editors.md"


@pytest.mark.parametrize("editor", sorted(SETUPS))
def test_the_docs_have_what_is_printed(editor, capsys):
    assert config([editor, "--command", "dap-dotnet"]) == 0
    printed = capsys.readouterr().out
    assert printed in EDITORS_MD.read_text(encoding="utf-8")
    assert "COMMAND" not in printed


def test_path_is_quoted():
    text = setup_text("nvim", 'C:\\with "quotes" ä')
    assert 'command = "C:\\\\with \\"quotes\\" ä"' in text
    assert "C:\\\\with" in setup_text("helix", "C:\\with")


def test_launch_json_is_json():
    configurations = json.loads(setup_text("vscode", "x"))["configurations"]
    assert {entry["request"] for entry in configurations} == {"launch", "attach"}


def test_set_up_of_kate_is_json():
    (adapter,) = json.loads(setup_text("kate", "C:\\with"))["dap"].values()
    assert adapter["run"]["command"] == ["C:\\with"]
    assert [entry["request"]["command"] for entry in adapter["configurations"].values()] == ["launch", "attach"]


def test_command_is_the_name_where_path_has_it(monkeypatch, tmp_path):
    program = tmp_path / "dap-dotnet"
    program.touch(mode=0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert own_command() == "dap-dotnet"
    monkeypatch.setenv("PATH", "/nowhere")
    assert own_command() == str(program)


def test_unknown_editor_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        config(["ed"])
    assert ended.value.code == 2
    assert "nvim" in capsys.readouterr().err
