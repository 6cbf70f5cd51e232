"""The server over HTTP: who gets through, with the SDK's client and by hand."""

from __future__ import annotations

import http.client
import json
import socket
import threading

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from dap_dotnet.mcp.http import make_server
from dap_dotnet.mcp.options import ServerOptions, parse_server_options
from dap_dotnet.mcp.server import DebugServer
from dap_dotnet.startup.options import UsageError

TOKEN = "a-token"
DEADLINE_S = 30.0
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}},
}


@pytest.fixture
def port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        server = make_server(DebugServer(ServerOptions()), listener, TOKEN)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(DEADLINE_S)
        assert not thread.is_alive()


def status(port, **headers):
    """The status of an `initialize` with these headers instead of the right ones; None leaves one out."""
    usual = {
        "Host": f"127.0.0.1:{port}",
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    try:
        connection.putrequest("POST", "/mcp", skip_host=True, skip_accept_encoding=True)
        for name, value in {**usual, **headers}.items():
            if value is not None:
                connection.putheader(name, value)
        body = json.dumps(INITIALIZE).encode()
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        return connection.getresponse().status
    finally:
        connection.close()


def test_only_who_knows_the_token_and_comes_from_here_gets_through(port):
    assert status(port) == 200
    assert status(port, Origin=f"http://localhost:{port}") == 200
    assert status(port, Authorization=None) == 401
    assert status(port, Authorization="Bearer a-toke") == 401
    assert status(port, Authorization=TOKEN) == 401
    assert status(port, Host="evil.example") == 421
    assert status(port, Host=f"evil.example:{port}") == 421
    assert status(port, Origin="https://evil.example") == 403
    assert status(port, Origin="null") == 403


def test_the_sdk_client_calls_tools_over_http(port):
    async def main():
        with anyio.fail_after(DEADLINE_S):
            async with create_mcp_http_client(headers={"Authorization": f"Bearer {TOKEN}"}) as http_client:
                transport = streamable_http_client(f"http://127.0.0.1:{port}/mcp", http_client=http_client)
                async with Client(transport) as client:
                    assert "debug_launch" in [tool.name for tool in (await client.list_tools()).tools]
                    result = await client.call_tool("debug_status", {})
                    assert result.structured_content == {"sessions": []}

    anyio.run(main)


@pytest.mark.parametrize("address", ["0.0.0.0:1", "example.com:1", "127.0.0.1", "70000", "10.0.0.1:5"])
def test_only_an_address_of_the_machine_itself_is_listened_on(address):
    with pytest.raises(UsageError):
        parse_server_options(["--http", address])
