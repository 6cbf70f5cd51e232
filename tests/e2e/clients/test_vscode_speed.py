"""How long a person waits in the real editor.

The best of a few attempts counts: it has what our code costs, without what else the machine was doing.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
from pathlib import Path

import pytest

from tests.e2e.clients.browser import Browser
from tests.e2e.clients.vscode import Editor, Open, write_project
from tests.support.dotnet import Runtime

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900), pytest.mark.xdist_group("vscode")]
BUILD_S = 120
ACTIVATION_MS = 30
RATIO = 1.3
"""Of F5 on a project that is up to date to F5 on its .dll."""
DRAWN_MS = 150
VARIABLES_DELAY_MS = 400
"""VS Code waits so long before it asks for the variables of a frame that the user has not chosen.

Its own constant, for every debugger: `updateTreeScheduler` in microsoft/vscode,
src/vs/workbench/contrib/debug/browser/variablesView.ts ("postpone the refresh until user stops stepping"). Nothing else
is taken off: the 50 ms of the call stack (`onCallStackChangeScheduler`, callStackView.ts) are in what is measured, and
inline values come without a delay at a stop (`onFocusStackFrame`, debugEditorContribution.ts; its 200 ms are for
scrolling and edits).
"""
OF_ANOTHER_DEBUGGER = 1.1
"""How long ours may take of what VS Code's own debugger for JavaScript takes, in the same window."""

LOOP = """\
class P
{
    static void Main()
    {
        int sum = 0; // once
        for (int i = 0; i < 1000; i++)
        {
            int price = i * 3;
            sum += price; // first
            System.Console.Write(sum); // second
        }
    }
}
"""
ONCE, FIRST, SECOND = (number for number, text in enumerate(LOOP.splitlines(), 1) if "// " in text)
TOOLBAR = "document.querySelector('.debug-toolbar')?.style.display"
DIALOG = "document.querySelector('.monaco-dialog-box')"
ROWS = "[...document.querySelectorAll('.debug-pane .monaco-list-row')].map(row => row.getAttribute('aria-label') ?? '')"
LINES = (
    "[...document.querySelectorAll('.editor-instance .view-line')].map(it => it.innerText.replaceAll('\\u00a0', ' '))"
)
NOTE = """
(() => {
    if (window.noted === undefined) {
        const now = () => performance.timeOrigin + performance.now();
        const look = () => {
            const noted = window.noted;
            for (const [name, isThere] of Object.entries(window.awaited)) {
                if (noted[name] === undefined && isThere(ROWS, LINES)) noted[name] = now();
            }
        };
        addEventListener("keydown", () => { window.noted = { key: now() }; }, true);
        new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true,
            characterData: true });
    }
    window.noted = {};
    window.awaited = AWAITED;
    return true;
})()
""".replace("ROWS", ROWS).replace("LINES", LINES)


def await_all(editor: Editor, **conditions: str) -> None:
    """Note when each condition of `rows` (of the debug views) and `lines` (of the editor) is first true after a key."""
    functions = ", ".join(f"{name}: (rows, lines) => {condition}" for name, condition in conditions.items())
    editor.browser.wait_for(NOTE.replace("AWAITED", f"{{{functions}}}"), "what notes when something is shown")


def noted(editor: Editor, *names: str, timeout_s: float = 30.0) -> dict[str, float]:
    """When the last key was pressed (`key`) and each was first true, in milliseconds since 1970."""
    all_there = " && ".join(f"window.noted.{name}" for name in names)
    found: dict[str, float] = editor.browser.wait_for(f"{all_there} && window.noted", ", ".join(names), timeout_s)
    return found


@pytest.fixture
def source(workspace: Path, newest_runtime: Runtime) -> Path:
    return write_project(workspace / "App", newest_runtime, LOOP)


def test_activation(address: str, chromium: str, source: Path, workspace: Path, tmp_path: Path) -> None:
    best = 1e9
    for attempt in range(5):
        profile = tmp_path / f"browser {attempt}"
        profile.mkdir()
        with Browser(chromium, profile) as browser:
            best = min(best, activation_ms(Editor(browser, address, workspace), source))
        if best <= ACTIVATION_MS:
            break
    print(f"activation {best} ms")
    assert best <= ACTIVATION_MS


def activation_ms(editor: Editor, source: Path) -> float:
    """Of our extension, as the editor has measured it."""
    editor.open_at(source, 1)
    editor.command("Developer: Show Running Extensions")
    row = "[...document.querySelectorAll('.runtime-extensions-editor .extension')]"
    ours = f"{row}.find(it => it.innerText.includes('(dap-dotnet)'))?.innerText"
    shown = editor.browser.wait_for(f"/[0-9]+ms/.test({ours}) && {ours}", "our extension among those that run")
    (milliseconds,) = re.findall(r"Activation: (\d+)ms", shown)
    return float(milliseconds)


def end(editor: Editor) -> None:
    """End the session."""
    editor.browser.press("Shift+F5")
    editor.browser.wait_for(f"{TOOLBAR} === 'none'", "the end of the session")
    editor.wait_for_no_row("Paused on")


