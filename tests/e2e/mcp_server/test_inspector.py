"""The protocol's own inspector (npm: @modelcontextprotocol/inspector-cli) asks the server; it checks what it gets."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from dap_dotnet.mcp.tools import all_tools
from tests.support import node, programs
from tests.support.session import Place, adapter_program

pytestmark = pytest.mark.e2e
PROJECT = Path(__file__).with_name("node")
OLDEST_NODE = (20, 10)
DEADLINE_S = 90.0


@pytest.fixture(scope="session")
def inspector() -> Path:
    """The inspector's program; the test is skipped where it does not run."""
    folder = node.install(PROJECT, "the inspector of the Model Context Protocol")
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, re.findall(r"\d+", said)[:2])) < OLDEST_NODE:
        pytest.skip(f"the inspector of the Model Context Protocol needs Node 20.10, not {said.strip()}")
    return folder / "node_modules" / "@modelcontextprotocol" / "inspector-cli" / "build" / "index.js"


def test_the_inspector_reads_the_lists_and_calls_a_tool(newest_runtime, inspector):
    program = programs.build("Steps", newest_runtime)
    with Place() as place:
        environment = {**os.environ, **place.environment, **program.environment()}

        def ask(*options):
            done = subprocess.run(
                ["node", str(inspector), adapter_program(), "mcp", "--method", *options],
                cwd=inspector.parents[3],  # it looks for a package.json in the folder above
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=DEADLINE_S,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)

        listed = ask("tools/list")["tools"]
        assert [one["name"] for one in listed] == [one.name for one in all_tools()]
        templates = ask("resources/templates/list")["resourceTemplates"]
        assert {one["uriTemplate"] for one in templates} == {"debug://{session}/output", "debug://{session}/timeline"}
        # An answer that does not have its tool's output schema is an error to it.
        wanted = ("--tool-arg", f"program={program.dll}", "wait_s=60")
        launched = ask("tools/call", "--tool-name", "debug_launch", *wanted)["structuredContent"]
        assert launched["stop"]["place"]["function"].startswith("Steps.Program.Main")
