"""Messages that no client should send, from a seed (the same seed gives the same bytes), and floods of them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from dap_dotnet.client import DapClient, DapRequestError
from dap_dotnet.handlers import HANDLERS
from dap_dotnet.protocol.framing import encode_frame
from dap_dotnet.protocol.transport import ByteWriter
from tests.support import schema

FIRST_SEQ = 1_000_000
"""Requests have numbers from here on, so that a client can tell the answers to its own from those to these."""
LONGEST_LIE = 64 * 1024
"""Content-Length may announce so many bytes too many, of which the following messages are eaten."""

MESSAGES = 3_000
BATCH = 100
LAUNCHING = {"launch", "attach"}
ENDING = {"disconnect", "terminate", "restart"}
COMMANDS = sorted(HANDLERS.keys() - LAUNCHING - ENDING | {"cancel", "makeCoffee"})

_TEXTS = (
    "", " ", "x", "3", "true", "\x00", "/a\x00b", "\ud800", "ä\u202e", "9" * 40, "x" * 5000,
    "file://[", "file:///%zz", "file:///C#/a.cs", "../" * 50,
    "after:1", "1 +", "a.b[", "((((", "{0}", "${x}", "%n", "\n\r\n", "Content-Length: 5\r\n\r\n{}",
)  # fmt: skip
_NUMBERS = (0, -1, 1, 1 << 31, 1 << 32, (1 << 63) - 1, 1 << 63, -(1 << 63), 0.5, 1e308, -0.0, float("nan"))
_MEMBERS = [
    "seq", "type", "command", "arguments", "source", "path", "name", "sourceReference", "line", "lines", "column",
    "breakpoints", "condition", "hitCondition", "logMessage", "mode", "filters", "filterOptions", "filterId",
    "exceptionOptions", "breakMode", "negate", "names", "threadId", "frameId", "levels", "startFrame",
    "variablesReference", "start", "count", "filter", "format", "hex", "expression", "context", "dataId", "accessType",
    "requestId", "progressId", "breakpointId", "breakpointIds", "enabled", "singleThread", "granularity", "targetId",
    "endLine", "request_seq", "success", "body", "__proto__",
]  # fmt: skip


class Hostile:
    """A source of hostile bytes."""

    def __init__(self, seed: int, commands: Sequence[str]) -> None:
        self._random = random.Random(seed)
        self._commands = list(commands)
        self.known: dict[str, Any] = {}
        """Members that nearly right arguments have: paths and numbers that mean something now."""
        self._kinds: tuple[Callable[[], bytes], ...] = (
            self._request, self._request, self._request, self._damaged, self._damaged, self._garbage, self._cut,
            self._wrong_length, self._deep, self._huge_number, self._no_request, self._odd_header,
        )  # fmt: skip

    def messages(self, count: int) -> Iterator[bytes]:
        """So many messages, or what should have been one."""
        for _ in range(count):
            yield self._random.choice(self._kinds)()

    def _value(self, depth: int = 0) -> Any:
        kind = self._random.randrange(10 if depth < 4 else 7)
        if kind < 3:
            return self._random.choice(_TEXTS)
        if kind < 5:
            return self._random.choice(_NUMBERS)
        if kind < 7:
            return self._random.choice((None, True, False, [], {}))
        if kind == 7:
            return [self._value(depth + 1) for _ in range(self._random.randrange(4))]
        return {self._random.choice(_MEMBERS): self._value(depth + 1) for _ in range(self._random.randrange(6))}

    def _body(self) -> dict[str, Any]:
        command = self._random.choice(self._commands)
        message: dict[str, Any] = {
            "seq": FIRST_SEQ + self._random.randrange(200),  # many of them twice
            "type": "request",
            "command": command,
        }
        choice = self._random.random()
        if choice < 0.7:
            message["arguments"] = self._nearly_right(command)
        elif choice < 0.9:
            message["arguments"] = self._value(1)
        return message

    def _nearly_right(self, command: str) -> Any:
        """Arguments as they should be, but for a few members."""
        try:
            arguments = schema.smallest(schema.request_arguments(command)[0])
        except KeyError:  # not of the protocol
            arguments = {}
        arguments.update({name: value for name, value in copy.deepcopy(self.known).items() if name in arguments})
        for _ in range(self._random.randrange(4)):
            owner = arguments
            while inner := [item for item in _items(owner) if isinstance(item, dict | list)]:
                owner = self._random.choice(inner)
                if self._random.random() < 0.5:
                    break
            if isinstance(owner, list):
                owner.append(self._value(2))
            else:
                owner[self._random.choice([*_MEMBERS, *owner])] = self._value(1)
        return arguments

    def _request(self) -> bytes:
        return _framed(self._body())

    def _damaged(self) -> bytes:
        """A request with some of its bytes changed."""
        data = bytearray(self._request())
        for _ in range(self._random.randint(1, 8)):
            data[self._random.randrange(len(data))] = self._random.randrange(256)
        return bytes(data)

    def _garbage(self) -> bytes:
        return self._random.randbytes(self._random.randrange(300))

    def _cut(self) -> bytes:
        data = self._request()
        return data[: self._random.randrange(len(data))]

    def _wrong_length(self) -> bytes:
        body = json.dumps(self._body()).encode()
        lie = self._random.choice((0, 1, len(body) - 1, len(body) + 3, LONGEST_LIE, 1 << 40, 10**30, -1))
        return b"Content-Length: %d\r\n\r\n%b" % (lie, body)

    def _deep(self) -> bytes:
        depth = self._random.choice((10, 900, 5000, 100_000))
        opening, closing = self._random.choice((("[", "]"), ('{"a":', "}")))
        value = opening * depth + "1" + closing * depth
        return encode_frame(
            b'{"seq":%d,"type":"request","command":"threads","arguments":%b}' % (FIRST_SEQ, value.encode())
        )

    def _huge_number(self) -> bytes:
        number = self._random.choice(
            (b"1" * 5000, b"1e999", b"-" + b"9" * 25, b"0." + b"1" * 3000, b"NaN", b"-Infinity")
        )
        members = (b"seq", b"line", b"threadId", b"levels")
        body = b'{"seq":%d,"type":"request","command":"stackTrace","arguments":{"threadId":1,"%b":%b}}'
        return encode_frame(body % (FIRST_SEQ, self._random.choice(members), number))

    def _no_request(self) -> bytes:
        kind: Any = self._random.choice(("response", "event", "Response", "telegram", 5, None, [], {}))
        message = {"type": kind, "request_seq": self._value(3), "success": self._value(3), "command": self._value(3)}
        return _framed(self._random.choice((message, {**message, "seq": self._value(3)}, [message], "x", None, 7)))

    def _odd_header(self) -> bytes:
        body = json.dumps(self._body()).encode()
        return self._random.choice((
            b"content-length: %d\r\nContent-Type: application/json; charset=utf-8\r\n\r\n%b" % (len(body), body),
            b"Content-Length: %d\n\n%b" % (len(body), body),
            b"Content-Length: %d\r\nContent-Length: 3\r\n\r\n%b" % (len(body), body),
            b"X: " + b"y" * 20_000 + b"\r\n\r\n" + body,
            b"\r\n\r\n\r\n" + body,
            b"Content-Length: 0x10\r\n\r\n" + body,
        ))  # fmt: skip


def _items(owner: Any) -> Sequence[Any]:
    return list(owner.values()) if isinstance(owner, dict) else list(owner)


def _framed(message: Any) -> bytes:
    return encode_frame(json.dumps(message).encode())


def flood(
    client: DapClient,
    stream: ByteWriter,
    commands: Sequence[str],
    seed: int,
    *,
    look: Callable[[], dict[str, Any]],
    messages: int = MESSAGES,
) -> None:
    """Send hostile messages. After each batch the adapter still answers, and has no defect to tell of.

    `look` asks the adapter, and returns what requests can name now.
    """
    source = Hostile(seed, commands)
    for _ in range(messages // BATCH):
        source.known = look()
        write(stream, b"".join(source.messages(BATCH)))
        # What has eaten the messages after it is filled up; between messages line breaks do no harm.
        write(stream, b"\r\n" * LONGEST_LIE)
        look()
        told = [str(recorded.message) for recorded in client.messages if recorded.sender == "adapter"]
        assert [text for text in told if "Internal error" in text] == []
        client.messages.clear()


def names_of(client: DapClient, path: str) -> dict[str, Any]:
    """What requests can name now: a file, a thread, and at a stop a frame and variables."""
    threads = client.threads()
    known: dict[str, Any] = {"source": {"path": path}, "expression": "args", "name": "args"}
    if threads:
        known["threadId"] = threads[0].id
        with suppress(DapRequestError):  # it runs, or has begun to run since
            known["frameId"] = client.stack(threads[0].id)[0].id
            for scope in client.scopes(known["frameId"])[:1]:  # frames of external code have none
                known["variablesReference"] = scope.variables_reference
    return known


def write(stream: ByteWriter, data: bytes) -> None:
    """Write all of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[stream.write(rest) or 0 :]


def peak_mb(process_id: int) -> float:
    """Megabytes of memory that a process has had at most."""
    status = Path("/proc", str(process_id), "status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1e3
