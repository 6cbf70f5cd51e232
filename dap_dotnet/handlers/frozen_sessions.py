"""What sessions over memory that stands still have in common; an `attach` that takes a look at a running process."""

from __future__ import annotations

from msgspec import structs

from dap_dotnet.launching.arguments import AttachArguments
from dap_dotnet.launching.attaching import name_of
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.server import PendingRequest
from dap_dotnet.session.phase import Reports, SessionOptions
from dap_dotnet.session.session import Session


def frozen_options(options: SessionOptions) -> SessionOptions:
    """Those of any session, without what would run something."""
    return structs.replace(
        options,
        is_attach=True,
        stop_on_attach=True,
        disable_optimizations=False,
        reports=Reports(module_load=False),
        display=structs.replace(options.display, may_run=False, may_run_to_string=False),
    )


def peek(
    session: Session, process_id: int, arguments: AttachArguments, options: SessionOptions, request: PendingRequest
) -> None:
    """Copy the process on a thread of its own; `request` is answered when that has succeeded or failed."""

    name = f"process {process_id}"

    def start() -> Debuggee:
        nonlocal name
        debuggee = session.backend.peek(process_id, session.event_queue.put)
        name = name_of(process_id) or name
        return debuggee

    def succeed(debuggee: Debuggee) -> None:
        request.respond()
        session.client_events.process(name, process_id, is_attach=True)
        session.client_events.peeked(name, process_id, debuggee.pause_ms or 0)

    session.begin(arguments, frozen_options(options), start, on_success=succeed, on_failure=request.fail)
