"""Messages over a pair of byte streams: a reader for its own thread, a writer for any thread."""

from __future__ import annotations

import json
import logging
import math
import os
import re
import select
import stat
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from dap_dotnet.protocol.codec import MAX_VALUES, MalformedMessage, MessageDecoder, encode_message
from dap_dotnet.protocol.framing import MAX_BODY_SIZE

_log = logging.getLogger(__name__)
_CHUNK_SIZE = 64 * 1024
_EXPIRY_POLL_MS = 100


_SECRET = re.compile(r'("serverToken": ?")(?:[^"\\]|\\.)*')
"""Who reads a log, which a bug report may have, must not be able to connect."""


def without_secrets(message: str) -> str:
    """A message's JSON as a log may have it."""
    return _SECRET.sub(r"\1***", message) if "serverToken" in message else message


class ByteReader(Protocol):
    """An unbuffered stream, such as ``open(fd, "rb", buffering=0)``."""

    def read(self, size: int, /) -> bytes | None:
        """Block until there is at least one byte, and return what there is; empty at end-of-file."""


class ByteWriter(Protocol):
    """An unbuffered stream, such as ``open(fd, "wb", buffering=0)``."""

    def write(self, data: bytes | memoryview, /) -> int | None:
        """Write and return how many bytes were taken."""


class MessageSink(Protocol):
    """Who takes what the reader reads, on the reader's thread."""

    def on_message(self, message: dict[str, Any]) -> None:
        """A JSON object arrived."""

    def on_malformed(self, problem: MalformedMessage) -> None:
        """Something arrived that is not a message; reading goes on."""

    def on_end(self) -> None:
        """Nothing will arrive any more."""


class MessageReader:
    """Reads messages on a daemon thread of its own until end-of-file."""

    def __init__(
        self,
        stream: ByteReader,
        sink: MessageSink,
        *,
        name: str = "reader",
        max_body_size: int = MAX_BODY_SIZE,
        max_values: int | None = MAX_VALUES,
    ) -> None:
        """`max_body_size` and `max_values`: see `MessageDecoder`."""
        self._stream = stream
        self._decoder = MessageDecoder(max_body_size, max_values)
        self._sink = sink
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait for the end-of-file; whether it came."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        decoder = self._decoder
        try:
            while data := self._read():
                for item in decoder.feed(data):
                    if isinstance(item, MalformedMessage):
                        _log.warning("malformed message: %s", item.message)
                        self._sink.on_malformed(item)
                    else:
                        if _log.isEnabledFor(logging.DEBUG):
                            _log.debug("<- %s", without_secrets(json.dumps(item, ensure_ascii=False)))
                        self._sink.on_message(item)
            cut = decoder.end()
            if cut is not None:
                _log.warning("%s", cut.message)
        except Exception:
            _log.exception("the reader failed")
        finally:
            self._sink.on_end()

    def _read(self) -> bytes:
        try:
            return self._stream.read(_CHUNK_SIZE) or b""
        except (OSError, ValueError) as error:  # ValueError: the stream was closed
            _log.info("reading ended: %s", error)
            return b""


class ExpiringWriter:
    """Writes to a descriptor as long as that is of use: a client that does not read must not keep us from ending."""

    def __init__(self, descriptor: int) -> None:
        """The descriptor, which blocks, is ours from here on."""
        self._deadline = math.inf
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._send = _sender(descriptor)

    def expire(self, delay_s: float) -> None:
        """After so many seconds the client counts as gone unless it takes what is written. Any thread."""
        self._deadline = time.monotonic() + delay_s

    def write(self, data: bytes | memoryview, /) -> int:
        """See `ByteWriter`. Raises BrokenPipeError when it has expired, and OSError."""
        while not self._poll.poll(_EXPIRY_POLL_MS):
            if time.monotonic() > self._deadline:
                raise BrokenPipeError("The client does not read.")
        return self._send(data)


def _sender(descriptor: int) -> Callable[[bytes | memoryview], int]:
    """Writes to a descriptor that is writable, and returns how many bytes: as many as it takes without blocking.

    Large messages in one piece where possible: each piece wakes the client. Nobody else writes to the descriptor.
    """
    if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
        import socket

        endpoint = socket.socket(fileno=descriptor)

        def send(data: bytes | memoryview) -> int:
            try:
                return endpoint.send(data, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return 0

        return send
    return lambda data: os.write(descriptor, data[: _room_in_pipe(descriptor, len(data))])


def _room_in_pipe(descriptor: int, size: int) -> int:
    """How many of so many bytes a pipe that is writable takes at least."""
    if size > select.PIPE_BUF:
        try:
            import fcntl
            import termios

            if not any(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4))):
                return fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)  # it is empty
        except (ImportError, AttributeError, OSError):
            pass  # not on Linux, or no pipe
    return select.PIPE_BUF


class MessageWriter:
    """Numbers messages from 1 and writes each of them in one piece. Any thread."""

    def __init__(self, stream: ByteWriter, on_broken: Callable[[], None]) -> None:
        """`on_broken` is called once, on the writing thread, when the other side is gone."""
        self._stream = stream
        self._on_broken = on_broken
        self._lock = threading.Lock()
        self._last_seq = 0
        self._broken = False

    @property
    def next_seq(self) -> int:
        """The `seq` of the next message; for a caller that is the only sender."""
        return self._last_seq + 1

    def send(self, message: dict[str, Any]) -> int:
        """Set the message's `seq`, write it, and return the `seq`.

        Once the other side is gone messages are dropped. Raises `ValueError` or `TypeError`, having written nothing,
        when the message cannot be written as JSON.
        """
        with self._lock:
            seq = self._last_seq + 1
            message["seq"] = seq
            data = encode_message(message)
            self._last_seq = seq
            if self._broken:
                return seq
            if _log.isEnabledFor(logging.DEBUG):
                _log.debug("-> %s", without_secrets(data.partition(b"\r\n\r\n")[2].decode()))
            try:
                self._write(data)
                return seq
            except (OSError, ValueError) as error:
                _log.info("writing ended: %s", error)
                self._broken = True
        self._on_broken()
        return seq

    def expire(self, delay_s: float) -> None:
        """After so many seconds do not wait any more for a client that does not read, where that can be known."""
        if isinstance(self._stream, ExpiringWriter):
            self._stream.expire(delay_s)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[self._stream.write(rest) or 0 :]


def claim_stdio() -> tuple[ByteReader, ExpiringWriter]:
    """Take standard input and output for the protocol alone.

    The descriptors move to private numbers that child processes do not inherit; 0 becomes the null device and 1 a copy
    of standard error, so that nothing that prints or reads, native libraries included, can disturb the protocol.
    """
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(2)
    except OSError:
        os.dup2(null, 2)
    if null == 2:  # it was closed, and the null device is there now
        os.set_inheritable(2, True)
        null = os.dup(null)
    os.set_blocking(0, True)
    os.set_blocking(1, True)
    reader = os.fdopen(os.dup(0), "rb", buffering=0)
    writer = ExpiringWriter(os.dup(1))
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return reader, writer
