"""Sessions in the real editor: code-server in a headless Chromium, with the packaged extension, by keys as a person.

They need code-server, on PATH or named by the variable CODE_SERVER, and Chromium; CONTRIBUTING.md says how to get them.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.clients.browser import Browser
from tests.e2e.clients.recording import adapter_program
from tests.e2e.clients.vscode import Editor, run_code_server
from tests.support import programs
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900), pytest.mark.xdist_group("vscode")]
BUILD_S = 120


@pytest.fixture
def address(code_server: str, extension: Path, editor_environment: dict[str, str], tmp_path: Path) -> Iterator[str]:
    """That of a code-server with the extension, which uses the adapter that is tested."""
    # Drawn on a canvas, a terminal's text could not be read.
    settings = {"dap-dotnet.adapterPath": adapter_program(), "terminal.integrated.gpuAcceleration": "off"}
    with run_code_server(code_server, extension, tmp_path / "server", editor_environment, settings) as address:
        yield address


@pytest.fixture
def editor(address: str, browser: Browser, project: Path) -> Editor:
    """The editor with the project's folder open."""
    return Editor(browser, address, project)


def test_f5_without_launch_json_builds_stops_and_steps(editor: Editor, project: Path, newest_runtime: Runtime) -> None:
    program = programs.build("Loop", newest_runtime)
    editor.open_at(project / "Program.cs", program.line("loop"))
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_row("Paused on breakpoint", BUILD_S)
    assert editor.wait_for_row("square, value") == "square, value 0"
    assert f"line {program.line('loop')}, Program.cs" in editor.wait_for_row("Stack Frame Program.Main")
    editor.browser.press("F10")
    editor.wait_for_row("Paused on step")
    editor.wait_for_row(f"line {program.line('loop-end')}, Program.cs")
    editor.browser.press("F5")
    editor.wait_for_row("i, value 1")
    editor.command("dap-dotnet: Show Native Code")
    editor.browser.wait_for("document.querySelector('.tab.active')?.innerText.trim() === 'Program.Main.asm'", "the tab")
    editor.wait_for_page("=> 0x")
    editor.command("dap-dotnet: Load Symbols")
    editor.wait_for_page("are loaded.")
    editor.browser.press("Shift+F5")
    editor.wait_for_page("has exited with code")
    assert not editor.has_dialog


def test_errors_of_a_build_are_in_the_problems_view(editor: Editor, project: Path) -> None:
    (project / "Program.cs").write_text("class Program { static void Main() { nonsense } }\n")
    editor.open_at(project / "Program.cs", 1)
    editor.browser.press("F5")
    editor.browser.wait_for(
        "document.querySelector('.notification-toast')?.innerText.includes('error CS1002')", "the notification", BUILD_S
    )
    editor.command("Problems: Focus on Problems View")
    editor.wait_for_page("; expected")
    assert not editor.has_dialog


def test_leaving_the_process_picker_is_no_error(editor: Editor, project: Path) -> None:
    editor.open_at(project / "Program.cs", 1)
    editor.browser.wait_for("document.querySelector('.codelens-decoration')?.innerText.includes('Debug')", "the lens")
    for _ in range(2):  # an error would be there when the second list comes
        editor.command("dap-dotnet: Attach to a .NET Process")
        editor.wait_for_page("Attach to which .NET process?")
        editor.browser.wait_for("document.querySelector('.quick-input-list .monaco-list-row')", "the list")
        editor.browser.press("Escape")
        editor.browser.wait_for("document.querySelector('.quick-input-widget').style.display === 'none'", "its end")
    assert not editor.has_dialog


def write_launch_json(project: Path, attributes: dict[str, object]) -> None:
    configuration = {"name": "own", "type": "dap-dotnet", "request": "launch", **attributes}
    (project / ".vscode").mkdir()
    (project / ".vscode" / "launch.json").write_text(json.dumps({"configurations": [configuration]}))


def test_debugger_is_started_through_a_pipe(editor: Editor, project: Path, newest_runtime: Runtime) -> None:
    program = programs.build("Loop", newest_runtime)
    pipe = {"pipeProgram": "/usr/bin/env", "pipeArgs": ["PIPED=through"], "debuggerPath": adapter_program()}
    write_launch_json(project, {"program": str(program.dll), "env": dict(program.env), "pipeTransport": pipe})
    (project / "Program.cs").write_text(program.source.read_text())
    editor.open_at(project / "Program.cs", program.line("loop"))
    editor.wait_for_configuration("own")
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_row("Paused on breakpoint", BUILD_S)
    editor.command("Debug Console: Focus on Debug Console View")
    editor.browser.wait_for("document.activeElement?.closest('.repl')", "the debug console's input")
    editor.browser.type('Environment.GetEnvironmentVariable("PIPED")')
    editor.browser.press("Enter")
    editor.wait_for_page('"through"')
    editor.browser.press("Shift+F5")
    assert not editor.has_dialog


