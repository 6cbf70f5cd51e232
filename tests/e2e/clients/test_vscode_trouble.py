"""What stands in the way of a session in the real editor is said, with a button that helps, and the next F5 works."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.e2e.clients.browser import Browser
from tests.e2e.clients.recording import adapter_program
from tests.e2e.clients.vscode import Editor, Open, run_code_server, write_project
from tests.support.dotnet import Installation, Runtime
from tests.support.processes import command_line

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900), pytest.mark.xdist_group("vscode")]
BUILD_S = 120
WAITS = 'int answer = 42;\nSystem.Console.WriteLine("stopped above " + answer);\n'


def adapters(folder: Path) -> list[int]:
    """The debuggers that were started in a folder."""
    running = [int(process.name) for process in Path("/proc").glob("[0-9]*")]
    ours = [process for process in running if adapter_program() in command_line(process)]
    return [process for process in ours if Path(f"/proc/{process}/cwd").resolve() == folder]


def test_killed_debugger_is_started_again_by_a_button(
    open_editor: Open, workspace: Path, newest_runtime: Runtime
) -> None:
    source = write_project(workspace / "App", newest_runtime, WAITS)
    editor = open_editor(workspace)
    editor.open_at(source, 2)
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_row("answer, value 42", BUILD_S)
    (adapter,) = adapters(workspace)
    os.kill(adapter, signal.SIGKILL)
    editor.wait_for_page("The debugger was killed, and the program with it.")
    editor.wait_for_no_row("answer")
    editor.click_button("Start Again")
    editor.wait_for_row("answer, value 42")
    editor.browser.press("F5")
    editor.wait_for_page("has exited with code")
    assert "was killed" not in editor.browser.text()
    assert not editor.has_dialog


def test_broken_project_is_opened_by_a_button(open_editor: Open, workspace: Path, newest_runtime: Runtime) -> None:
    source = write_project(workspace / "App", newest_runtime, WAITS)
    project = source.with_name("App.csproj")
    right = project.read_text()
    project.write_text(right.replace("</TargetFramework>", "x</TargetFramework>"))
    editor = open_editor(workspace)
    editor.open_at(source, 2)
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_page("The build of App.csproj failed with an error: App.csproj: error NETSDK", BUILD_S)
    editor.click_button("Open Project")
    editor.browser.wait_for("document.querySelector('.tab.active')?.innerText.includes('App.csproj')", "the project")
    project.write_text(right)
    editor.browser.press("F5")
    editor.wait_for_row("answer, value 42", BUILD_S)
    editor.browser.press("Shift+F5")
    assert not editor.has_dialog


SLOW = '<Target Name="Slow" BeforeTargets="CoreCompile"><Exec Command="sleep 60" /></Target>'


def test_debugger_killed_while_it_builds(open_editor: Open, workspace: Path, newest_runtime: Runtime) -> None:
    source = write_project(workspace / "App", newest_runtime, WAITS, SLOW)
    project = source.with_name("App.csproj")
    editor = open_editor(workspace)
    editor.open_at(source, 2)
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_page("Building: App.csproj")
    (adapter,) = adapters(workspace)
    os.kill(adapter, signal.SIGKILL)
    editor.wait_for_page("The debugger was killed")
    gone = "!document.querySelector('.notifications-toasts')?.innerText.includes('Building')"
    editor.browser.wait_for(gone, "the end of the progress", 5)
    project.write_text(project.read_text().replace(SLOW, ""))
    editor.click_button("Start Again")
    editor.wait_for_row("answer, value 42", BUILD_S)
    editor.browser.press("Shift+F5")
    assert not editor.has_dialog


def test_missing_sdk_is_said_with_where_to_get_it(
    *,
    code_server: str,
    extension: Path,
    editor_environment: dict[str, str],
    installation: Installation,
    browser: Browser,
    workspace: Path,
    newest_runtime: Runtime,
    tmp_path: Path,
) -> None:
    source = write_project(workspace / "App", newest_runtime, WAITS)
    home = tmp_path / "home"
    home.mkdir()
    variables = {name: value for name, value in editor_environment.items() if not name.startswith("DOTNET_ROOT")}
    variables |= {"PATH": "/usr/bin:/bin", "HOME": str(home)}
    settings = {"dap-dotnet.adapterPath": adapter_program()}
    with run_code_server(code_server, extension, tmp_path / "server", variables, settings) as address:
        editor = Editor(browser, address, workspace)
        editor.open_at(source, 2)
        editor.browser.press("F9")
        editor.browser.press("F5")
        editor.wait_for_page("No .NET SDK was found to build", 60)
        editor.wait_for_page("Get .NET")
        (home / ".dotnet").symlink_to(installation.sdk_for(newest_runtime).root)
        editor.browser.press("F5")
        editor.wait_for_row("answer, value 42", BUILD_S)
        editor.browser.press("Shift+F5")
        assert not editor.has_dialog


def test_program_is_chosen_among_300_projects(open_editor: Open, workspace: Path, newest_runtime: Runtime) -> None:
    for number in range(300):
        write_project(workspace / "src" / f"App{number}", newest_runtime, WAITS if number % 2 else None)
    editor = open_editor(workspace)
    editor.status("Choose what F5 starts")
    editor.browser.press("F5")
    editor.list_rows("Start which program?")
    editor.browser.type("App299")
    first = "document.querySelector('.quick-input-list .monaco-list-row')?.getAttribute('aria-label')"
    editor.browser.wait_for(f"{first} === 'App299, src/App299/App299.csproj'", "the last project")
    editor.browser.press("Enter")
    editor.wait_for_page("stopped above 42", BUILD_S)
    editor.status("App299")
    assert not editor.has_dialog
