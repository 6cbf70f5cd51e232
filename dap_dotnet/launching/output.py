"""The debuggee's standard output and error, from its pipes to `OutputWritten` events.

One thread reads both pipes, so what a program writes to both in turn keeps about its order. Text is decoded as UTF-8
across chunk edges; bytes that are not UTF-8 become U+FFFD; line endings are kept.

Back-pressure: at most `WINDOW_BYTES` are with the sink. The pump then reads no more, the pipe fills, and the program
waits, as it would for a slow terminal. The consumer gives room back with `PacedOutput.taken()` once the text is with
the client; an event that is dropped without it gives its room back when it is freed.

Order: before a stop is reported, `OutputPump.flush` delivers what the program had written until then.
"""

from __future__ import annotations

import codecs
import os
import select
import struct
import threading
import time
from collections.abc import Callable, Sequence

from dap_dotnet.runtime.events import OutputWritten

WINDOW_BYTES = 256 * 1024
_CHUNK_BYTES = 64 * 1024
_FLUSH_SECONDS = 0.005
STRAGGLER_SECONDS = 0.5
"""How long output is awaited from other processes that hold the pipes after the program itself has ended."""


class OutputWindow:
    """Counts the bytes that the consumer has not taken yet. Any thread."""

    def __init__(self, limit_bytes: int = WINDOW_BYTES) -> None:
        self._limit_bytes = limit_bytes
        self._outstanding = 0
        self._open = True
        self._changed = threading.Condition()

    def acquire(self, size: int) -> None:
        """Wait until `size` more bytes fit, or nothing is outstanding, or the window was opened for good."""
        with self._changed:
            self._changed.wait_for(
                lambda: not self._open or self._outstanding == 0 or self._outstanding + size <= self._limit_bytes
            )
            self._outstanding += size

    def overdraw(self, size: int) -> None:
        """Count `size` more bytes without waiting for room."""
        with self._changed:
            self._outstanding += size

    def give_back(self, size: int) -> None:
        """Make room for `size` bytes."""
        with self._changed:
            self._outstanding -= size
            self._changed.notify_all()

    def lift(self) -> None:
        """Never wait again."""
        with self._changed:
            self._open = False
            self._changed.notify_all()


class _Credit:
    """The room that one event takes; given back once."""

    __slots__ = ("_size", "_window")

    def __init__(self, window: OutputWindow, size: int) -> None:
        self._window = window
        self._size = size

    def give_back(self) -> None:
        size, self._size = self._size, 0
        if size:
            self._window.give_back(size)

    def __del__(self) -> None:
        self.give_back()


class PacedOutput(OutputWritten, frozen=True, eq=False):
    """`OutputWritten` from a pump that waits for its consumer."""

    credit: _Credit

    def taken(self) -> None:
        """Say that the text is with the client, so that the pump may read on. Any thread; idempotent."""
        self.credit.give_back()


class OutputStream:
    """One pipe and its decoder."""

    def __init__(self, read_fd: int, *, is_error: bool) -> None:
        self.read_fd = read_fd
        self.is_error = is_error
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")

    def read(self) -> tuple[bytes, str]:
        """Bytes read (empty at end of file) and the text they complete."""
        chunk = os.read(self.read_fd, _CHUNK_BYTES)
        return chunk, self._decoder.decode(chunk, final=not chunk)

    def flush(self) -> str:
        """What an incomplete character at the very end decodes to."""
        return self._decoder.decode(b"", final=True)


