"""`initialize`, `launch`, `attach`, `configurationDone`, `terminate` and `disconnect`."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

from dap_dotnet.errors import DapDotnetError, ProtocolError
from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments
from dap_dotnet.launching.ending import ask_to_end
from dap_dotnet.launching.programs import resolve_program
from dap_dotnet.protocol.messages.initialize import Capabilities, InitializeRequestArguments
from dap_dotnet.protocol.messages.lifecycle import ConfigurationDoneArguments, DisconnectArguments, TerminateArguments
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import LaunchSpec
from dap_dotnet.server import DEFERRED, Deferred, PendingRequest
from dap_dotnet.session.session import Phase, Session, SessionOptions
from dap_dotnet.session.start_thread import StartThread
from dap_dotnet.symbols.modules import warm_up
from dap_dotnet.symbols.source_map import IGNORE_CASE, SourceMap


def initialize(session: Session, arguments: InitializeRequestArguments) -> Capabilities:
    """Tell what we can do; `initialized` follows at once, since breakpoints may be set before there is a program."""
    session.server.after_response(lambda: session.server.send_event("initialized"))
    return session.server.capabilities()


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
        session.client_events.process(options.program_name, debuggee.process_id, is_attach=options.is_attach)
        session.started(debuggee)

    def fail(error: DapDotnetError) -> None:
        request.fail(error)
        session.failed_to_start()

    session.start = StartThread(start, session.server.post, succeed, fail)


_log = logging.getLogger(__name__)

_END_TIMEOUT_S = 5.0
"""How long the end of a program, or a detach, may take before the client is answered anyway."""


def disconnect(session: Session, arguments: DisconnectArguments) -> Deferred | None:
    """End the session: kill the program or leave it running. The response is the last message but the events of it."""
    session.server.after_response(session.server.stop)
    debuggee = session.debuggee
    if debuggee is None or session.phase is Phase.ENDED:
        session.phase = Phase.ENDED
        return None
    kill = arguments.terminate_debuggee
    if kill is None:
        kill = not session.options.is_attach
    request = session.server.current_request
    _answer_at_end(session, request)
    if kill:
        debuggee.terminate()
    else:
        session.holds.when_held(lambda: _detach(session))
    return DEFERRED


def _detach(session: Session) -> None:
    """Leave the program running, with no breakpoint behind. The process is held."""
    debuggee = session.debuggee
    if debuggee is None or session.phase is Phase.ENDED:
        return
    session.breakpoints.disable_all()
    try:
        session.breakpoints.apply(debuggee)
        debuggee.detach()
    except DapDotnetError as error:
        session.client_events.important(f"The program could not be left cleanly: {error.message}")
        _log.warning("detach: %s", error.message)
    session.end(None)


def _answer_at_end(session: Session, request: PendingRequest) -> None:
    def answer() -> None:
        if not request.is_answered:
            request.respond()

    def give_up() -> None:
        if not request.is_answered:
            session.client_events.important("The program did not end in time; dap-dotnet leaves it to its launcher.")
            answer()

    session.on_end.append(answer)
    session.server.call_later(_END_TIMEOUT_S, give_up)


def terminate(session: Session, arguments: TerminateArguments) -> None:
    """Ask the program to end by itself, as SIGTERM does: its exit handlers run. `disconnect` kills."""
    debuggee = session.need_debuggee()
    session.leave_to_end()
    ask_to_end(debuggee)
