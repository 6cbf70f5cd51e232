"""The first F5 in the real editor on a machine that has .NET, Python and the extension, but no dap-dotnet."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.clients.browser import Browser
from tests.e2e.clients.vscode import Editor, run_code_server
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import command_line

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900), pytest.mark.xdist_group("vscode")]
FIRST_STOP_S = 120
Begin = Callable[[], Editor]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home of mine"
    folder.mkdir()
    return folder


@pytest.fixture
def server(
    code_server: str, extension: Path, editor_environment: dict[str, str], home: Path, tmp_path: Path
) -> Iterator[str]:
    """The address of an editor for somebody who has installed nothing, and whose variables would mislead a Python."""
    sdk = editor_environment["PATH"].split(os.pathsep)[0]
    variables = {**editor_environment, "HOME": str(home), "PATH": f"{sdk}:/usr/bin:/bin", "PYTHONPATH": "/nonsense"}
    variables |= {"PIP_TARGET": "/nowhere", "PIP_INDEX_URL": "http://127.0.0.1:9/"}
    with run_code_server(code_server, extension, tmp_path / "server", variables, {}) as address:
        yield address


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """The extension's own."""
    return tmp_path / "server" / "User" / "globalStorage" / "dap-dotnet.dap-dotnet"


@pytest.fixture
def begin(server: str, chromium: str, project: Path, newest_runtime: Runtime, tmp_path: Path) -> Iterator[Begin]:
    """Opens a window of the editor, sets a breakpoint and presses F5."""
    line = programs.build("Loop", newest_runtime).line("loop")
    with contextlib.ExitStack() as windows:

        def begin() -> Editor:
            # Each has a project of its own: two builds of one at once would be in each other's way.
            folder = Path(tempfile.mkdtemp(dir=tmp_path))
            shutil.copytree(project, folder / project.name)
            editor = Editor(windows.enter_context(Browser(chromium, folder)), server, folder / project.name)
            editor.open_at(folder / project.name / "Program.cs", line)
            editor.browser.press("F9")
            editor.browser.press("F5")
            return editor

        yield begin


def adapters(folder: Path) -> list[str]:
    """The command lines of the debuggers that run from an environment below the folder."""
    lines = [command_line(int(process.name)) for process in Path("/proc").glob("[0-9]*")]
    return [line for line in lines if line.startswith(f"{folder}/") and "/bin/dap-dotnet" in line]


def test_first_f5_sets_the_debugger_up_in_two_windows_at_once(begin: Begin, storage: Path, tmp_path: Path) -> None:
    editors = [begin(), begin()]
    for editor in editors:
        editor.wait_for_row("Paused on breakpoint", FIRST_STOP_S)
        assert not editor.has_dialog
    assert len(list((storage / "adapter").glob("*/dap-dotnet"))) == 1
    assert len(adapters(storage / "adapter")) == 2
    for project in tmp_path.glob("*/Loop of mine"):
        left = sorted(path.name for path in project.iterdir())
        assert left == ["Loop.csproj", "Program.cs", "bin", "nuget.config", "obj"]


def test_storage_that_cannot_be_written_is_said_with_a_button(begin: Begin, storage: Path, home: Path) -> None:
    storage.mkdir(parents=True, exist_ok=True)
    (storage / "adapter").write_text("not a folder")
    editor = begin()
    editor.wait_for_page("The debugger cannot be set up", 60)
    editor.wait_for_page("adapter: File exists")
    other = home / ".local" / "share" / "dap-dotnet"
    editor.click_button(f"Use {other}")
    editor.wait_for_page("The .NET debugger is ready", 60)
    editor.browser.press("F5")
    editor.wait_for_row("Paused on breakpoint", FIRST_STOP_S)
    assert len(adapters(other)) == 1
    assert not editor.has_dialog


def test_old_python_is_said_with_a_button(begin: Begin, storage: Path, tmp_path: Path) -> None:
    old = tmp_path / "python3.8"
    old.write_text("#!/bin/sh\necho 3.8\n")
    old.chmod(0o755)
    machine = tmp_path / "server" / "Machine" / "settings.json"  # where a setting of the machine belongs
    machine.parent.mkdir(exist_ok=True)
    machine.write_text(json.dumps({"dap-dotnet.python": str(old)}))
    editor = begin()
    editor.wait_for_page(f"{old} is Python 3.8 and is what the setting dap-dotnet.python names", 60)
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "python3").symlink_to("/usr/bin/python3")
    editor.click_button("Choose Python…")
    editor.browser.wait_for("document.activeElement?.closest('.quick-input-widget')", "the file dialog")
    editor.browser.press("Control+A")
    editor.browser.type(f"{tmp_path}/newer/")
    rows = "[...document.querySelectorAll('.quick-input-list .monaco-list-row')].map(row => row.innerText.trim())"
    editor.browser.wait_for(f"{rows}.join() === '..,python3'", "the folder's contents")
    editor.browser.type("python3")
    editor.browser.press("Enter")
    editor.wait_for_page("The .NET debugger is ready", 60)
    editor.browser.press("F5")
    editor.wait_for_row("Paused on breakpoint", FIRST_STOP_S)
    assert len(adapters(storage / "adapter")) == 1
