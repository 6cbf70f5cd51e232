"""What the first F5 does in the real editor, by what is open and what the workspace has. There is no launch.json."""

from __future__ import annotations

import json
import re
import socket
import time
from pathlib import Path

import pytest

from tests.e2e.clients.vscode import Editor, Open, write_project
from tests.support import programs
from tests.support.dotnet import Installation, Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900), pytest.mark.xdist_group("vscode")]
BUILD_S = 120
RUN = "[...document.querySelectorAll('.welcome-view .monaco-button')].find(it => it.innerText === 'Run and Debug')"


def says(text: str, workspace: Path) -> str:
    """A statement that leaves a word in the workspace's file `said`."""
    return f'System.IO.File.AppendAllText("{workspace}/said", "{text} ");\n'


def wait_for_runs(editor: Editor, workspace: Path, *names: str) -> None:
    """Until all these have said their name, in this order, and the last one has ended."""
    deadline = time.monotonic() + BUILD_S
    said = workspace / "said"
    while not said.exists() or said.read_text().split() != list(names):
        assert time.monotonic() < deadline, (
            f"{said.read_text() if said.exists() else 'nothing'}: {editor.browser.text()}"
        )
        time.sleep(0.1)
    editor.browser.wait_for(RUN, "the end of the session")  # the keys mean what they did a moment after it
    assert not editor.has_dialog


def test_several_programs_are_asked_for_once(open_editor: Open, workspace: Path, newest_runtime: Runtime) -> None:
    write_project(workspace / "Api", newest_runtime, says("api", workspace))
    write_project(workspace / "Worker", newest_runtime, says("worker", workspace))
    core = write_project(workspace / "Core", newest_runtime, None)
    (workspace / "README.md").write_text("# Hello\n")
    editor = open_editor(workspace)
    editor.status("Choose what F5 starts")
    editor.browser.press("F5")  # no file is open
    assert editor.list_rows("Start which program?") == ["Api, Api/Api.csproj", "Worker, Worker/Worker.csproj"]
    editor.browser.type("Wor")
    editor.browser.press("Enter")
    wait_for_runs(editor, workspace, "worker")
    editor.open_at(core, 1)
    editor.status("Worker")
    editor.browser.press("F5")
    wait_for_runs(editor, workspace, "worker", "worker")
    editor.open_at(workspace / "README.md", 1)
    editor.browser.wait_for(f"({RUN}.click(), true)", "the button, which does what the menu does")
    wait_for_runs(editor, workspace, "worker", "worker", "worker")
    editor.open_at(workspace / "Api" / "Api.csproj", 1)
    editor.status("Api")
    editor.browser.press("F5")
    wait_for_runs(editor, workspace, "worker", "worker", "worker", "api")
    editor.open_at(core, 1)
    editor.status("Worker")
    item = "[...document.querySelectorAll('.statusbar-item a')].find(item => item.innerText.trim() === 'Worker')"
    editor.browser.wait_for(f"({item}.click(), true)", "the item of the status bar")
    rows = editor.list_rows("What F5 starts")
    assert rows[1:] == ["Api, Api/Api.csproj", "Worker, Worker/Worker.csproj (now)"]
    editor.browser.type("Api")
    editor.browser.press("Enter")
    editor.status("Api")
    editor.browser.press("F5")
    wait_for_runs(editor, workspace, "worker", "worker", "worker", "api", "api")


def test_file_beside_its_project_without_a_folder(open_editor: Open, workspace: Path, newest_runtime: Runtime) -> None:
    source = write_project(workspace / "Alone", newest_runtime, says("alone", workspace))
    editor = open_editor(None)
    editor.open_file(source)
    editor.set_first_breakpoint()
    editor.browser.press("F5")
    editor.wait_for_row("Paused on breakpoint", BUILD_S)
    editor.browser.press("F5")
    wait_for_runs(editor, workspace, "alone")


def test_empty_window_says_what_to_open(open_editor: Open) -> None:
    editor = open_editor(None)
    for attempt in range(10):  # until the window knows our extension VS Code asks which debugger
        editor.browser.press("F5")
        try:
            editor.wait_for_page("There is no .NET project here", 3)
            break
        except AssertionError:
            if attempt == 9:
                raise
            editor.browser.press("Escape")
    editor.wait_for_page("Open Folder…")
    assert not editor.has_dialog