def first_stop_ms(editor: Editor) -> float:
    """From the key to the stop; the program ends again."""
    await_all(editor, stop="document.querySelector('.debug-top-stack-frame-line') !== null")
    for attempt in range(5):
        # A moment after the end of the session before, the key means nothing yet, or VS Code asks whether it may.
        editor.browser.press("F5")
        try:
            editor.browser.wait_for(f"{TOOLBAR} === '' && {DIALOG} === null", "the toolbar of a session", 8)
            break
        except AssertionError:
            if attempt == 4:
                raise
            if editor.has_dialog:
                editor.browser.press("Escape")
                editor.browser.wait_for(f"{DIALOG} === null", "the end of the question")
    times = noted(editor, "stop")
    end(editor)
    return times["stop"] - times["key"]


def test_project_that_is_up_to_date_stops_about_as_soon_as_its_dll(
    open_editor: Open, source: Path, workspace: Path, newest_runtime: Runtime
) -> None:
    editor = open_editor(workspace)
    editor.open_at(source, ONCE)
    editor.browser.press("F9")
    editor.browser.press("F5")
    editor.wait_for_row("Paused on breakpoint", BUILD_S)
    end(editor)
    dll = workspace / "App" / "bin" / "Debug" / newest_runtime.target_framework / "App.dll"
    launch = workspace / ".vscode" / "launch.json"
    launch.parent.mkdir()
    configuration = {"name": "the dll", "type": "dap-dotnet", "request": "launch", "program": str(dll)}
    of_project, of_dll = [], []
    ratio = 1e9
    for number in range(6):
        if number >= 2 and ratio <= RATIO:
            break
        of_project += [first_stop_ms(editor) for _ in range(3)]
        launch.write_text(json.dumps({"configurations": [configuration]}))
        editor.wait_for_configuration("the dll")
        of_dll += [first_stop_ms(editor) for _ in range(3)]
        launch.unlink()
        gone = "!document.getElementById('status.debug')?.innerText.includes('the dll')"
        editor.browser.wait_for(gone, "no configuration in the status bar")
        ratio = min(of_project) / min(of_dll)
    print(f"first stop: project {min(of_project):.0f} ms, dll {min(of_dll):.0f} ms, ratio {ratio:.2f}")
    assert ratio <= RATIO


SCRIPT = """\
function main() {
    let sum = 0;
    for (let i = 0; i < 1000; i++) {
        let price = i * 3;
        sum += price; // first
        process.stdout.write(`${sum}`); // second
    }
}
main();
"""


def drawn_ms(editor: Editor, source: Path, name: str, frame: str) -> list[dict[str, float]]:
    """From the key that continues to what is drawn of the next stop, for some stops in a loop."""
    lines = source.read_text().splitlines()
    first, second = (next(at for at, text in enumerate(lines, 1) if mark in text) for mark in ("// first", "// second"))
    for line in (second, first):
        editor.open_at(source, line)
        editor.browser.press("F9")
    editor.pick("Control+P", f"debug {name}", name)
    editor.wait_for_row("Paused on breakpoint", BUILD_S)
    drawn = []
    for number in range(1, 9):
        total = sum(3 * each for each in range(number))
        editor.browser.press("F5")
        editor.wait_for_row(f"line {second},")
        conditions = {
            "stack": f"rows.some(row => row.includes('{frame}') && row.includes('line {first},'))",
            "variables": f"rows.includes('price, value {3 * number}')",
            "inline": f"lines.some(it => it.includes('int sum') && / sum = {total}\\b/.test(it))",
        }
        if source.suffix != ".cs":
            del conditions["inline"]  # VS Code shows them where an extension has them
        await_all(editor, **conditions)
        editor.browser.press("F5")
        times = noted(editor, *conditions)
        drawn.append({condition: times[condition] - times["key"] for condition in conditions})
    end(editor)
    return drawn


def test_stop_is_drawn(open_editor: Open, source: Path, workspace: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node, for a session to compare with")
    script = source.with_name("loop.js")
    script.write_text(SCRIPT)
    ours = {"name": "ours", "type": "dap-dotnet", "request": "launch", "program": str(source.with_name("App.csproj"))}
    other = {"name": "other", "type": "node", "request": "launch", "program": str(script), "runtimeExecutable": node}
    (workspace / ".vscode").mkdir()
    (workspace / ".vscode" / "launch.json").write_text(json.dumps({"configurations": [ours, other]}))
    editor = open_editor(workspace)
    of_other = drawn_ms(editor, script, "other", "global.main")
    of_ours = drawn_ms(editor, source, "ours", "P.Main")
    ratio = statistics.median(stop["variables"] for stop in of_ours) / statistics.median(
        stop["variables"] for stop in of_other
    )
    waits = {name: min(stop[name] for stop in of_ours) for name in of_ours[0]}
    waits["variables"] -= VARIABLES_DELAY_MS
    print(f"a stop is drawn within {waits} ms, {ratio:.2f} of what another debugger takes")
    assert max(waits.values()) <= DRAWN_MS
    assert ratio <= OF_ANOTHER_DEBUGGER
