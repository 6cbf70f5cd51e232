"""A session of Microsoft's client for testing debug adapters (npm: @vscode/debugadapter-testsupport)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.clients.recording import named, record_adapter
from tests.support import node, programs
from tests.support.dotnet import Runtime

pytestmark = pytest.mark.e2e
NODE_PROJECT = Path(__file__).with_name("node")


@pytest.fixture(scope="session")
def node_project() -> Path:
    """The folder of session.js with its packages installed; the test is skipped where they cannot be."""
    return node.install(NODE_PROJECT, "Microsoft's test client")


def test_testsupport_client_runs_a_session(runtime: Runtime, node_project: Path, tmp_path: Path) -> None:
    program = programs.build("Loop", runtime)
    adapter = record_adapter(tmp_path)
    wanted = {
        "adapter": str(adapter.script),
        "program": str(program.dll),
        "source": str(program.source),
        "line": program.line("loop"),
        "nextLine": program.line("loop-end"),
        "output": "total 5\n",
    }
    done = subprocess.run(
        ["node", "session.js", json.dumps(wanted)],
        cwd=node_project,
        env=program.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["exitCode"] == 0
    assert seen["stoppedThreadIsListed"] is True
    assert seen["frames"] == ["Loop.Program.Main(string[] args)"]
    assert seen["scope"] == "Locals"
    assert seen["locals"].items() >= {"rounds": "3", "i": "0", "square": "0"}.items()
    entries = adapter.check(complete=True)
    events = named(entries, sender="adapter", kind="event")
    assert events.index("initialized") < events.index("stopped") < events.index("exited") < events.index("terminated")
