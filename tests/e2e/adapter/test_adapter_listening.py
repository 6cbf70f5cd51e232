"""Connections to `--listen` that drop: a launched program ends, an attached one runs on."""

from __future__ import annotations

import contextlib
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from dap_dotnet.client import DapClient
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.processes import has_ended, spinning, wait_until
from tests.support.session import Place, adapter_program

pytestmark = [pytest.mark.e2e, pytest.mark.editor_start]
DEADLINE_S = 60.0
TOKEN = "correct horse battery staple"


@contextlib.contextmanager
def connection(place: Place, **environment: str) -> Iterator[tuple[DapClient, socket.socket]]:
    """A client of a listening dap-dotnet, and its socket."""
    command = [adapter_program(), "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=place.environment | environment) as listener:
        try:
            assert listener.stderr is not None
            port = int(listener.stderr.readline().rpartition(":")[2])
            with socket.create_connection(("127.0.0.1", port), DEADLINE_S) as connected:
                connected.settimeout(None)
                reader, writer = connected.makefile("rb", buffering=0), connected.makefile("wb", buffering=0)
                client = DapClient(reader, writer, timeout_s=DEADLINE_S)
                try:
                    yield client, connected
                finally:
                    client.close()
        finally:
            listener.terminate()


def drop(connected: socket.socket) -> None:
    connected.shutdown(socket.SHUT_RDWR)


def test_launched_program_ends_with_its_connection(newest_runtime: Runtime, place: Place) -> None:
    program = programs.build("Spin", newest_runtime)
    lines = {str(program.source): [program.line("round")]}
    with connection(place) as (client, connected):
        client.launch(str(program.dll), [str(place.folder / "stop")], breakpoints=lines, env=dict(program.env))
        client.wait_for_stop()
        process_id = int(client.events("process")[0]["systemProcessId"])
        drop(connected)
        wait_until(lambda: has_ended(process_id), "the end of the program", DEADLINE_S)


def test_attached_program_runs_on_without_its_connection(newest_runtime: Runtime, place: Place) -> None:
    program = programs.build("Spin", newest_runtime)
    with spinning(program, place.folder, place.environment) as spin, connection(place) as (client, connected):
        client.attach(spin.process_id, breakpoints={str(program.source): [program.line("round")]})
        client.wait_for_stop()
        drop(connected)
        wait_until(lambda: len(place.processes()) == 2, "the end of the adapter beside the listener", DEADLINE_S)
        spin.stop()  # at the breakpoint it could not


def test_program_behind_a_token_does_not_get_it(newest_runtime: Runtime, place: Place) -> None:
    program = programs.build("Spin", newest_runtime)
    with connection(place, DAP_DOTNET_TOKEN=TOKEN) as (client, connected):
        client.initialize()
        configuration = {"program": str(program.dll), "args": [str(place.folder / "stop")], "env": dict(program.env)}
        launching = client.send("launch", {**configuration, "serverToken": TOKEN})
        client.wait_for("initialized")
        client.request("configurationDone")
        launching.result()
        process_id = int(client.wait_for("process").body["systemProcessId"])
        assert TOKEN.encode() not in Path(f"/proc/{process_id}/environ").read_bytes()
        drop(connected)
        wait_until(lambda: has_ended(process_id), "the end of the program", DEADLINE_S)
