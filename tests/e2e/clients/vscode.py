"""VS Code as code-server, with our extension, and what a person does in it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.e2e.clients.browser import Browser
from tests.support.dotnet import Runtime

_START_S = 60.0
_INSTALL_S = 100
_LISTENING = re.compile(r"HTTP server listening on (http://\S+?)/?\s")
_SETTINGS = {
    "workbench.startupEditor": "none",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "git.enabled": False,
    "editor.minimap.enabled": False,
    # Its item there shows which configuration F5 would start.
    "debug.showInStatusBar": "always",
}
_ROWS = (
    "[...document.querySelectorAll('.debug-pane .monaco-list-row')].map(row => row.getAttribute('aria-label') || '')"
)


@contextlib.contextmanager
def run_code_server(
    program: str, extension: Path, folder: Path, environment: Mapping[str, str], settings: Mapping[str, object]
) -> Iterator[str]:
    """The address of a code-server with the packaged extension; its files are in `folder`."""
    (folder / "User").mkdir(parents=True)
    (folder / "User" / "settings.json").write_text(json.dumps({**_SETTINGS, **settings}), encoding="utf-8")
    (folder / "config.yaml").touch()
    options = ["--config", str(folder / "config.yaml"), "--user-data-dir", str(folder)]
    options += ["--extensions-dir", str(folder / "extensions")]
    command = [program, *options, "--install-extension", str(extension)]
    subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, check=True, capture_output=True, timeout=_INSTALL_S
    )
    options += ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check"]
    server = subprocess.Popen(
        [program, *options, "--disable-workspace-trust"],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield _address(server)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


def _address(server: subprocess.Popen[bytes]) -> str:
    assert server.stdout is not None
    said, deadline = "", time.monotonic() + _START_S
    while (found := _LISTENING.search(said)) is None:
        ready, _, _ = select.select([server.stdout], [], [], max(0.0, deadline - time.monotonic()))
        chunk = os.read(server.stdout.fileno(), 1 << 16) if ready else b""
        assert chunk, f"code-server did not start:\n{said}"
        said += chunk.decode(errors="replace")
    return found[1]


class Editor:
    """What a person does, by keys, and sees."""

    def __init__(self, browser: Browser, address: str, folder: Path | None) -> None:
        """Opens a folder, or a window without one."""
        self.browser = browser
        browser.open(f"{address}/?{'ew=true' if folder is None else f'folder={folder}'}")
        view = ".editor-group-watermark" if folder is None else ".explorer-folders-view .monaco-list-row"
        browser.wait_for(f"document.querySelector('{view}')", "the editor", 60)

    def pick(self, keys: str, text: str, row: str) -> None:
        """Open a list with keys, type, wait until its first row contains `row`, and take that."""
        self.browser.press(keys)
        self.browser.wait_for("document.activeElement?.closest('.quick-input-widget')", f"the input of {keys}")
        self.browser.type(text)
        first = "document.querySelector('.quick-input-list .monaco-list-row')?.getAttribute('aria-label')"
        self.browser.wait_for(f"{first}?.includes({json.dumps(row)})", f"{row!r} in the list")
        self.browser.press("Enter")

    def open_at(self, file: Path, line: int) -> None:
        """Open a file with the cursor on a line."""
        self.pick("Control+P", f"{file.name}:{line}", file.name)
        at = f"document.querySelector('.editor-group-container .active-line-number')?.textContent === '{line}'"
        self.browser.wait_for(f"{at} && document.activeElement?.closest('.editor-instance')", f"line {line}")

    def open_file(self, file: Path) -> None:
        """Open a file from anywhere, in the dialog for that."""
        self.browser.press("Control+O")
        # It puts a folder there only after it has opened, over what is typed before.
        at = "document.activeElement?.closest('.quick-input-widget') && document.activeElement.value"
        self.browser.wait_for(f"({at}).startsWith('/')", "the file dialog")
        self.browser.press("Control+A")
        self.browser.type(str(file))
        shown = "[...document.querySelectorAll('.quick-input-list .monaco-list-row')].map(row => row.innerText.trim())"
        self.browser.wait_for(f"{shown}.at(-1) === {json.dumps(file.name)}", "the folder's contents")
        self.browser.press("Enter")
        self.browser.wait_for("document.activeElement?.closest('.editor-instance')", f"the text of {file.name}")

    def set_first_breakpoint(self) -> None:
        """At the cursor, in a window that may not know our extension yet, which makes F9 a key for breakpoints."""
        for attempt in range(20):
            self.browser.press("F9")
            try:
                self.browser.wait_for("document.querySelector('.codicon-debug-breakpoint')", "the breakpoint", 3)
            except AssertionError:
                if attempt == 19:
                    raise
            else:
                return

    def status(self, text: str) -> None:
        """Until an item of the status bar shows exactly this text."""
        items = "[...document.querySelectorAll('.statusbar-item')].map(item => item.innerText.trim())"
        self.browser.wait_for(f"{items}.includes({json.dumps(text)})", f"{text!r} in the status bar")

    def list_rows(self, title: str) -> list[str]:
        """What the list with this title has, once it is shown."""
        widget = "document.querySelector('.quick-input-widget')"
        labels = "map(row => row.getAttribute('aria-label'))"
        rows = f"[...document.querySelectorAll('.quick-input-list .monaco-list-row')].{labels}"
        is_shown = f"{widget}?.innerText.includes({json.dumps(title)}) && {widget}.style.display !== 'none'"
        found = self.browser.wait_for(f"{is_shown} && {rows}.length > 0 && {rows}", f"the list {title!r}")
        return [str(row) for row in found]

    def wait_for_configuration(self, name: str) -> None:
        """Until the editor has read launch.json, and F5 starts the configuration of that name."""
        shown = f"document.getElementById('status.debug')?.innerText.includes({json.dumps(name)})"
        self.browser.wait_for(shown, f"the configuration {name!r} in the status bar")

    def command(self, title: str) -> None:
        """Run a command of the palette."""
        self.pick("F1", title, title)

    def wait_for_row(self, text: str, timeout_s: float = 30.0) -> str:
        """The label of the row of the debug views that contains `text`."""
        found = f"{_ROWS}.find(label => label.includes({json.dumps(text)}))"
        return str(self.browser.wait_for(found, f"{text!r} in the debug views", timeout_s))

    def wait_for_no_row(self, text: str, timeout_s: float = 30.0) -> None:
        """Until no row of the debug views contains `text`."""
        found = f"!{_ROWS}.some(label => label.includes({json.dumps(text)}))"
        self.browser.wait_for(found, f"no {text!r} in the debug views", timeout_s)

    def wait_for_terminal(self, text: str, timeout_s: float = 30.0) -> None:
        """Until the terminal in front shows the text; then the cursor is put there, as by a click."""
        terminal = "[...document.querySelectorAll('.terminal-wrapper.active')].at(-1)"
        shown = f"{terminal}?.querySelector('.xterm-rows')?.innerText.replaceAll('\\u00a0', ' ')"
        self.browser.wait_for(f"{shown}?.includes({json.dumps(text)})", f"{text!r} in the terminal", timeout_s)
        focus = f"{terminal}.querySelector('.xterm-helper-textarea').focus()"
        self.browser.wait_for(f"({focus}, document.activeElement.closest('.xterm') !== null)", "the terminal's cursor")

    def wait_for_page(self, text: str, timeout_s: float = 30.0) -> None:
        """Until the text is somewhere on the page."""
        shown = f"document.body.innerText.replaceAll('\\u00a0', ' ').includes({json.dumps(text)})"
        self.browser.wait_for(shown, repr(text), timeout_s)

    def click_button(self, title: str, timeout_s: float = 30.0) -> None:
        """Click on a button of a notification, once it is there."""
        buttons = "[...document.querySelectorAll('.notification-toast .monaco-button')]"
        button = f"{buttons}.find(button => button.innerText.trim() === {json.dumps(title)})"
        self.browser.wait_for(f"({button}.click(), true)", f"the button {title!r}", timeout_s)

    @property
    def has_dialog(self) -> bool:
        """Whether a window stands before everything else."""
        found = self.browser.wait_for("[document.querySelector('.monaco-dialog-box') !== null]", "an answer")
        return bool(found[0])


Open = Callable[[Path | None], Editor]
"""Opens a folder, or a window without one."""


def write_project(folder: Path, runtime: Runtime, source: str | None, more: str = "") -> Path:
    """A program that has this source, or a library; the path of its source."""
    folder.mkdir(parents=True)
    output = "" if source is None else "<OutputType>Exe</OutputType>"
    properties = f"<PropertyGroup>{output}<TargetFramework>{runtime.target_framework}</TargetFramework></PropertyGroup>"
    (folder / f"{folder.name}.csproj").write_text(f'<Project Sdk="Microsoft.NET.Sdk">{properties}{more}</Project>')
    path = folder / ("Program.cs" if source is not None else f"{folder.name}.cs")
    path.write_text(source or f"public class {folder.name} {{ }}")
    return path