CART = """\
using System;
class Cart
{
    int total;
    void Add(int price, int count)
    {
        for (int i = 0; i < 1; i++) Console.Write(i);
        for (int i = 5; i < 6; i++)
        {
            total += price * count; // the line to stop at
        }
    }
    static void Main()
    {
        int price = 3;
        new Cart().Add(price + 4, 2);
    }
}
"""


def test_values_stand_behind_the_lines_of_the_method_that_runs(editor: Editor, project: Path) -> None:
    (project / "Program.cs").write_text(CART)
    stop = next(number for number, text in enumerate(CART.splitlines(), 1) if "the line to stop at" in text)
    editor.open_at(project / "Program.cs", stop)
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_row("Paused on breakpoint", BUILD_S)
    editor.wait_for_page("price = 7")
    lines = "[...document.querySelectorAll('.editor-instance .view-line')].map(line => line.innerText)"
    shown = [text.replace("\u00a0", " ") for text in editor.browser.wait_for(lines, "the lines of the editor")]
    editor.browser.press("Shift+F5")
    assert "price = 7" in next(line for line in shown if "total +=" in line)
    assert "count = 2" in next(line for line in shown if "total +=" in line)
    assert "price = 7, count = 2" in next(line for line in shown if "void Add" in line)
    assert "i = 5" in next(line for line in shown if "i = 5; i < 6" in line).partition("i++)")[2]
    for other in ("i = 0; i < 1", "int price = 3", "new Cart()"):
        line = next(line for line in shown if other in line)
        assert line.rstrip().endswith((";", ")")), line
    assert not editor.has_dialog


GROWTH = """\
using System;
class Growth
{
    static void Main()
    {
        int total = 1;
        total *= 7; // the line to stop at
        total *= 11;
        total *= 13;
        Console.WriteLine(total);
    }
}
"""


def test_steps_go_back_where_the_settings_say_so(editor: Editor, project: Path) -> None:
    (project / ".vscode").mkdir()
    (project / ".vscode" / "settings.json").write_text(json.dumps({"dap-dotnet.history": True}))
    (project / "Program.cs").write_text(GROWTH)
    stop = next(number for number, text in enumerate(GROWTH.splitlines(), 1) if "the line to stop at" in text)
    editor.open_at(project / "Program.cs", stop)
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_row("Paused on breakpoint", BUILD_S)
    editor.wait_for_page("total = 1")
    for total in (7, 77):
        editor.browser.press("F10")
        editor.wait_for_page(f"total = {total}")
    back, reverse = (
        f"document.querySelector('.debug-toolbar .codicon-debug-{name}')" for name in ("step-back", "reverse-continue")
    )
    editor.browser.click(back, "Step Back")
    editor.wait_for_row("Paused in the past, at stop 2 of 3")
    editor.wait_for_page("total = 7")
    editor.browser.click(reverse, "Reverse")
    editor.wait_for_row("Paused in the past, at stop 1 of 3")
    editor.wait_for_page("total = 1")
    for total in (7, 77, 1001):
        editor.browser.press("F10")
        editor.wait_for_page(f"total = {total}")
    editor.browser.press("Shift+F5")
    assert not editor.has_dialog


ORDERS = """\
using System;
using System.Threading.Tasks;
class Orders
{
    static async Task Take(string text)
    {
        await Task.Delay(20);
        try
        {
            int.Parse(text);
        }
        catch (FormatException error)
        {
            throw new InvalidOperationException("no order", error); // thrown here
        }
    }
    static async Task Main() => await Take("x");
}
"""


def test_exception_is_shown_where_it_was_thrown_with_its_cause(editor: Editor, project: Path) -> None:
    (project / "Program.cs").write_text(ORDERS)
    editor.open_at(project / "Program.cs", 1)
    editor.browser.press("F5")
    widget = "document.querySelector('.exception-widget')?.innerText"
    shown = editor.browser.wait_for(widget, "the exception in the editor", BUILD_S).replace("\u00a0", " ")
    at = next(number for number, text in enumerate(ORDERS.splitlines(), 1) if "thrown here" in text)
    editor.browser.press("Shift+F5")
    assert "System.InvalidOperationException: no order" in shown
    assert " ---> System.FormatException: " in shown
    assert "HRESULT" not in shown
    places = [line for line in shown.splitlines() if "Program.cs:" in line or "[External Code]" in line]
    assert f"Program.cs:line {at}" in places[0], shown
    assert "Orders.Main" in shown
    assert not editor.has_dialog


