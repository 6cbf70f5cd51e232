"""`restart`: the program once more, in the same session of the client, with its breakpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dap_dotnet.errors import DapDotnetError, NoSessionError, UserError
from dap_dotnet.handlers.lifecycle import END_TIMEOUT_S, begin_attach, begin_launch, check_launch, report_notes
from dap_dotnet.launching.arguments import AttachArguments, LaunchArguments
from dap_dotnet.protocol.messages.lifecycle import RestartArguments
from dap_dotnet.server import DEFERRED, Deferred, PendingRequest
from dap_dotnet.server.arguments import parse_arguments
from dap_dotnet.session.phase import Phase
from dap_dotnet.session.session import Session
from dap_dotnet.session.succession import successor_of


def restart(session: Session, arguments: RestartArguments) -> Deferred:
    """End the program and launch it again, or detach from the process and attach again.

    With the arguments it began with, or those that are sent. Answered when the program is under control again, or
    cannot be: then the session has ended. What can be refused before the program ends leaves the program alone.
    """
    if session.phase is Phase.STARTING or session.replacement.is_wanted:
        raise UserError("The program is still starting: wait until it has started.", code="STILL_STARTING")
    process_id = session.need_debuggee().process_id
    request = session.server.current_request
    begin = _beginning(session, arguments.arguments, process_id)

    def replace() -> None:
        successor = successor_of(session)
        try:
            begin(successor, request)
        except DapDotnetError as error:
            request.fail(error)
            successor.end(None)

    def cancelled() -> None:
        request.fail(NoSessionError("The session was ended before the program was started again."))

    def give_up() -> None:
        if session.replacement.is_wanted:
            session.client_events.important(
                "The program did not end in time to be started again; when it does, the session ends."
            )
            session.replacement.cancel()

    session.server.call_later(END_TIMEOUT_S, give_up)
    session.replace_program(replace, cancelled)
    return DEFERRED


def _beginning(
    session: Session, sent: dict[str, Any] | None, process_id: int
) -> Callable[[Session, PendingRequest], None]:
    """What begins again, checked as far as it can be while the program still runs. Raises `DapDotnetError`."""
    former = session.beginning
    if isinstance(former, AttachArguments):
        attach = parse_arguments(AttachArguments, "restart", sent) if sent else former
        if not sent or (attach.process_id is None and not attach.process_name.strip()):
            attach = attach.model_copy(update={"process_id": process_id})
        return lambda successor, request: begin_attach(successor, attach, request)
    assert isinstance(former, LaunchArguments)
    launch = parse_arguments(LaunchArguments, "restart", sent) if sent else former
    if sent:
        report_notes(session, launch, sent)
    check_launch(session, launch)
    return lambda successor, request: begin_launch(successor, launch, request)
