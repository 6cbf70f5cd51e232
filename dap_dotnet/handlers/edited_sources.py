"""Sources that were edited while the program that was built from them runs: the user is told at a stop in them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from dap_dotnet.runtime.model import Frame
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.frames import describe_frame

NOTICE = "The program runs the code of before your change"
"""What the notice begins with: the VS Code extension knows it by that."""


def look_at_sources(session: Session, frames: Iterable[Frame]) -> None:
    """Take in the texts of a stack's sources while they are those that run, and tell of those that were edited."""
    paths = session.breakpoints.resolver.lines.paths
    for frame in frames:
        described = describe_frame(session.modules, frame)
        path = described.path
        if path is None or path in session.told_of_edits or not paths.file(path).exists:
            continue
        match = paths.find(path)
        is_known = paths.edit(path) is not None
        is_other = any(one.is_same_source is False for one in (*match.taken, *match.refused))
        if described.is_user_code and (is_known or is_other):
            session.told_of_edits.add(path)
            text = f"{NOTICE} of {os.path.basename(path)}: restart it to run the new code."
            if not is_known:
                text += " The debugger has not seen the file as it was, so that lines may be others."
            session.client_events.warning(text, path)