def test_file_without_a_project_is_a_program(
    open_editor: Open, workspace: Path, newest_runtime: Runtime, installation: Installation
) -> None:
    if int(installation.sdk_for(newest_runtime).version.partition(".")[0]) < 10:
        pytest.skip("needs the .NET SDK 10")
    script = workspace / "script.cs"
    script.write_text("#:property PublishAot=false\nint x = 41;\n" + says("script", workspace))
    (workspace / "Cart.cs").write_text("public class Cart { }\n")
    editor = open_editor(workspace)
    editor.open_at(script, 3)
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_row("x, value 41", BUILD_S)
    editor.browser.press("F5")
    wait_for_runs(editor, workspace, "script")
    editor.open_at(workspace / "Cart.cs", 1)
    editor.browser.press("F5")
    editor.wait_for_page("Cart.cs belongs to no project, and has no Main or top-level statements to start.")
    assert not editor.has_dialog


TESTS = """\
using Xunit;
public class {name}
{{
    [Fact]
    public void Runs()
    {{
        {says}
    }}
}}
"""


def test_file_with_tests_runs_its_tests(
    open_editor: Open, workspace: Path, newest_runtime: Runtime, installation: Installation
) -> None:
    folder = installation.sdk_for(newest_runtime).root / "packages"
    names = re.findall(
        r"^(\D+?)\.(\d.*)\.nupkg$", "\n".join(path.name for path in folder.glob("*.nupkg")), re.MULTILINE
    )
    needed = ("microsoft.net.test.sdk", "xunit", "xunit.runner.visualstudio")
    if not set(needed) <= {name for name, _ in names}:
        pytest.skip(f"needs the packages {', '.join(needed)} in {folder}")
    sources = f'<packageSources><clear /><add key="here" value="{folder}" /></packageSources>'
    workspace.with_name("nuget.config").write_text(f"<configuration>{sources}</configuration>")
    packages = "".join(f'<PackageReference Include="{name}" Version="{dict(names)[name]}" />' for name in needed)
    write_project(workspace / "App", newest_runtime, says("app", workspace))
    tests = write_project(workspace / "Shop.Tests", newest_runtime, None, f"<ItemGroup>{packages}</ItemGroup>")
    tests.unlink()
    for name in ("Orders", "Others"):
        tests.with_name(f"{name}.cs").write_text(TESTS.format(name=name, says=says(name, workspace)))
    editor = open_editor(workspace)
    editor.open_at(tests.with_name("Others.cs"), 7)
    editor.status("tests of Others.cs")
    editor.browser.press("F5")
    wait_for_runs(editor, workspace, "Others")
    editor.open_at(workspace / "App" / "Program.cs", 1)
    editor.status("App")
    editor.browser.press("F5")
    wait_for_runs(editor, workspace, "Others", "app")


WEB = """\
using Microsoft.AspNetCore.Builder;
var app = WebApplication.CreateBuilder(args).Build();
app.MapGet("/", () => "hello");
app.Run();
"""


@pytest.mark.parametrize("has_launch_json", [False, True])
def test_browser_opens_at_the_address_that_a_web_program_prints(
    open_editor: Open, workspace: Path, newest_runtime: Runtime, has_launch_json: bool
) -> None:
    if programs.web_folder(newest_runtime) is None:
        pytest.skip(f"{newest_runtime.root} has no ASP.NET Core of {newest_runtime.major}")
    reference = '<ItemGroup><FrameworkReference Include="Microsoft.AspNetCore.App" /></ItemGroup>'
    source = write_project(workspace / "Shop", newest_runtime, WEB, reference)
    project = source.with_name("Shop.csproj")
    project.write_text(project.read_text().replace('"Microsoft.NET.Sdk"', '"Microsoft.NET.Sdk.Web"'))
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    profile = {"commandName": "Project", "launchBrowser": True, "applicationUrl": f"http://127.0.0.1:{port}"}
    (workspace / "Shop" / "Properties").mkdir()
    (workspace / "Shop" / "Properties" / "launchSettings.json").write_text(json.dumps({"profiles": {"http": profile}}))
    if has_launch_json:
        ready = {"action": "openExternally", "pattern": "\\bNow listening on:\\s+(https?://\\S+)"}
        own = {"name": "own", "type": "dotnet", "request": "launch", "projectPath": str(project)}
        (workspace / ".vscode").mkdir()
        launch = json.dumps({"configurations": [{**own, "serverReadyAction": ready}]})
        (workspace / ".vscode" / "launch.json").write_text(launch)
    editor = open_editor(workspace)
    editor.open_at(source, 1)
    if has_launch_json:
        editor.wait_for_configuration("own")
    opens = "(window.opened = [], window.open = address => (window.opened.push(`${address}`), window), true)"
    editor.browser.wait_for(opens, "what notes the pages that are opened")
    editor.browser.press("F5")
    # code-server leads there through its own address.
    editor.browser.wait_for(f"window.opened.some(it => it.includes('/proxy/{port}/'))", "the page", BUILD_S)
    editor.browser.press("Shift+F5")
    editor.wait_for_page("has exited with code")
    assert not editor.has_dialog
