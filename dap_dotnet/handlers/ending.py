"""`disconnect` and `terminate`."""

from __future__ import annotations

import logging

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.launching.ending import ask_to_end
from dap_dotnet.protocol.messages.lifecycle import DisconnectArguments, TerminateArguments
from dap_dotnet.server import DEFERRED, Deferred, PendingRequest
from dap_dotnet.session import Phase, Session

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
        session.notices.important(f"The program could not be left cleanly: {error.message}")
        _log.warning("detach: %s", error.message)
    session.end(None)


def _answer_at_end(session: Session, request: PendingRequest) -> None:
    def answer() -> None:
        if not request.is_answered:
            request.respond()

    def give_up() -> None:
        if not request.is_answered:
            session.notices.important("The program did not end in time; dap-dotnet leaves it to its launcher.")
            answer()

    session.on_end.append(answer)
    session.server.call_later(_END_TIMEOUT_S, give_up)


def terminate(session: Session, arguments: TerminateArguments) -> None:
    """Ask the program to end by itself, as SIGTERM does: its exit handlers run. `disconnect` kills."""
    debuggee = session.need_debuggee()
    session.leave_to_end()
    ask_to_end(debuggee)
