"""What a running handler must see although the requests that say it wait in the inbox behind it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from dap_dotnet.server.requests import PendingRequest

EVALUATION = "evaluation"
"""The id of the progress of an evaluation that takes long."""
_ENDING_COMMANDS = frozenset({"disconnect", "terminate", "restart"})


class Interrupts:
    """All requests without a response, as the reader thread sees them come. Any thread.

    A long evaluation asks this object between its steps.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._open: list[PendingRequest] = []
        self._client_gone = False
        self._running: PendingRequest | None = None
        self._cancelled_progress: set[str] = set()
        self._is_end_wanted = False
        self._on_end_wanted: Callable[[], None] | None = None
        self._give_up: Callable[[], None] | None = None

    def when_end_is_wanted(self, action: Callable[[], None]) -> None:
        """Call `action` on the reader's thread when `disconnect` comes in or the client goes; now if it has already."""
        with self._lock:
            self._on_end_wanted = action
            is_wanted = self._is_end_wanted
        if is_wanted:
            action()

    @property
    def pause_requested(self) -> bool:
        """A `pause` waits for its answer."""
        return any(request.command == "pause" for request in self.open_requests())

    @property
    def disconnect_requested(self) -> bool:
        """A `disconnect`, `terminate` or `restart` waits for its answer, or the client is gone."""
        return self._client_gone or any(request.command in _ENDING_COMMANDS for request in self.open_requests())

    @property
    def is_work_unwanted(self) -> bool:
        """Nobody waits for the request that is handled now: it is cancelled, or a pause is wanted; or an end is."""
        running = self._running
        is_cancelled = running is not None and (running.is_cancelled or self.is_progress_cancelled(EVALUATION))
        is_unwanted = is_cancelled or (running is not None and self.pause_requested)
        return is_unwanted or self.disconnect_requested

    @contextlib.contextmanager
    def giving_up(self, action: Callable[[], None]) -> Iterator[None]:
        """Inside, `action` is called on the reader's thread when the work gets unwanted; at once if it is already.

        It may be called several times, and never after the end of the block. Session thread.
        """
        with self._lock:
            self._give_up = action
        try:
            if self.is_work_unwanted:
                action()
            yield
        finally:
            with self._lock:
                self._give_up = None

    def _tell_unwanted(self) -> None:
        with self._lock:
            if self._give_up is not None and self.is_work_unwanted:
                self._give_up()

    def runs(self, request: PendingRequest | None) -> None:
        """The session thread handles a request from now on, None: none. Server only."""
        self._running = request

    @property
    def client_gone(self) -> bool:
        """End-of-file on input or a broken pipe on output."""
        return self._client_gone

    def is_progress_cancelled(self, progress_id: str) -> bool:
        """The client has cancelled the progress."""
        with self._lock:
            return progress_id in self._cancelled_progress

    def forget_progress(self, progress_id: str) -> None:
        """The progress ended."""
        with self._lock:
            self._cancelled_progress.discard(progress_id)

    def opened(self, request: PendingRequest) -> None:
        """A request came in. Server only."""
        with self._lock:
            self._open = [known for known in self._open if not known.is_answered]
            self._open.append(request)
        self._tell_unwanted()
        if request.command == "disconnect":
            self._end_wanted()

    def cancel_request(self, seq: int) -> PendingRequest | None:
        """Mark the request with this `seq` as cancelled; None when it has its answer already. Server only."""
        for request in self.open_requests():
            if request.seq == seq and request.command != "cancel":
                request.mark_cancelled()
                self._tell_unwanted()
                return request
        return None

    def cancel_progress(self, progress_id: str) -> None:
        """Mark a progress as cancelled. Server only."""
        with self._lock:
            self._cancelled_progress.add(progress_id)
        self._tell_unwanted()

    def mark_client_gone(self) -> None:
        """The client is gone. Server only."""
        self._client_gone = True
        self._tell_unwanted()
        self._end_wanted()

    def _end_wanted(self) -> None:
        with self._lock:
            self._is_end_wanted = True
            action = self._on_end_wanted
        if action is not None:
            action()

    def open_requests(self) -> list[PendingRequest]:
        """The requests without a response, oldest first."""
        with self._lock:
            return [request for request in self._open if not request.is_answered]
