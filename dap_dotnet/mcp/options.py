"""The options of ``dap-dotnet mcp``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from dap_dotnet.startup.options import UsageError

TOKEN_VARIABLE = "DAP_DOTNET_MCP_TOKEN"
"""The environment variable that has the token of ``--http``; without it one is made and printed."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """What the server may do, and where it listens."""

    read_only: bool = False
    """No expression with side effects, no change of a value, and nothing that writes into the program."""
    no_attach: bool = False
    folders: tuple[str, ...] = ()
    """Resolved folders that programs and sources must be in; none: anywhere."""
    http: tuple[str, int] | None = None
    """The loopback address to listen on instead of standard input and output."""
    adapter_options: tuple[str, ...] = field(default=())
    """Command line options of the adapters."""


def parse_server_options(arguments: Sequence[str], adapter_options: Sequence[str] = ()) -> ServerOptions:
    """The options after ``mcp``. Exits with 2 on those it does not know; raises `UsageError` for bad values."""
    parser = argparse.ArgumentParser(
        prog="dap-dotnet mcp",
        description="A server of the Model Context Protocol: the debugger as tools for agents (docs/agents.md).",
    )
    parser.add_argument("--read-only", action="store_true", help="nothing that changes what the program computes")
    parser.add_argument("--no-attach", action="store_true", help="no control of programs that run already")
    parser.add_argument(
        "--folder",
        action="append",
        default=[],
        metavar="PATH",
        help="programs, working directories and sources must be in it; may be repeated",
    )
    parser.add_argument(
        "--http",
        metavar="[HOST:]PORT",
        help=f"streamable HTTP on this address of the machine itself, with the token in {TOKEN_VARIABLE}",
    )
    parsed = parser.parse_args(list(arguments))
    folders = []
    for folder in parsed.folder:
        resolved = os.path.realpath(folder)
        if not os.path.isdir(resolved):
            raise UsageError(f"--folder {folder}: there is no such folder")
        folders.append(resolved)
    return ServerOptions(
        read_only=parsed.read_only,
        no_attach=parsed.no_attach,
        folders=tuple(folders),
        http=_address(parsed.http) if parsed.http is not None else None,
        adapter_options=tuple(adapter_options),
    )


def _address(text: str) -> tuple[str, int]:
    import ipaddress

    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    host = "127.0.0.1" if host == "localhost" else host
    if not port.isdigit() or int(port) > 65535:
        raise UsageError(f"--http needs HOST:PORT or PORT, not {text!r}")
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        raise UsageError(f"--http takes an address, not the name {host!r}") from None
    if not is_loopback:
        raise UsageError(f"{host} can be reached from other machines: listen on 127.0.0.1, and use an SSH tunnel")
    return host, int(port)
