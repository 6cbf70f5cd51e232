"""`launch`, `attach` and `configurationDone`."""

from __future__ import annotations

import os
from collections.abc import Callable

from dap_dotnet.errors import DapDotnetError, ProtocolError
from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments
from dap_dotnet.launching.programs import resolve_program
from dap_dotnet.protocol.messages.lifecycle import ConfigurationDoneArguments
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import LaunchSpec
from dap_dotnet.server import DEFERRED, Deferred
from dap_dotnet.session import Phase, Session, SessionOptions
from dap_dotnet.starts import Start
from dap_dotnet.symbols.modules import warm_up
from dap_dotnet.symbols.source_map import IGNORE_CASE, SourceMap

START_TIMEOUT_MS = 60_000
"""How long a program may take until its runtime is up."""


def launch(session: Session, arguments: LaunchArguments) -> Deferred:
    """Start a program and hold it before Main. Answered when the runtime is under control, or cannot be."""
    _only_once(session)
    environment = dict(os.environ)
    for name, value in arguments.env.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    cwd = session.view.path_from_client(arguments.cwd) if arguments.cwd else None
    program = session.view.path_from_client(arguments.program)
    spec = resolve_program(program, arguments.args, cwd, environment)
    options = SessionOptions(
        just_my_code=arguments.just_my_code,
        stop_at_entry=arguments.stop_at_entry,
        disable_optimizations=arguments.suppress_jit_optimizations,
        program_name=program,
        source_file_map=arguments.source_file_map,
        require_exact_source=arguments.require_exact_source,
    )
    if arguments.no_debug:
        session.run_without_stops()
    _start(session, options, lambda: _launch(session, spec))
    managed = next((part for part in spec.command[:2] if part.endswith(".dll")), os.path.splitext(program)[0] + ".dll")
    session.server.post(lambda: warm_up(managed))
    return DEFERRED


def _launch(session: Session, spec: LaunchSpec) -> Debuggee:
    return session.backend.launch(spec, session.sink, timeout_ms=START_TIMEOUT_MS)


def attach(session: Session, arguments: AttachArguments) -> Deferred:
    """Take control of a running process. Answered when that is done, or cannot be."""
    _only_once(session)
    process_id = arguments.process_id
    options = SessionOptions(
        just_my_code=arguments.just_my_code,
        is_attach=True,
        program_name=f"process {process_id}",
        source_file_map=arguments.source_file_map,
        require_exact_source=arguments.require_exact_source,
    )
    _start(
        session,
        options,
        lambda: session.backend.attach(process_id, session.sink, timeout_ms=START_TIMEOUT_MS),
    )
    return DEFERRED


def configuration_done(session: Session, arguments: ConfigurationDoneArguments) -> None:
    """The client has sent its breakpoints: let the program begin."""
    session.server.after_response(session.configured)


def _only_once(session: Session) -> None:
    if session.phase is not Phase.IDLE:
        raise ProtocolError("This session has a program already: one adapter process serves one program.")


def _start(session: Session, options: SessionOptions, start: Callable[[], Debuggee]) -> None:
    """Run `start` on a thread of its own; the request that is being handled is answered when it ends."""
    request = session.server.current_request
    session.options = options
    session.modules.source_map = SourceMap(options.source_file_map, ignore_case=IGNORE_CASE)
    session.modules.require_exact_source = options.require_exact_source
    session.phase = Phase.STARTING

    def succeed(debuggee: Debuggee) -> None:
        request.respond()
        session.notices.process(options.program_name, debuggee.process_id, is_attach=options.is_attach)
        session.started(debuggee)

    def fail(error: DapDotnetError) -> None:
        request.fail(error)
        session.failed_to_start()

    session.start = Start(start, session.server.post, succeed, fail)
