"""Sessions of the editors themselves, as `dap-dotnet config` sets them up, where they are installed.

Neovim needs nvim-dap, whose folder is named by the variable NVIM_DAP; Emacs needs the package dap-mode.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dap_dotnet.cli.editor_setups import setup_text
from tests.e2e.clients.recording import RecordedAdapter, named, record_adapter
from tests.support import programs
from tests.support.dotnet import Runtime

pytestmark = pytest.mark.e2e
HERE = Path(__file__).parent
TIMEOUT_S = 60


def run_editor(
    editor: str, command: list[str], runtime: Runtime, folder: Path
) -> tuple[dict[str, Any], RecordedAdapter]:
    """Runs an editor on the program Loop; what its script saw, and the recorded session."""
    program = programs.build("Loop", runtime)
    adapter = record_adapter(folder)
    setup = folder / "setup"
    setup.write_text(setup_text(editor, str(adapter.script)), encoding="utf-8")
    result = folder / "seen.json"
    wanted = {
        # Logs of the editors and their packages.
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
        "SETUP": str(setup),
        "PROGRAM": str(program.dll),
        "SOURCE": str(program.source),
        "LINE": str(program.line("loop")),
        "RESULT": str(result),
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=program.environment(wanted),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert result.exists(), f"the editor's script did not end:\n{done.stdout}\n{done.stderr}"
    return json.loads(result.read_text()), adapter


def check_events(adapter: RecordedAdapter, *wanted: str) -> None:
    """The session is as the protocol says, and these events are there in this order."""
    # An editor may kill the adapter once the program ended, so the last requests may be without their responses.
    events = named(adapter.check(complete=False), sender="adapter", kind="event")
    assert [event for event in dict.fromkeys(events) if event in wanted] == list(wanted)


def test_nvim_dap_runs_a_session(newest_runtime: Runtime, tmp_path: Path) -> None:
    nvim, plugin = shutil.which("nvim"), os.environ.get("NVIM_DAP")
    if nvim is None or plugin is None:
        pytest.skip("needs Neovim, and the variable NVIM_DAP naming the folder of nvim-dap")
    command = [nvim, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(HERE / "nvim_session.lua")]
    seen, adapter = run_editor("nvim", command, newest_runtime, tmp_path)
    program = programs.build("Loop", newest_runtime)
    assert seen.get("problem") is None, seen
    assert [(stop["reason"], stop["line"]) for stop in seen["stops"]] == [
        ("breakpoint", program.line("loop")),
        ("step", program.line("loop-end")),
    ]
    assert seen["stops"][0]["locals"].items() >= {"rounds": "3", "i": "0", "square": "0"}.items()
    assert seen["exit_code"] == 0
    check_events(adapter, "initialized", "stopped", "exited", "terminated")


def test_emacs_dap_mode_runs_a_session(newest_runtime: Runtime, tmp_path: Path) -> None:
    emacs = shutil.which("emacs")
    if emacs is None or not has_dap_mode(emacs):
        pytest.skip("needs Emacs with the package dap-mode")
    command = [emacs, "--batch", "--load", str(HERE / "emacs_session.el")]
    seen, adapter = run_editor("emacs", command, newest_runtime, tmp_path)
    program = programs.build("Loop", newest_runtime)
    assert seen["finished"] is True
    # The breakpoint stays where it is, so each of the three rounds stops there.
    hit, stepped = program.line("loop"), program.line("loop-end")
    assert [stop["line"] for stop in seen["stops"]] == [hit, stepped, hit, hit]
    # dap-mode kills the adapter as soon as it hears of the exit: `terminated` may come too late to be recorded.
    check_events(adapter, "initialized", "stopped", "exited")


def has_dap_mode(emacs: str) -> bool:
    """Whether this Emacs can load dap-mode."""
    command = [emacs, "--batch", "--eval", "(progn (package-initialize) (require 'dap-mode))"]
    return subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False).returncode == 0
