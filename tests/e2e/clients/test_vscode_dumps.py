"""Core dumps in the real editor: saved at a stop, opened from the message, as a person would."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.clients.vscode import Editor, Open
from tests.support import programs
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900), pytest.mark.xdist_group("vscode")]
BUILD_S = 120


@pytest.fixture
def crashing(project: Path, newest_runtime: Runtime) -> Path:
    """The project with a program that crashes."""
    shutil.copy(programs.build("Crashing", newest_runtime).source, project / "Program.cs")
    return project


def picture(editor: Editor, name: str) -> None:
    """Keep a picture in the folder that DAP_DOTNET_PICTURES names, for the documentation."""
    if folder := os.environ.get("DAP_DOTNET_PICTURES"):
        (Path(folder) / name).write_bytes(editor.browser.picture())


def test_dump_is_saved_at_a_stop_and_opened(open_editor: Open, crashing: Path, newest_runtime: Runtime) -> None:
    editor = open_editor(crashing)
    editor.open_at(crashing / "Program.cs", 1)
    editor.browser.press("F5")
    editor.wait_for_row("Stack Frame Program.Handle", BUILD_S)
    editor.command("dap-dotnet: Save Core Dump")
    assert [row.partition(",")[0] for row in editor.list_rows("Save a core dump")] == ["Heap", "Full", "Mini", "Triage"]
    picture(editor, "save-core-dump.png")
    editor.browser.press("Enter")
    box = "document.activeElement?.closest('.quick-input-widget') && document.activeElement.value"
    editor.browser.wait_for(f"({box})?.endsWith('.dmp')", "the name of the dump")
    editor.browser.press("Enter")
    editor.wait_for_page("Saved a core dump")
    (dump,) = crashing.glob("*.dmp")
    assert dump.stat().st_mode & 0o777 == 0o600
    editor.browser.press("Shift+F5")
    editor.wait_for_no_row("Stack Frame Program.Handle")
    editor.click_button("Open")
    row = editor.wait_for_row("Stack Frame Program.Handle")
    assert f"line {programs.build('Crashing', newest_runtime).line('throw')}, Program.cs" in row
    assert editor.wait_for_row("depth, value") == "depth, value 3"
    editor.wait_for_page("cannot handle Anndeep 3")
    picture(editor, "core-dump-open.png")
    assert not editor.has_dialog
