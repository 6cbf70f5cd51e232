"""``debug://SESSION/output`` and ``debug://SESSION/timeline``, as text."""

from __future__ import annotations

import re

from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.sessions import Sessions

KINDS = {
    "output": "What the program of the session wrote, at most the last 100,000 characters.",
    "timeline": "What happened in the session: stops, log points, exceptions and output, at most the last 1,000.",
}
_URI = re.compile(r"debug://([^/]{1,100})/(output|timeline)")
_MOST_CHARACTERS = 100_000
_MOST_ENTRIES = 1_000


def uri_of(session_id: str, kind: str) -> str:
    """The address of a session's output or timeline."""
    return f"debug://{session_id}/{kind}"


def read_resource(sessions: Sessions, uri: str) -> str:
    """The text of a resource. Raises `ToolError`."""
    matched = _URI.fullmatch(uri)
    if matched is None:
        raise ToolError("NOT_FOUND", f"There is no resource {uri[:200]!r}.", "Ask for the list of resources.")
    session = sessions.get(matched[1])
    if matched[2] == "output":
        return session.output.read(max(0, session.output.end - _MOST_CHARACTERS), _MOST_CHARACTERS)[0]
    entries = session.history.after(0)[-_MOST_ENTRIES:]
    return "\n".join(f"{entry.number} {entry.time.isoformat()} {entry.kind}: {entry.text}" for entry in entries)
