"""``dap-dotnet mcp``: runs the server."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import IO, Any, cast

from dap_dotnet.mcp.options import ServerOptions, parse_server_options
from dap_dotnet.startup.options import UsageError


def serve_tools(arguments: Sequence[str], adapter_options: Sequence[str] = ()) -> int:
    """Serve until the host closes standard input; the exit code. Raises `UsageError`."""
    options = parse_server_options(arguments, adapter_options)
    if find_spec("mcp") is None:
        raise UsageError("mcp needs another package: pip install 'mcp>=2.3,<3'")
    if options.http is not None:
        from dap_dotnet.mcp.http import serve_http

        return serve_http(options)
    if sys.stdin.isatty():
        print("dap-dotnet speaks the Model Context Protocol here, for an agent that starts it.", file=sys.stderr)
    return _serve_stdio(options)


def _serve_stdio(options: ServerOptions) -> int:
    from dap_dotnet.mcp.prelude import Prelude

    # A thread that reads from the host cannot be interrupted. Adapters notice our end, and end what they have launched.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    prelude = Prelude(*_claim_stdio(), options)

    def load() -> None:

        import dap_dotnet.mcp.server  # noqa: F401

    prelude.run(load)

    import anyio
    from mcp.server.stdio import stdio_server

    from dap_dotnet.mcp.server import DebugServer

    async def run() -> None:
        debug_server = DebugServer(options)
        files: Any = anyio.wrap_file(cast("IO[str]", prelude))
        async with stdio_server(files, files) as (reader, writer):
            await debug_server.server.run(reader, writer, debug_server.server.create_initialization_options())

    anyio.run(run)
    return 0


def _claim_stdio() -> tuple[int, int]:
    """Standard input and output for the protocol alone: whatever else writes there writes to standard error."""
    input_fd, output_fd = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return input_fd, output_fd
