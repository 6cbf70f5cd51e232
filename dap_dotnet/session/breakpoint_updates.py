"""Bringing the runtime in line with what the user's breakpoints ask for now. Session thread only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.events import ExceptionPhase

if TYPE_CHECKING:
    from dap_dotnet.session.session_facts import SessionFacts


def apply_breakpoints(session: SessionFacts, then: Callable[[DapDotnetError | None], None]) -> None:
    """Bring the runtime's breakpoints in line with the registry, at once or when the program is held for it.

    `then` is called afterwards: with None, or with the error when the program ended, or was left, meanwhile.
    """

    def apply() -> None:
        try:
            if session.debuggee is not None and not session.is_over:
                session.breakpoints.registry.apply(session.debuggee)
                if session.holds.is_held:
                    update_watched_data(session)
        except DapDotnetError as error:
            then(error)
        else:
            then(None)

    if session.breakpoints.registry.has_changes:
        session.holds.when_held(apply)
    else:
        apply()


def update_watched_data(session: SessionFacts) -> None:
    """After breakpoints have been bound or removed, while the program is held: remember what the fields hold."""
    if session.breakpoints.has_data:
        stop = session.current_stop
        session.breakpoints.remember_fields(session.program(), stop.thread if stop is not None else None)


def apply_exception_rule(session: SessionFacts) -> None:
    """Let the runtime know which exception phases matter; a step has to know where handlers are, or none."""
    if session.debuggee is not None:
        options, stepping = session.options, session.stepping_so_far
        phases = session.breakpoints.exceptions.phases(just_my_code=options.just_my_code)
        if options.reports.exceptions and not options.never_stops:
            phases |= {ExceptionPhase.FIRST_CHANCE}
        if stepping is not None and stepping.thread is not None:
            phases |= {ExceptionPhase.CATCH_HANDLER_FOUND, ExceptionPhase.UNHANDLED}
        session.debuggee.set_exception_interest(phases)
