"""`--listen` and `--server`: clients over TCP."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator

import pytest

from dap_dotnet.cli.listening import parse_address
from dap_dotnet.client import DapClient, adapter_command
from dap_dotnet.startup.options import UsageError, parse_adapter_options

DEADLINE_S = 20.0


@pytest.fixture
def port() -> Iterator[int]:
    """Where a listening dap-dotnet waits."""
    process = subprocess.Popen(adapter_command(["--listen", "127.0.0.1:0"]), stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        yield int(process.stderr.readline().rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(DEADLINE_S)
        process.stderr.close()


def test_clients_are_served_beside_each_other(port: int) -> None:
    connections = [socket.create_connection(("127.0.0.1", port), DEADLINE_S) for _ in range(2)]
    try:
        for connection in connections:
            reader, writer = connection.makefile("rb", buffering=0), connection.makefile("wb", buffering=0)
            with DapClient(reader, writer, timeout_s=DEADLINE_S) as client:
                assert client.initialize().supports_configuration_done_request
    finally:
        for connection in connections:
            connection.close()


def test_garbage_and_a_hang_up_harm_no_other_client(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), DEADLINE_S) as hostile:
        hostile.sendall(b"GET / HTTP/1.1\r\n\r\n")
    test_clients_are_served_beside_each_other(port)


@pytest.mark.parametrize("text", ["0.0.0.0:4711", "192.168.1.2:1", "example.org:1", "127.0.0.1:x", "", "99999"])
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_address(text)


@pytest.mark.parametrize(
    ("text", "address"),
    [("1", ("127.0.0.1", 1)), (":1", ("127.0.0.1", 1)), ("localhost:1", ("127.0.0.1", 1)), ("[::1]:1", ("::1", 1))],
)
def test_addresses_of_this_machine(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    ("arguments", "listen"),
    [
        (["--server"], "4711"),
        (["--interpreter=vscode", "--server=5000"], "5000"),
        (["--listen", "127.0.0.1:1"], "127.0.0.1:1"),
        (["--interpreter=vscode"], None),
    ],
)
def test_command_lines_of_other_adapters(arguments: list[str], listen: str | None) -> None:
    options, rest = parse_adapter_options(arguments)
    assert (options.listen, rest) == (listen, [])


def test_port_that_is_taken_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = adapter_command(["--listen", str(taken.getsockname()[1])])
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert done.returncode == 2
    assert "cannot listen on 127.0.0.1:" in done.stderr