class OutputPump:
    """Reads the `streams` of one debuggee on a thread of its own and closes them at the end.

    `deliver` gets the events in order, on that thread. `on_finished` is called on it once, after the last event: when
    both pipes are at end of file, or `STRAGGLER_SECONDS` after `program_ended` when another process holds them. What
    that process still writes is then read and discarded.
    """

    def __init__(
        self,
        streams: Sequence[OutputStream],
        deliver: Callable[[OutputWritten], None],
        on_finished: Callable[[], None],
        window: OutputWindow | None = None,
    ) -> None:
        self._streams = {stream.read_fd: stream for stream in streams}
        self._deliver: Callable[[OutputWritten], None] | None = deliver
        self._on_finished = on_finished
        self._window = window or OutputWindow()
        self._ended = threading.Event()
        self._stopping = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        self._wake_lock = threading.Lock()
        self._reading = threading.Lock()
        """Held from before a pipe is read until its text is delivered: `flush` and the pump's thread take turns."""
        self._poller = select.poll()
        self._filled = select.poll()
        """Asked by `flush`, before each stop: one call into the system for both pipes."""
        for fd in self._streams:
            self._filled.register(fd, select.POLLIN)
        self._thread = threading.Thread(target=self._run, name="output pump", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def flush(self) -> None:
        """Deliver what the pipes hold now, without waiting for room. Any thread but the pump's; the program stands.

        Does nothing while the pump itself waits for room: what it has read already comes first.
        """
        if not self._reading.acquire(timeout=_FLUSH_SECONDS):
            return
        try:
            for fd, what in self._filled.poll(0):
                stream = self._streams.get(fd)
                if stream is not None and what & select.POLLIN:
                    chunk, text = stream.read()
                    self._emit(stream, len(chunk), text, self._window.overdraw)
        finally:
            self._reading.release()

    def program_ended(self) -> None:
        """The program is gone: deliver what its pipes hold and do not wait long for more. Any thread; idempotent."""
        self._ended.set()
        self._wake()

    def discard(self) -> None:
        """From now on read and drop everything, so that the program is not blocked. Any thread."""
        self._deliver = None
        self._window.lift()

    def stop(self) -> None:
        """Drop what is unread and close the pipes. Any thread; waits for the pump to end, but on its own thread."""
        self.discard()
        self._stopping.set()
        self._wake()
        if self._thread.ident not in (None, threading.get_ident()):
            self._thread.join()

    def _wake(self) -> None:
        with self._wake_lock:
            if self._wake_write >= 0:
                os.write(self._wake_write, b"w")

    def _run(self) -> None:
        for fd in (*self._streams, self._wake_read):
            self._poller.register(fd, select.POLLIN)
        try:
            self._pump_until_ended()
            self._pump_backlog()
            self._pump_stragglers()
            for stream in self._streams.values():
                self._emit(stream, 0, stream.flush(), self._window.acquire)
            self._deliver = None
            self._on_finished()
            while self._streams and not self._stopping.is_set():
                self._pump_once(None)
        finally:
            self._close()

    def _pump_until_ended(self) -> None:
        while self._streams and not self._ended.is_set() and not self._stopping.is_set():
            self._pump_once(None)

    def _pump_backlog(self) -> None:
        """Deliver what was in the pipes when the program ended, however long the consumer takes."""
        for stream in list(self._streams.values()):
            with self._reading:
                left = _bytes_available(stream.read_fd)
                while left > 0 and not self._stopping.is_set():
                    left -= self._read_stream(stream) or left

    def _pump_stragglers(self) -> None:
        deadline = time.monotonic() + STRAGGLER_SECONDS
        while self._streams and not self._stopping.is_set():
            left = deadline - time.monotonic()
            if left <= 0:
                return
            self._pump_once(left)

    def _pump_once(self, timeout_seconds: float | None) -> None:
        ready = self._poller.poll(None if timeout_seconds is None else timeout_seconds * 1000)
        for fd, _ in sorted(ready):
            if fd == self._wake_read:
                os.read(fd, 64)
            else:
                with self._reading:
                    if _is_readable(fd):  # `flush` may have been faster
                        self._read_stream(self._streams[fd])

    def _read_stream(self, stream: OutputStream) -> int:
        chunk, text = stream.read()
        self._emit(stream, len(chunk), text, self._window.acquire)
        if not chunk:
            self._poller.unregister(stream.read_fd)
            self._filled.unregister(stream.read_fd)
            del self._streams[stream.read_fd]
            os.close(stream.read_fd)
        return len(chunk)

    def _emit(self, stream: OutputStream, size: int, text: str, take_room: Callable[[int], None]) -> None:
        if not text or self._deliver is None:
            return
        take_room(size)
        credit = _Credit(self._window, size)
        deliver = self._deliver
        if deliver is not None:
            deliver(PacedOutput(is_error=stream.is_error, text=text, credit=credit))

    def _close(self) -> None:
        with self._reading, self._wake_lock:
            for fd in (*self._streams, self._wake_read, self._wake_write):
                os.close(fd)
            self._streams.clear()
            self._wake_write = -1


class NoOutput:
    """Stands for the pump where the program writes to a terminal, and no output comes."""

    def __init__(self, on_finished: Callable[[], None]) -> None:
        """`on_finished` is called once, when the program has ended."""
        self._on_finished: Callable[[], None] | None = on_finished

    def start(self) -> None:
        """Nothing to read."""

    def flush(self) -> None:
        """Nothing to deliver."""

    def discard(self) -> None:
        """Nothing to drop."""

    def stop(self) -> None:
        """Nothing to close."""

    def program_ended(self) -> None:
        """The program is gone, and with it all its output. Idempotent."""
        finished, self._on_finished = self._on_finished, None
        if finished is not None:
            finished()


def _is_readable(fd: int) -> bool:
    """Whether a read would not block."""
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    return bool(poller.poll(0))


def _bytes_available(fd: int) -> int:
    """How many bytes a pipe holds now."""
    import fcntl
    import termios

    return int(struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0" * 4))[0])
