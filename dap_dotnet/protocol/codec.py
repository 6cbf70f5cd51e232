"""JSON messages over frames: what arrives is a JSON object or a `MalformedMessage`, never an exception."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from dap_dotnet.protocol.bulk import BulkModel
from dap_dotnet.protocol.framing import MAX_BODY_SIZE, Frame, FrameDecoder, FramingProblem, encode_frame

_EARLY_END_LIMIT = 64 * 1024
"""Bytes up to which an incomplete body is looked at for being complete JSON already."""
MAX_VALUES = 200_000
"""Members and items of one request; ten thousand breakpoints with all that they can have are half of that."""


@dataclass(frozen=True, slots=True)
class MalformedMessage:
    """Bytes that are not a DAP message.

    `message` says what to do. `request_seq` and `command` are those of the request that it seems to have been, None
    where they cannot be found out.
    """

    message: str
    request_seq: int | None = None
    command: str | None = None


def encode_message(message: dict[str, Any]) -> bytes:
    """The bytes to send for a message. Its body may be a `BulkModel`, which takes a tenth of the time.

    All but ASCII is escaped: .NET strings may hold lone surrogates, which UTF-8 cannot express and JSON escapes can,
    and some clients take the length of a message for one in characters.
    Raises `ValueError` or `TypeError` for what JSON cannot express, such as NaN.
    """
    if isinstance(message.get("body"), BulkModel):
        try:
            encoded = _bulk_encoder.encode(message)
        except UnicodeEncodeError:  # a lone surrogate
            encoded = None
        if encoded is not None and encoded.isascii():
            return encode_frame(encoded)
    return encode_frame(_encoder.encode(message).encode("ascii"))


def plain(value: Any) -> Any:
    """A `BulkModel` in a message as JSON has it. Raises `TypeError` for anything else that is not JSON's."""
    if isinstance(value, BulkModel):
        return value.to_wire()
    raise TypeError(f"a {type(value).__name__} is not JSON")


_encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=plain)
_bulk_encoder = msgspec.json.Encoder()


class MessageDecoder:
    """Bytes in, messages out. Not for two threads at once."""

    def __init__(self, max_body_size: int = MAX_BODY_SIZE, max_values: int | None = MAX_VALUES) -> None:
        """`max_body_size`: bytes. `max_values`: members and items; None: any number. Larger messages are malformed."""
        self._frames = FrameDecoder(max_body_size)
        self._max_values = max_values

    def feed(self, data: bytes) -> Iterator[dict[str, Any] | MalformedMessage]:
        """Add received bytes and yield what became complete. Exhaust the iterator before the next call."""
        self._frames.feed(data)
        while (item := self._frames.next()) is not None:
            if isinstance(item, FramingProblem):
                yield _malformed(item.message, item.head)
            else:
                yield self._decode(item)
        yield from self._take_overlong()

    def end(self) -> MalformedMessage | None:
        """Call at end-of-file. Returns the problem when a message was cut off, else None."""
        problem = self._frames.end()
        return None if problem is None else MalformedMessage(problem.message)

    def _decode(self, frame: Frame) -> dict[str, Any] | MalformedMessage:
        try:
            message = _parse(frame.body)
        except (ValueError, RecursionError) as error:
            # When Content-Length was too large, the next message's header was taken for body.
            self._frames.resynchronize(frame.body)
            return _malformed(f"The body of a message is not JSON: {_reason(error)}.", frame.body)
        if not isinstance(message, dict):
            return MalformedMessage("A message must be a JSON object.")
        most = self._max_values
        if most is not None and len(frame.body) > 2 * most and _has_more_values(message, most):
            return _malformed(f"A request of more than {most:,} values is refused.", frame.body)
        return message

    def _take_overlong(self) -> Iterator[dict[str, Any] | MalformedMessage]:
        """Take a message whose Content-Length is too large, which would else be waited for in vain.

        The beginning of a JSON object is never a JSON object itself, so what is complete is complete.
        """
        size = self._frames.unfinished_size
        if not 0 < size <= _EARLY_END_LIMIT:
            return
        body = self._frames.unfinished_body
        if body is None or not body.rstrip().endswith(b"}"):
            return
        try:
            message = _parse(body)
        except (ValueError, RecursionError):
            return
        if isinstance(message, dict):
            announced = self._frames.abandon_body()
            yield MalformedMessage(
                f"Content-Length is {announced}, but the message has {size} bytes. Count bytes, not characters."
            )
            yield message


def _has_more_values(message: dict[str, Any], most: int) -> bool:
    """Whether it is too large to say, within reasonable memory, what is wrong with it."""
    count = 0
    waiting: list[Any] = [message]
    while waiting and count <= most:
        item = waiting.pop()
        count += len(item)
        items = item.values() if isinstance(item, dict) else item
        waiting += [inner for inner in items if isinstance(inner, dict | list)]
    return count > most


def _bounded_integer(digits: str) -> int:
    """Refuse what no 64-bit integer can hold: DAP has no such numbers, and nothing further in takes them."""
    number = int(digits) if len(digits) <= 20 else 1 << 64
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError("it contains an integer of more than 64 bits")
    return number


_parser = json.JSONDecoder(parse_int=_bounded_integer)
_AS_ZEROS = bytes(ord("0" if byte in b"0123456789" else " ") for byte in range(256))
_MANY_DIGITS = b"0" * 19
"""As an integer of more than 64 bits has at least."""


def _parse(body: bytes) -> Any:
    if _MANY_DIGITS not in body.translate(_AS_ZEROS):
        try:
            return msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            pass  # Python's own takes more, and says what is wrong as people know it
    return _parser.decode(body.decode("utf-8"))


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    if isinstance(error, UnicodeDecodeError):
        return f"invalid UTF-8 at byte {error.start}"
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+')


def _malformed(message: str, head: bytes) -> MalformedMessage:
    """A `MalformedMessage` with what the outermost members at the beginning of the body say about it."""
    members: dict[str, str] = {}
    depth = 0
    key: str | None = None
    previous = ""
    for match in _TOKEN.finditer(head[:4096].decode("utf-8", "replace")):
        token = match.group()
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
        elif depth == 1 and token == ":":
            key = previous
        elif depth == 1 and key is not None:
            members.setdefault(key, token)
            key = None
        previous = token
    seq, command = members.get('"seq"', ""), members.get('"command"', "")
    is_request = members.get('"type"') == '"request"' and re.fullmatch(r"\d{1,18}", seq) is not None
    if not is_request or re.fullmatch(r'"\w+"', command) is None:
        return MalformedMessage(message)
    return MalformedMessage(message, int(seq), command.strip('"'))
