"""A tool server in this process, with fake debuggees behind it and the SDK's own client before it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Any

import anyio
from mcp import Client
from mcp_types import CallToolResult

from dap_dotnet.client import DapClient
from dap_dotnet.mcp.options import ServerOptions
from dap_dotnet.mcp.server import DebugServer
from dap_dotnet.mcp.sessions import Sessions
from tests.session.harness import SessionUnderTest, add_up
from tests.support.fake_debuggee.machine import Program

DEADLINE_S = 40.0
PROGRAM = "/app/Sample.dll"


class Agent:
    """What a test does with a server."""

    def __init__(self, client: Client, server: DebugServer) -> None:
        self.client = client
        self.server = server

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A call that succeeds; its structured answer."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        found: dict[str, Any] = result.structured_content
        return found

    async def refused(self, tool: str, **arguments: Any) -> str:
        """A call that fails; its code."""
        result: CallToolResult = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.content
        error = result.structured_content["error"]
        assert error["message"]
        assert error["remedy"]
        return str(error["code"])


def run_agent(
    body: Callable[[Agent], Awaitable[None]],
    program: Program = add_up,
    options: ServerOptions | None = None,
    **client_options: Any,
) -> None:
    """Run a test against a server whose sessions play `program`. Every session must be over at its end."""
    with ExitStack() as stack:

        def spawn() -> DapClient:
            return stack.enter_context(SessionUnderTest(program)).client

        async def main() -> None:
            server = DebugServer(options or ServerOptions(), Sessions(spawn=spawn))
            with anyio.fail_after(DEADLINE_S):
                async with Client(server.server, **client_options) as client:
                    await body(Agent(client, server))
            assert server.sessions.all() == []

        anyio.run(main)
