"""Content-Length framing: bytes in, bodies out; and a body in, bytes out.

A message is a block of header lines, an empty line, and as many bytes of body as the Content-Length header says (DAP
overview, "Base Protocol"). `FrameDecoder` takes bytes in pieces of any size. What breaks the rules comes out as a
`FramingProblem`; the decoder then looks for the next Content-Length header, so that one bad message costs that message
only. That search is safe: a header line ends in a raw line break, which JSON does not allow inside a string.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_BODY_SIZE = 64 * 1024 * 1024
"""Bytes of the largest body that is accepted."""

_MAX_HEADER_SIZE = 16 * 1024
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+\Z")
_LENGTH_HEADER = re.compile(rb"(?i)content-length[ \t]*:[ \t]*\d{1,32}[ \t]*\r?\n")
_LONGEST_LENGTH_HEADER = 96
"""Bytes to keep while searching, so that a header cut by the end of a piece is still found."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The body of a message, not yet decoded."""

    body: bytes


@dataclass(frozen=True, slots=True)
class FramingProblem:
    """Bytes that are not a message. `message` says what to do; `head` is what is known of the body's beginning."""

    message: str
    head: bytes = b""


def encode_frame(body: bytes) -> bytes:
    """The bytes to send for a body."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class FrameDecoder:
    """Takes bytes by `feed`, gives frames and problems by `next` until it returns None. Not for two threads at once."""

    def __init__(self, max_body_size: int = MAX_BODY_SIZE) -> None:
        self._max_body_size = max_body_size
        self._buffer = bytearray()
        self._length: int | None = None
        """Content-Length of the block being read, None before it was seen."""
        self._in_body = False
        self._header_size = 0
        self._searching = False

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._buffer += data

    def next(self) -> Frame | FramingProblem | None:
        """The next frame or problem; None when more bytes are needed."""
        if self._searching and not self._find_header():
            return None
        while not self._in_body:
            end = self._buffer.find(b"\n")
            if end < 0 and self._header_size + len(self._buffer) <= _MAX_HEADER_SIZE:
                return None
            self._header_size += end + 1
            if end < 0 or self._header_size > _MAX_HEADER_SIZE:
                return self._problem("A message header must be shorter than 16 KiB and end with an empty line.")
            line = bytes(self._buffer[:end]).strip()
            problem = self._take_header_line(line)
            if problem is None or line.lower().startswith(b"content-length"):
                del self._buffer[: end + 1]  # any other bad line may be a body with the next header at its end
            if problem is not None:
                return self._problem(problem)
        return self._take_body()

    @property
    def unfinished_body(self) -> bytes | None:
        """What has arrived of a body that is not complete; None when no body is being read."""
        return bytes(self._buffer) if self._in_body else None

    @property
    def unfinished_size(self) -> int:
        """Bytes that have arrived of a message that is not complete."""
        return 0 if self._searching else len(self._buffer)

    def abandon_body(self) -> int:
        """Drop the body being read and begin with headers again; return the Content-Length that it had."""
        length = self._length or 0
        self._buffer.clear()
        self._begin_headers()
        return length

    def resynchronize(self, rejected: bytes = b"") -> None:
        """Search for the next Content-Length header, in `rejected` and then in what follows it."""
        self._buffer[:0] = rejected
        self._begin_headers()
        self._searching = True

    def end(self) -> FramingProblem | None:
        """Call at end-of-file. Returns the problem when a message was cut off, else None."""
        if self._in_body:
            return FramingProblem(
                f"The input ended after {len(self._buffer)} of the {self._length} bytes that Content-Length announced.",
                bytes(self._buffer[:4096]),
            )
        if not self._searching and (self._length is not None or self._buffer.strip()):
            return FramingProblem("The input ended within the header of a message.")
        return None

    def _begin_headers(self) -> None:
        self._length = None
        self._in_body = False
        self._header_size = 0

    def _problem(self, message: str) -> FramingProblem:
        self.resynchronize()
        return FramingProblem(message)

    def _find_header(self) -> bool:
        found = _LENGTH_HEADER.search(self._buffer)
        if found is None:
            del self._buffer[:-_LONGEST_LENGTH_HEADER]
            return False
        del self._buffer[: found.start()]
        self._searching = False
        return True

    def _take_header_line(self, line: bytes) -> str | None:
        """Read one header line, stripped; return what is wrong with it."""
        if not line:
            if self._length is not None:
                self._in_body = True
            elif self._header_size > 2:  # a line break alone between messages does no harm
                return "The Content-Length header is missing. Send the length of the body in bytes."
            else:
                self._header_size = 0
            return None
        name, colon, value = line.partition(b":")
        if not colon or not _NAME.match(name.rstrip()):
            return f"Expected a header such as 'Content-Length: 119', not {_shown(line)}."
        if name.rstrip().lower() != b"content-length":
            return None
        value = value.strip()
        if not value.isdigit():
            return f"Content-Length must be the length of the body in bytes, not {_shown(value)}."
        digits = value.lstrip(b"0") or b"0"
        length = int(digits) if len(digits) <= 18 else 10**18
        if self._length not in (None, length):
            return f"Content-Length is given twice, as {self._length} and {length}. Send it once."
        self._length = length
        return None

    def _take_body(self) -> Frame | FramingProblem | None:
        length = self._length or 0
        if length > self._max_body_size:
            if not self._buffer:
                return None  # wait for the beginning of the body, which may show whose message it is
            head = bytes(self._buffer[:4096])
            self.resynchronize()
            return FramingProblem(
                f"A message of {length} bytes is refused: the limit is {self._max_body_size} bytes.", head
            )
        if len(self._buffer) < length:
            return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._begin_headers()
        return Frame(body)


def _shown(data: bytes) -> str:
    text = data[:60].decode("utf-8", "replace")
    return repr(text + ("…" if len(data) > 60 else ""))
