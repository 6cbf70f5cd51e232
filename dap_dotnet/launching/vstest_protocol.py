"""The test platform's protocol for editors: vstest.console connects to a port and speaks JSON, framed by its length.

Each message is a string as System.IO.BinaryWriter writes it: its length in bytes, seven bits at a time, and UTF-8. The
repository microsoft/vstest describes it in docs/RFCs/0007-Editors-Integration-via-TestPlatform-Session.md. Version 2 is
the one in which the platform asks the editor to start the host; every SDK from .NET Core 2 on speaks it.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

VERSION = 2
CONNECTED = "TestSession.Connected"
PROTOCOL_VERSION = "ProtocolVersion"
INITIALIZE = "Extensions.Initialize"
RUN = "TestExecution.GetTestRunnerProcessStartInfoForRunAll"
LAUNCH_HOST = "TestExecution.CustomTestHostLaunch"
HOST_LAUNCHED = "TestExecution.CustomTestHostLaunchCallback"
STATISTICS = "TestExecution.StatsChange"
COMPLETED = "TestExecution.Completed"
LOGGED = "TestSession.Message"
PROTOCOL_ERROR = "ProtocolError"
TERMINATE = "TestSession.Terminate"
_LONGEST = 1 << 28


class Message(Struct, frozen=True):
    """A message of the platform."""

    name: str
    payload: Any


class Channel:
    """A connection with the platform. One thread receives; any may send a whole message."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._stream = connection.makefile("rb")

    def receive(self) -> Message | None:
        """The next message; None when the platform has hung up."""
        length = self._length()
        if length is None or length > _LONGEST:
            return None
        data = self._stream.read(length)
        if len(data) < length:
            return None
        found = json.loads(data)
        return Message(str(found.get("MessageType")), found.get("Payload"))

    def send(self, name: str, payload: Any = None) -> None:
        """Send a message. Raises OSError when the platform has hung up."""
        data = json.dumps({"Version": VERSION, "MessageType": name, "Payload": payload}).encode()
        self._connection.sendall(frame(data))

    def close(self) -> None:
        """Hang up; `receive` returns."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has
        self._connection.close()

    def _length(self) -> int | None:
        length = shift = 0
        while True:
            try:
                byte = self._stream.read(1)
            except OSError:
                return None
            if not byte:
                return None
            length |= (byte[0] & 0x7F) << shift
            shift += 7
            if not byte[0] & 0x80:
                return length


def frame(data: bytes) -> bytes:
    """The bytes of a message, with their length before them."""
    length, head = len(data), bytearray()
    while length >= 0x80:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    head.append(length)
    return bytes(head) + data


def run_request(assembly: str, test_filter: str, settings: str) -> dict[str, Any]:
    """The payload of `RUN` for the tests of an assembly.

    Not as a run that is debugged: then newer platforms start the host themselves, and ask to attach to it.
    """
    return {
        "Sources": [assembly],
        "TestCases": None,
        "RunSettings": settings,
        "KeepAlive": False,
        "DebuggingEnabled": False,
        "TestPlatformOptions": {"TestCaseFilter": test_filter or None},
    }


def property_of(case: Mapping[str, Any], name: str) -> Any:
    """One of the properties that adapters add to a test case; None where it has none of that name."""
    for entry in case.get("Properties") or ():
        key = entry.get("Key")
        if isinstance(key, Mapping) and key.get("Id") == name:
            return entry.get("Value")
    return None
