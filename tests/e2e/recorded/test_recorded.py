"""Whole sessions against their recordings: a launch, an attach, a crash; the same on every runtime.

`UPDATE_RECORDINGS=1 make test PYTEST_ARGS='-k recorded'` writes them anew. A recording that is missing fails.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from dap_dotnet.client import DapClient, adapter_command
from tests.e2e.recorded.normalising import Normaliser
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.schema import validate_message

RECORDINGS = Path(__file__).parent / "recordings"
TIMEOUT_S = 60.0

pytestmark = pytest.mark.e2e


def compare(name: str, client: DapClient, program: programs.Program) -> None:
    for entry in client.messages:
        validate_message(dict(entry.message))
    folders = {program.source_dir: "<sources>", program.dll.parent: "<program>", program.runtime.root: "<dotnet>"}
    found = Normaliser(folders).recording(client.messages)
    path = RECORDINGS / f"{name}.json"
    if os.environ.get("UPDATE_RECORDINGS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    assert path.exists(), f"{path.name} is missing: record it with UPDATE_RECORDINGS=1"
    assert found == json.loads(path.read_text(encoding="utf-8"))


def configure(client: DapClient, program: programs.Program, lines: list[int]) -> None:
    """Breakpoints before there is a program: so that what they answer does not depend on how fast it starts."""
    client.initialize()
    client.wait_for("initialized")
    client.set_breakpoints(str(program.source), lines)
    client.set_exception_breakpoints([])


def begin(client: DapClient, command: str, arguments: dict) -> None:
    # Which modules a program loads differs from runtime to runtime.
    client.request(command, {"logging": {"moduleLoad": False, "processExit": False}, **arguments})
    client.configuration_done()


def look_around(client: DapClient) -> None:
    client.threads()
    frame = client.stack()[0]
    client.locals(frame.id)


def test_launch_is_as_recorded(runtime: Runtime) -> None:
    program = programs.build("Demo", runtime)
    with DapClient.spawn(adapter_command(), timeout_s=TIMEOUT_S) as client:
        configure(client, program, [program.line("add")])
        begin(client, "launch", {"program": str(program.dll), "args": [], "env": dict(program.env)})
        client.wait_for_stop()
        look_around(client)
        client.evaluate("order.Item")
        client.step_over()
        client.set_breakpoints(str(program.source), [])
        client.continue_()
        client.wait_for_exit()
        client.disconnect()
        compare("launch", client, program)


def test_crash_is_as_recorded(runtime: Runtime) -> None:
    program = programs.build("Crash", runtime)
    with DapClient.spawn(adapter_command(), timeout_s=TIMEOUT_S) as client:
        configure(client, program, [])
        begin(client, "launch", {"program": str(program.dll), "args": ["null"], "env": dict(program.env)})
        client.wait_for_stop()
        look_around(client)
        client.continue_()
        client.wait_for_exit()
        client.disconnect()
        compare("crash", client, program)


def test_attach_is_as_recorded(runtime: Runtime) -> None:
    program = programs.build("Spin", runtime)
    with subprocess.Popen(
        program.command, env=program.environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().startswith(b"READY")
            with DapClient.spawn(adapter_command(), timeout_s=TIMEOUT_S) as client:
                configure(client, program, [program.line("round")])
                begin(client, "attach", {"processId": process.pid})
                client.wait_for_stop()
                client.set_breakpoints(str(program.source), [])
                client.disconnect()
                compare("attach", client, program)
            assert process.poll() is None
        finally:
            process.kill()
