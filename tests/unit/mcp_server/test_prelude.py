"""What is answered before the SDK is there, and what the SDK then sees and says."""

from __future__ import annotations

import json
import os
import threading

import pytest

from dap_dotnet.mcp.options import ServerOptions
from dap_dotnet.mcp.prelude import Prelude
from tests.support.descriptors import low_descriptors_taken

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
LIST = {"jsonrpc": "2.0", "id": "one", "method": "tools/list"}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "debug_status"}}


class Host:
    """The other ends of a prelude's pipes."""

    def __init__(self, **options):
        input_fd, self.to_server = os.pipe()
        self.from_server, output_fd = os.pipe()
        self._fds = [input_fd, self.to_server, self.from_server, output_fd]
        self.prelude = Prelude(input_fd, output_fd, ServerOptions(**options))
        self.answers = os.fdopen(self.from_server, "rb", closefd=False)

    def send(self, *messages):
        os.write(self.to_server, b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def receive(self):
        return json.loads(self.answers.readline())

    def run(self):
        """Run the prelude, on a thread; the event lets the import end."""
        imported = threading.Event()
        thread = threading.Thread(target=self.prelude.run, args=(imported.wait,))
        thread.start()
        return thread, imported

    def close(self):
        self.answers.close()
        for fd in self._fds:
            os.close(fd)


@pytest.fixture
def make_host():
    made = []

    def make(**options):
        made.append(Host(**options))
        return made[-1]

    yield make
    for host in made:
        host.close()


def test_a_host_is_answered_through_any_descriptor(make_host):
    with low_descriptors_taken():
        host = make_host()
    thread, imported = host.run()
    host.send(INITIALIZE, INITIALIZED)
    assert host.receive()["id"] == 0
    imported.set()
    thread.join(10)
    assert not thread.is_alive()


def test_a_host_is_answered_while_the_sdk_is_imported_and_only_once(make_host):
    host = make_host()
    thread, imported = host.run()
    host.send(INITIALIZE, INITIALIZED, LIST)
    first, listed = host.receive(), host.receive()
    assert first["result"]["protocolVersion"] == "2025-06-18"
    assert "debug_launch" in [tool["name"] for tool in listed["result"]["tools"]]
    imported.set()
    thread.join(10)
    assert [json.loads(host.prelude.readline()) for _ in range(3)] == [INITIALIZE, INITIALIZED, LIST]
    for answer in (first, listed):
        host.prelude.write(json.dumps(answer) + "\n")
    host.prelude.write(json.dumps({"jsonrpc": "2.0", "id": "one", "result": {}}) + "\n")
    assert host.receive() == {"jsonrpc": "2.0", "id": "one", "result": {}}


def test_another_question_is_left_to_the_sdk_and_so_is_what_follows(make_host):
    host = make_host()
    thread, imported = host.run()
    host.send(INITIALIZE, CALL, LIST)
    assert host.receive()["id"] == 0
    imported.set()
    thread.join(10)
    assert [json.loads(host.prelude.readline()) for _ in range(3)] == [INITIALIZE, CALL, LIST]
    host.prelude.write('{"jsonrpc":"2.0","id":2,"result":{}}\n')
    assert host.receive()["id"] == 2


@pytest.mark.parametrize(
    "message",
    [
        LIST,  # before the handshake
        {**INITIALIZE, "params": {"protocolVersion": "1999-01-01"}},
        {**INITIALIZE, "params": []},
        {**INITIALIZE, "id": None},
        [INITIALIZE],
        "text",
    ],
)
def test_what_is_not_plain_is_left_to_the_sdk(make_host, message):
    host = make_host()
    thread, imported = host.run()
    host.send(message)
    imported.set()
    thread.join(10)
    assert json.loads(host.prelude.readline()) == message
    os.close(host._fds.pop(1))
    assert host.prelude.readline() == ""


def test_the_end_of_the_host_is_seen(make_host):
    host = make_host()
    thread, imported = host.run()
    host.send(INITIALIZE)
    os.close(host._fds.pop(1))
    imported.set()
    thread.join(10)
    assert json.loads(host.prelude.readline()) == INITIALIZE
    assert host.prelude.readline() == ""


def test_switches_are_heeded(make_host):
    host = make_host(no_attach=True)
    thread, imported = host.run()
    host.send(INITIALIZE, LIST)
    host.receive()
    assert "debug_attach" not in [tool["name"] for tool in host.receive()["result"]["tools"]]
    imported.set()
    thread.join(10)


def test_a_failed_import_is_raised(make_host):
    def fail():
        raise ImportError("no SDK")

    with pytest.raises(ImportError):
        make_host().prelude.run(fail)
