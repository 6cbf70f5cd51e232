"""A launch that opens a core dump."""

from __future__ import annotations

from dap_dotnet.launching.arguments import LaunchArguments
from dap_dotnet.launching.symbol_paths import symbol_search
from dap_dotnet.protocol.client_view import file_name
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.server import PendingRequest
from dap_dotnet.session.phase import Reports, SessionOptions
from dap_dotnet.session.session import Session
from dap_dotnet.values.display_options import DisplayOptions


def open_core_dump(session: Session, arguments: LaunchArguments, request: PendingRequest) -> None:
    """Open the dump on a thread of its own; `request` is answered when that has succeeded or failed."""
    from_client = session.view.path_from_client
    path = from_client(arguments.core_dump_path)
    options = SessionOptions(
        just_my_code=arguments.just_my_code,
        is_attach=True,
        stop_on_attach=True,
        source_file_map={compiled: from_client(local) for compiled, local in arguments.source_file_map.items()},
        require_exact_source=arguments.require_exact_source,
        symbol_search=symbol_search(arguments),
        source_link_rules={name: rule.enabled for name, rule in arguments.source_link_options.items()},
        reports=Reports(module_load=False),
        display=DisplayOptions(
            may_run=False, may_run_to_string=False, raw=arguments.expression_evaluation_options.show_raw_values
        ),
    )

    def start() -> Debuggee:
        return session.backend.open_core(path, arguments.core_dump_folders, session.event_queue.put)

    def succeed(debuggee: Debuggee) -> None:
        request.respond()
        session.client_events.process(file_name(path), debuggee.process_id, is_attach=True)

    session.begin(arguments, options, start, on_success=succeed, on_failure=request.fail)
