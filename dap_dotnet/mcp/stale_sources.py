"""Whether a source file is still what the program was built from: if not, its lines say something else."""

from __future__ import annotations

import os

from dap_dotnet.client import DapRequestError
from dap_dotnet.mcp.debug_session import DebugSession

_OTHER, _NOT_TAKEN = "checksum", "not chosen"
"""In the adapter's finding of a module whose symbols are of another content; in that of one whose file is another."""


def stale_note(session: DebugSession, path: str | None) -> str | None:
    """What a reader of the file has to know; None: nothing, or it is not known. Asked once for each version of a file.

    Raises `ClientError`.
    """
    try:
        status = os.stat(path) if path else None
    except (OSError, ValueError):
        status = None
    if path is None or status is None or session.state == "ended":
        return None
    version = (status.st_mtime_ns, status.st_size, len(session.modules))
    known = session.stale_notes.get(path)
    if known is None or known[0] != version:
        known = session.stale_notes[path] = (version, _ask(session, path))
    return known[1]


def _ask(session: DebugSession, path: str) -> str | None:
    try:
        body = session.request("dap-dotnet/explainBreakpoint", {"source": {"path": path}, "line": 1})
    except DapRequestError:
        return None
    found = [(str(one.get("name")), str(one.get("finding"))) for one in body.get("modules") or ()]
    is_refused = body.get("code") == "INVALID_FILE"
    names = [name for name, finding in found if _OTHER in finding and (is_refused or _NOT_TAKEN not in finding)]
    if not names:
        return None
    problem = f"{os.path.basename(path)} is not the file that {names[0]} was built from: its checksum differs"
    return f"{problem}, so lines may be others. Build it again, then debug_restart."
