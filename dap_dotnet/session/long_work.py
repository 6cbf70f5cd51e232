"""Work that takes long, as the client shows it: with its progress, and a button that cancels it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dap_dotnet.protocol.messages.events import ProgressEndEventBody, ProgressStartEventBody
from dap_dotnet.server.interrupts import EVALUATION

if TYPE_CHECKING:
    from dap_dotnet.session.session_facts import SessionFacts

_SHOWN_AFTER_S = 1.0
_MOST_SHOWN = 100
"""Characters of the text."""


@contextmanager
def shown_if_long(session: SessionFacts, text: str, *, title: str = "Evaluating") -> Iterator[None]:
    """Inside, the client shows work that has not ended after a second. Its cancellation makes it unwanted."""
    if not session.view.supports_progress_reporting:
        yield
        return
    server, turn = session.server, threading.Lock()
    is_over = is_shown = False

    def show() -> None:
        nonlocal is_shown
        with turn:
            if not is_over:
                is_shown = True
                shown = text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"
                body = ProgressStartEventBody(progress_id=EVALUATION, title=title, message=shown, cancellable=True)
                server.send_event("progressStart", body)

    timer = threading.Timer(_SHOWN_AFTER_S, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with turn:
            is_over = True
        if is_shown:
            server.interrupts.forget_progress(EVALUATION)
            server.send_event("progressEnd", ProgressEndEventBody(progress_id=EVALUATION))
