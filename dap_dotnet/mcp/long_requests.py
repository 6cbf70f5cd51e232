"""Requests that take long, such as those that go through the heap: they tell how far they are, and can be given up."""

from __future__ import annotations

import time
from typing import Any

from dap_dotnet.client import DapClient, DapTimeoutError
from dap_dotnet.mcp.caller import Caller
from dap_dotnet.mcp.debug_session import DebugSession
from dap_dotnet.protocol.wire_names import wire_name

TIMEOUT_S = 300.0
_PROGRESS_S = 1.0


def long_request(
    call: Caller,
    session: DebugSession | DapClient,
    command: str,
    arguments: Any,
    what: str,
    *,
    timeout_s: float | None = None,
) -> dict[str, Any]:
    """The body of the response, with progress in the words `what`; a cancelled call cancels the request.

    Raises `Cancelled`, `ClientError`; `DapTimeoutError` after `timeout_s` (None: `TIMEOUT_S`), when the request is
    cancelled, too.
    """
    longest_s = TIMEOUT_S if timeout_s is None else timeout_s
    began = time.monotonic()
    call.progress(0, None, what)
    pending = session.send(command, arguments)

    def give_up() -> None:
        session.send("cancel", {wire_name("request_id"): pending.seq})

    call.on_cancel = give_up
    try:
        if call.is_cancelled:  # before `give_up` was there to be called
            give_up()
        while True:
            try:
                return pending.result(_PROGRESS_S)
            except DapTimeoutError:
                passed = time.monotonic() - began
                if passed > longest_s:
                    give_up()
                    raise
            call.progress(round(passed, 1), None, what)
    finally:
        call.on_cancel = None
