"""Stands between a client and an adapter and writes down every message, in the order in which it passed.

`python recorder.py LOG COMMAND…` starts COMMAND as the adapter, passes bytes through unchanged both ways, and appends a
line to LOG for each message: {"sender": "client" | "adapter", "message": {…}}. Needs only the standard library, and
imports nothing of ours: other people's clients start it by its path. It ends when the adapter does, with the adapter's
exit code; when the client closes its end, so does the recorder; when the client sends SIGTERM, the adapter gets it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from types import FrameType
from typing import Any


class Log:
    """Writes the messages of both directions, each line at once: a killed recorder leaves whole lines."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._lock = threading.Lock()

    def write(self, sender: str, message: Any) -> None:
        """Appends one message."""
        with self._lock:
            os.write(self._file, (json.dumps({"sender": sender, "message": message}) + "\n").encode())


class Messages:
    """Cuts a stream of bytes into messages."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, data: bytes) -> list[Any]:
        """The messages that `data` completed; a body that is not JSON is given as its text."""
        self._pending += data
        complete = []
        while b"\r\n\r\n" in self._pending:
            header, _, rest = self._pending.partition(b"\r\n\r\n")
            fields = dict(line.lower().split(b":", 1) for line in header.split(b"\r\n") if b":" in line)
            length = int(fields.get(b"content-length", b"0"))
            if len(rest) < length:
                break
            body, self._pending = rest[:length], rest[length:]
            try:
                complete.append(json.loads(body))
            except ValueError:
                complete.append(body.decode(errors="replace"))
        return complete


def pump(source: int, destination: int, sender: str, log: Log) -> None:
    """Copies until the source ends or the destination is gone, then closes the destination.

    A message is logged before it is passed on: its answer can then never be logged before it.
    """
    messages = Messages()
    try:
        while data := os.read(source, 65536):
            for message in messages.feed(data):
                log.write(sender, message)
            view = memoryview(data)
            while view:
                view = view[os.write(destination, view) :]
    except OSError:
        pass
    finally:
        os.close(destination)


def main() -> int:
    """The command line."""
    path, *command = sys.argv[1:]
    log = Log(path)
    adapter = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def forward(number: int, frame: FrameType | None) -> None:
        adapter.send_signal(number)

    signal.signal(signal.SIGTERM, forward)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert adapter.stdin is not None
    assert adapter.stdout is not None
    to_adapter, from_adapter = os.dup(adapter.stdin.fileno()), adapter.stdout.fileno()
    adapter.stdin.close()
    threading.Thread(target=pump, args=(0, to_adapter, "client", log), daemon=True).start()
    pump(from_adapter, 1, "adapter", log)
    return adapter.wait()


if __name__ == "__main__":
    sys.exit(main())
