"""`stepBack` and `reverseContinue`: the stops that were."""

from __future__ import annotations

from dap_dotnet.errors import UserError
from dap_dotnet.protocol.messages.execution import ReverseContinueArguments, StepBackArguments
from dap_dotnet.session.history import History
from dap_dotnet.session.session import Session


def step_back(session: Session, arguments: StepBackArguments) -> None:
    """Show the stop before the one that is shown, whichever thread it was of."""
    _history(session).back()


def reverse_continue(session: Session, arguments: ReverseContinueArguments) -> None:
    """Show the last stop before that was at a breakpoint or an exception."""
    _history(session).back_to_breakpoint()


def _history(session: Session) -> History:
    session.need_debuggee()
    if session.history is None:
        raise UserError(
            'No stops are remembered in this session: put "history": true into the configuration, or --history '
            "behind `dap-dotnet run`.",
            code="NO_HISTORY",
        )
    return session.history
