"""`--listen` and `--server`: clients over TCP."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from collections.abc import Iterator, Mapping

import pytest

from dap_dotnet.cli.listening import parse_address, take_token
from dap_dotnet.client import DapClient, DapRequestError, adapter_command
from dap_dotnet.startup.options import UsageError, parse_adapter_options

DEADLINE_S = 20.0


TOKEN = "correct horse battery staple"


@pytest.fixture
def port() -> Iterator[int]:
    """Where a listening dap-dotnet waits."""
    yield from listening(os.environ)


def listening(environment: Mapping[str, str]) -> Iterator[int]:
    """The port of a dap-dotnet that listens, once."""
    command = adapter_command(["--listen", "127.0.0.1:0"])
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stderr is not None
        yield int(process.stderr.readline().rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(DEADLINE_S)
        process.stderr.close()


@contextlib.contextmanager
def connected(port: int) -> Iterator[DapClient]:
    with socket.create_connection(("127.0.0.1", port), DEADLINE_S) as connection:
        reader, writer = connection.makefile("rb", buffering=0), connection.makefile("wb", buffering=0)
        with DapClient(reader, writer, timeout_s=DEADLINE_S) as client:
            yield client


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


@pytest.fixture
def guarded_port() -> Iterator[int]:
    """Of one that asks for a token."""
    environment = {**os.environ, "DAP_DOTNET_TOKEN": TOKEN}
    yield from listening(environment)


def test_adapter_of_a_listener_with_a_token_asks_for_it(guarded_port: int) -> None:
    with connected(guarded_port) as client:
        client.initialize()
        with pytest.raises(DapRequestError, match="serverToken"):
            client.request("launch", {"program": "/no/such.dll"})
    with connected(guarded_port) as client:
        client.initialize()
        with pytest.raises(DapRequestError, match="such"):  # it has come as far as the program
            client.request("launch", {"program": "/no/such.dll", "serverToken": TOKEN})


def test_thousand_connections_take_no_process_and_keep_nobody_out(guarded_port: int) -> None:
    with contextlib.ExitStack() as stack:
        for number in range(1000):
            knocking = stack.enter_context(socket.create_connection(("127.0.0.1", guarded_port), DEADLINE_S))
            if number % 3:
                with contextlib.suppress(OSError):  # it may have been sent away
                    knocking.sendall(b"\x00" * 5000 if number % 3 == 1 else b"GET / HTTP/1.1\r\n\r\n")
        with connected(guarded_port) as client:
            assert client.initialize().supports_configuration_done_request


@pytest.mark.parametrize("token", ["", "short", "x" * 15])
def test_token_that_can_be_guessed_is_refused(token: str) -> None:
    with pytest.raises(UsageError, match="16 characters"):
        take_token({"DAP_DOTNET_TOKEN": token})


def test_token_is_taken_out_of_the_environment() -> None:
    environment = {"DAP_DOTNET_TOKEN": TOKEN, "A": "1"}
    assert take_token(environment) == TOKEN
    assert environment == {"A": "1"}
    assert take_token(environment) is None


@pytest.mark.parametrize("text", ["0.0.0.0:4711", "[::]:4711", "192.168.1.2:1"])
def test_other_machines_may_come_when_they_have_to_know_a_token(text: str) -> None:
    host, _ = parse_address(text, has_token=True)
    assert host == text.rpartition(":")[0].strip("[]")
