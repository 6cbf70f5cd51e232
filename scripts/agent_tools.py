"""Writes the table of tools into docs/agents.md, and what `dap-dotnet mcp` answers before the SDK is imported.

The latter is dap_dotnet/mcp/listing.json: the SDK's own answers to a host's first questions, in each version of the
protocol.
`--check` only reports whether both are up to date.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs" / "agents.md"
LISTING = ROOT / "dap_dotnet" / "mcp" / "listing.json"
BEGIN, END = "<!-- tools: made by scripts/agent_tools.py -->\n", "<!-- end of tools -->\n"


def table() -> str:
    """A row for each tool: its name, its arguments (those that are needed are bold), and what it does."""
    from dap_dotnet.mcp.tools import all_tools

    lines = ["| tool | arguments | |", "|---|---|---|"]
    for tool in all_tools():
        names = [f"**{name}**" if field.is_required() else name for name, field in tool.arguments.model_fields.items()]
        text = tool.description.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        lines.append(f"| `{tool.name}` | {', '.join(names)} | {text} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """The document with the table as it should be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def listing() -> str:
    """The answers of the SDK's server to a host's first questions, as JSON."""
    import anyio
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

    from dap_dotnet.mcp.tools import all_tools

    found: dict[str, Any] = {"initialize": {}, "discover": {}, "tools/list": {}, "tools": [], "needs": {}}
    for version in (*HANDSHAKE_PROTOCOL_VERSIONS, *MODERN_PROTOCOL_VERSIONS):
        is_modern = version in MODERN_PROTOCOL_VERSIONS
        first, listed = anyio.run(_ask, version, is_modern)
        tools = listed.pop("tools")
        if found["tools"] not in ([], tools):
            continue  # a version that lists them otherwise: the SDK answers it
        found["tools"] = tools
        found["discover" if is_modern else "initialize"][version] = first
        found["tools/list"][version] = listed
    found["needs"] = {tool.name: tool.needs for tool in all_tools() if tool.needs is not None}
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


async def _ask(version: str, is_modern: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """The results of the first request of a version, and of the list of tools."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    from dap_dotnet.mcp.options import ServerOptions
    from dap_dotnet.mcp.prelude import VERSION_KEY
    from dap_dotnet.mcp.server import DebugServer

    info = {"name": "host", "version": "1"}
    requests: list[tuple[str, dict[str, Any]]]
    if is_modern:
        key = VERSION_KEY.rpartition("/")[0]
        meta = {VERSION_KEY: version, f"{key}/clientInfo": info, f"{key}/clientCapabilities": {}}
        requests = [("server/discover", {"_meta": meta}), ("tools/list", {"_meta": meta})]
    else:
        parameters = {"protocolVersion": version, "capabilities": {}, "clientInfo": info}
        requests = [("initialize", parameters), ("tools/list", {})]
    to_server, read_stream = anyio.create_memory_object_stream[Any](10)
    write_stream, from_server = anyio.create_memory_object_stream[Any](10)
    server = DebugServer(ServerOptions()).server
    results: list[dict[str, Any]] = []
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run, read_stream, write_stream, server.create_initialization_options())
        for number, (method, params) in enumerate(requests):
            if number and not is_modern:
                done = {"jsonrpc": "2.0", "method": "notifications/initialized"}
                await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(done)))
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            await to_server.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            answer = (await from_server.receive()).message.model_dump(by_alias=True, mode="json", exclude_unset=True)
            results.append(answer["result"])
        to_server.close()
    from_server.close()
    return results[0], results[1]


def main() -> int:
    """The command line."""
    made = {DOCUMENT: with_table(DOCUMENT.read_text(encoding="utf-8")), LISTING: listing()}
    old = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for path in old:
            print(f"{path.relative_to(ROOT)} is out of date: run python scripts/agent_tools.py", file=sys.stderr)
        return int(bool(old))
    for path in old:
        path.write_text(made[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
