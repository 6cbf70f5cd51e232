"""The tools, one module for each family. Importing `ALL`'s modules fills `Tool.TABLE`."""

from __future__ import annotations

import importlib

from dap_dotnet.mcp.options import ServerOptions
from dap_dotnet.mcp.tool import Tool

FAMILIES = (
    "debugging",
    "core_dumps",
    "building",
    "breakpoints",
    "breakpoint_states",
    "execution",
    "inspection",
    "threads",
    "async_methods",
    "objects",
    "heap",
    "memory",
    "program",
    "usages",
    "definitions",
)


def all_tools() -> list[Tool]:
    """Every tool there is, in the order of the documentation."""
    for family in FAMILIES:
        importlib.import_module(f"{__name__}.{family}")
    return sorted(Tool.TABLE.values(), key=lambda tool: FAMILIES.index(tool.run.__module__.rpartition(".")[2]))


def offered_tools(options: ServerOptions) -> list[Tool]:
    """The tools that a server with these options offers."""
    missing = {need for need, is_off in (("attach", options.no_attach), ("write", options.read_only)) if is_off}
    return [tool for tool in all_tools() if tool.needs not in missing]