ASKS = """\
using System;
using System.Collections.Generic;
class Program
{
    static void Main()
    {
        Console.WriteLine("Name?");
        string name = Console.ReadLine();
        var sizes = new List<int> { 4, 5 };
        Console.WriteLine("Hello " + name + sizes.Count); // the line to stop at
    }
}
"""


def test_program_reads_what_is_typed_and_begins_again(editor: Editor, project: Path) -> None:
    (project / "Program.cs").write_text(ASKS)
    write_launch_json(project, {"program": "${workspaceFolder}", "console": "integratedTerminal"})
    stop = next(number for number, text in enumerate(ASKS.splitlines(), 1) if "the line to stop at" in text)
    editor.open_at(project / "Program.cs", stop)
    editor.wait_for_configuration("own")
    editor.browser.press("F9")
    editor.browser.press("F5")
    for name in ("Ada", "Grace"):
        editor.wait_for_terminal("Name?", BUILD_S)
        editor.browser.type(name)
        editor.browser.press("Enter")
        editor.wait_for_row(f'name, value "{name}"')
        if name == "Ada":
            row = editor.wait_for_row("sizes, value Count = 2")
            assert row.startswith("sizes")
            editor.browser.press("Control+Shift+F5")
            editor.wait_for_no_row('value "Ada"')
    editor.browser.press("Shift+F5")
    assert not editor.has_dialog


@pytest.fixture
def container_engine(editor_environment: dict[str, str], tmp_path: Path) -> None:
    """A docker that has one container, which is this machine."""
    folder = tmp_path / "engine"
    folder.mkdir()
    script = folder / "docker"
    script.write_text(
        "#!/bin/sh\n"
        "case $1 in\n"
        "ps) printf 'a1\\tshop\\tshop:latest\\n' ;;\n"
        f'exec) test "$3" = a1 && test "$4" = dap-dotnet && shift 4 && exec {adapter_program()} "$@" ;;\n'
        "esac\n"
    )
    script.chmod(0o755)
    editor_environment["PATH"] = f"{folder}{os.pathsep}{editor_environment['PATH']}"
    editor_environment["VSCODE_CLI"] = "1"  # or the editor takes the PATH of a login shell


def test_process_in_a_container_is_attached_to(
    container_engine: None, editor: Editor, project: Path, newest_runtime: Runtime
) -> None:
    program = programs.build("Stdin", newest_runtime)
    environment = {**os.environ, **program.env}
    with subprocess.Popen(program.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        editor.open_at(project / "Program.cs", 1)
        editor.command("dap-dotnet: Attach to a .NET Process in a Container")
        editor.wait_for_page("Attach to a process in which container?")
        editor.browser.wait_for("document.querySelector('.quick-input-list .monaco-list-row')", "the container")
        editor.wait_for_page("shop:latest")
        editor.browser.press("Enter")
        editor.wait_for_page("Attach to which .NET process?")
        editor.browser.type(str(process.pid))
        first = "document.querySelector('.quick-input-list .monaco-list-row')?.getAttribute('aria-label')"
        editor.browser.wait_for(f"{first}?.includes('Stdin')", "the process")
        editor.browser.press("Enter")
        editor.wait_for_row("Running")
        editor.browser.press("F6")
        editor.wait_for_row("Paused on pause")
        editor.browser.press("Shift+F5")
        editor.wait_for_no_row("Paused")
        assert process.poll() is None
        process.communicate(b"over\n", timeout=30)
    assert not editor.has_dialog


def test_breakpoint_stays_with_its_statement_while_the_file_is_edited(editor: Editor, project: Path) -> None:
    (project / "Program.cs").write_text(CART)
    stop = next(number for number, text in enumerate(CART.splitlines(), 1) if "the line to stop at" in text)
    editor.open_at(project / "Program.cs", stop)
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_row(f"line {stop}, Program.cs", BUILD_S)
    editor.open_at(project / "Program.cs", 1)
    editor.browser.type("// new\n")
    editor.browser.press("Control+S")
    editor.browser.press("F10")
    editor.wait_for_row("Paused on step")
    editor.wait_for_row(f"line {stop + 2}, Program.cs")
    editor.wait_for_page("The program runs the code of before your change of Program.cs")
    editor.click_button("Restart")
    editor.wait_for_row(f"line {stop + 1}, Program.cs", BUILD_S)
    editor.wait_for_row("Paused on breakpoint")
    editor.browser.press("Shift+F5")
    assert not editor.has_dialog
