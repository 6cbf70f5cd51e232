"""A launch that opens a core dump."""

from __future__ import annotations

from dap_dotnet.handlers.frozen_sessions import frozen_options
from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.server import PendingRequest
from dap_dotnet.session.phase import SessionOptions
from dap_dotnet.session.session import Session


def open_core_dump(
    session: Session, arguments: LaunchArguments, options: SessionOptions, request: PendingRequest
) -> None:
    """Open the dump on a thread of its own; `request` is answered when that has succeeded or failed.

    `options` are those of any launch: what would run something is switched off.
    """
    path = session.view.path_from_client(arguments.core_dump_path)

    def start() -> Debuggee:
        return session.backend.open_core(path, arguments.core_dump_folders, session.event_queue.put)

    def succeed(debuggee: Debuggee) -> None:
        request.respond()
        session.client_events.process(file_name(path), debuggee.process_id, is_attach=True)

    session.begin(arguments, frozen_options(options), start, on_success=succeed, on_failure=request.fail)
