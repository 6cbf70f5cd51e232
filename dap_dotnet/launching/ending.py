"""Asking a program to end by itself."""

from __future__ import annotations

import os
import signal

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.api import Debuggee


def ask_to_end(debuggee: Debuggee) -> None:
    """Send SIGTERM, so that the program's exit handlers run; where that cannot be done, the program is killed.

    A process that is gone already is not an error. Raises `DapDotnetError` when it may not be signalled.
    """
    terminate = getattr(signal, "SIGTERM", None)
    if os.name != "posix" or terminate is None:
        debuggee.terminate()
        return
    try:
        os.kill(debuggee.process_id, terminate)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise DapDotnetError(
            f"Process {debuggee.process_id} cannot be ended by this user: {error.strerror}."
        ) from error
