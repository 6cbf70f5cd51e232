"""Stands in for vstest.console: plays a script over the protocol, and keeps the request that it got."""

from __future__ import annotations

import json
import pathlib
import socket
import sys
import time

from dap_dotnet.launching.vstest_protocol import frame


def main() -> None:
    script, received = sys.argv[1:3]
    port = int(next(word for word in sys.argv if word.startswith("--port:")).partition(":")[2])
    connection = socket.create_connection(("127.0.0.1", port))
    stream = connection.makefile("rb")

    def send(name: str, payload: object) -> None:
        connection.sendall(frame(json.dumps({"MessageType": name, "Payload": payload}).encode()))

    def receive() -> dict[str, object]:
        length = shift = 0
        while True:
            byte = stream.read(1)[0]
            length |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                found: dict[str, object] = json.loads(stream.read(length))
                return found

    send("TestSession.Connected", None)
    assert receive()["MessageType"] == "ProtocolVersion"
    send("ProtocolVersion", 2)
    assert receive()["MessageType"] == "Extensions.Initialize"
    pathlib.Path(received).write_text(json.dumps(receive()))
    for step in json.loads(pathlib.Path(script).read_text()):
        if step == "wait":
            time.sleep(600)
        elif step == "nonsense":
            connection.sendall(frame(b"{"))
        else:
            send(*step)
            if step[0] == "TestExecution.CustomTestHostLaunch":
                assert receive()["MessageType"] == "TestExecution.CustomTestHostLaunchCallback"
            if step[0] == "TestExecution.Completed":
                assert receive()["MessageType"] == "TestSession.Terminate"


main()
