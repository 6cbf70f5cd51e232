"""From one run of a program to its next: what goes on, and what does not. Session thread only."""

from __future__ import annotations

from dap_dotnet.session.session import Session


def successor_of(former: Session) -> Session:
    """The session of the program's next run, which the server has from now on; the former one is closed.

    What the user has set goes on, with its ids, and no number that the client knows is given again. All else dies with
    the program, by staying in its session.
    """
    for thread in former.threads.known():
        former.client_events.thread("exited", thread)
    for module in former.modules:
        former.client_events.module("removed", module)
    former.on_disconnect()
    successor = Session(former.server, former.backend, former.reactions, is_configured=former.is_configured)
    successor.client_events = former.client_events
    successor.client_events.span_now = successor.span_now
    successor.stop_state = former.stop_state
    successor.breakpoints.take_over(former.breakpoints)
    former.server.replace_session(successor)
    return successor
