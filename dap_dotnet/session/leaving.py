"""The last thing that a session does with its program."""

from __future__ import annotations

import logging

from dap_dotnet.runtime.api import Debuggee

_log = logging.getLogger(__name__)


def close(debuggee: Debuggee) -> None:
    """Close it: a launched program is killed, an attached one runs on. Any thread.

    One that cannot be let go of, such as one that cannot be stopped, is left to its guardian, which comes when this
    process has ended: the log says so.
    """
    if not debuggee.close():
        _log.warning(
            "process %d could not be let go of: its guardian does it once dap-dotnet has ended", debuggee.process_id
        )
