"""Where the files may be that an agent names."""

from __future__ import annotations

import os
from collections.abc import Sequence

from dap_dotnet.mcp.errors import ToolError


def allowed_path(path: str, folders: Sequence[str]) -> str:
    """The absolute path. Raises `ToolError` when it is in none of `folders` (resolved ones; none allow any)."""
    if "\0" in path:
        raise ToolError("INVALID_ARGUMENTS", "A path has no null characters.")
    absolute = os.path.abspath(os.path.expanduser(path))
    if not folders:
        return absolute
    resolved = os.path.realpath(absolute)
    if any(resolved == folder or resolved.startswith(folder.rstrip("/") + "/") for folder in folders):
        return absolute
    raise ToolError("NOT_ALLOWED", f"{path} is outside the folders that this server may use: {', '.join(folders)}.")
