"""What log points write, gathered so that a flood of lines is a few events, sent without the program waiting.

A line is sent within `FLUSH_S`, by a thread of its own, and `flush` sends what is there at once: the owner calls it
before it sends anything else, so that the order in which things happened stays. No line is lost. A client that is slow
to read holds up that thread, not the program, until `LIMIT_CHARACTERS` wait for it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from msgspec import Struct

_log = logging.getLogger(__name__)

FLUSH_S = 0.03
"""How long a line waits for others. The sending itself has what is left of the 50 ms that are promised."""
LIMIT_CHARACTERS = 8 * 1024 * 1024
"""So much may wait for a slow client; then the program waits too."""
BATCH_CHARACTERS = 256 * 1024
"""So much goes into one event at most, but for a line that is longer."""
MAX_RUNS = 16
"""A batch whose lines come from places in turn, more often than this, is sent as one event without an origin."""


class LogOrigin(Struct, frozen=True):
    """Where a line was written: the document's path, line and column (1-based)."""

    path: str
    line: int
    column: int


class _Run(Struct):
    """Lines that come from one origin, one after the other."""

    origin: LogOrigin | None
    lines: list[str]


class LogBatches:
    """See the module's docstring. `add` and `flush` on one thread; `send` is called on that one and on our own."""

    def __init__(
        self,
        send: Callable[[str, LogOrigin | None], None],
        *,
        flush_s: float = FLUSH_S,
        limit_characters: int = LIMIT_CHARACTERS,
    ) -> None:
        """`send` writes text (whole lines) to the client, with the origin that wrote it if that is one."""
        self._send = send
        self._flush_s = flush_s
        self._limit_characters = limit_characters
        self._sending = threading.Lock()
        """Held from taking lines until they are sent: what is sent stays in order."""
        self._changed = threading.Condition()
        self._runs: list[_Run] = []
        self._waiting = 0
        """Characters that were added and not sent yet."""
        self._thread: threading.Thread | None = None

    def add(self, lines: list[str], origin: LogOrigin | None) -> None:
        """Queue lines, without line ends. Waits only while `LIMIT_CHARACTERS` are on their way already."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting < self._limit_characters)
            if self._runs and self._runs[-1].origin == origin:
                self._runs[-1].lines += lines
            else:
                self._runs.append(_Run(origin, list(lines)))
                if len(self._runs) == 1:
                    self._changed.notify_all()
            self._waiting += sum(map(len, lines)) + len(lines)
            if self._thread is None:
                self._thread = threading.Thread(target=self._send_in_time, name="log points", daemon=True)
                self._thread.start()

    def flush(self) -> None:
        """Send all that was added; returns when the client has it."""
        if self._waiting:
            self._send_all()

    def _send_in_time(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._runs))
                self._changed.wait_for(lambda: not self._runs, self._flush_s)
            try:
                self._send_all()
            except Exception:  # or later lines would never be sent
                _log.exception("lines of log points could not be sent")

    def _send_all(self) -> None:
        with self._sending:
            with self._changed:
                runs, self._runs = self._runs, []
            if len(runs) > MAX_RUNS:
                runs = [_Run(None, [line for run in runs for line in run.lines])]
            for run in runs:
                for text in _texts(run.lines):
                    try:
                        self._send(text, run.origin)
                    finally:
                        with self._changed:
                            self._waiting -= len(text)
                            self._changed.notify_all()


def _texts(lines: list[str]) -> list[str]:
    """The lines with line ends, put together to pieces of `BATCH_CHARACTERS`."""
    texts: list[str] = []
    piece: list[str] = []
    size = 0
    for line in lines:
        if piece and size + len(line) >= BATCH_CHARACTERS:
            texts.append("\n".join(piece) + "\n")
            piece, size = [], 0
        piece.append(line)
        size += len(line) + 1
    return [*texts, "\n".join(piece) + "\n"] if piece else texts
