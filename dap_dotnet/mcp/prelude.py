"""Answers the first questions of every host while the SDK is still being imported, which takes half a second.

What the SDK would answer to `initialize`, `server/discover` and `tools/list` is in ``listing.json``, recorded from it
(scripts/agent_tools.py; a test compares them). At the first message that is none of these, or when the import is done,
all that was read is handed to the SDK, and what it answers a second time is dropped. Without the SDK and pydantic.
"""

from __future__ import annotations

import json
import os
import select
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dap_dotnet.mcp.options import ServerOptions

LISTING = Path(__file__).with_name("listing.json")
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


class Prelude:
    """The beginning of a connection. `input_fd` and `output_fd` are this process's own, and of nobody else."""

    def __init__(self, input_fd: int, output_fd: int, options: ServerOptions) -> None:
        self._input_fd = input_fd
        self._output_fd = output_fd
        self._options = options
        self._listing: dict[str, Any] | None = None
        self._read = b""
        self._replayed = b""
        self._is_at_end = False
        self._version: str | None = None
        self._answered: set[Any] = set()
        """Ids of requests whose second answer is to be dropped."""

    def run(self, load: Callable[[], None]) -> None:
        """Answer until `load`, which runs on a thread of its own, is done, or something else is asked."""
        ready, wake = os.pipe()
        failures: list[BaseException] = []

        def work() -> None:
            try:
                load()
            except BaseException as error:
                failures.append(error)
            finally:
                os.close(wake)

        loading = threading.Thread(target=work, name="load-sdk")
        loading.start()
        try:
            self._answer_until(ready)
        finally:
            loading.join()
            os.close(ready)
        if failures:
            raise failures[0]
        self._replayed = self._read

    def _answer_until(self, ready: int) -> None:
        done = 0
        poll = select.poll()
        for descriptor in (self._input_fd, ready):
            poll.register(descriptor, select.POLLIN)
        while True:
            if any(descriptor == ready for descriptor, _ in poll.poll()):
                return
            data = os.read(self._input_fd, 65536)
            if not data:
                self._is_at_end = True
                return
            self._read += data
            while (end := self._read.find(b"\n", done)) >= 0:
                line, done = self._read[done:end], end + 1
                if not self._answer(line):
                    return

    def _answer(self, line: bytes) -> bool:
        """Answer a message, if it is one of those."""
        try:
            message = json.loads(line)
        except ValueError:
            return False
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return False
        if message.get("method") == "notifications/initialized":
            return self._version is not None
        request_id, params = message.get("id"), message.get("params") or {}
        if not isinstance(request_id, (int, str)) or isinstance(request_id, bool) or not isinstance(params, dict):
            return False
        result = self._result(str(message.get("method")), params)
        if result is None:
            return False
        answer = {"jsonrpc": "2.0", "id": request_id, "result": result}
        self._answered.add(request_id)
        self._write(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
        return True

    def _result(self, method: str, params: dict[str, Any]) -> dict[str, Any] | None:
        if self._listing is None:
            self._listing = json.loads(LISTING.read_bytes())
        meta = params.get("_meta")
        envelope = meta.get(VERSION_KEY) if isinstance(meta, dict) else None
        if method == "initialize":
            version = params.get("protocolVersion")
            if self._version is not None or version not in self._listing["initialize"]:
                return None
            self._version = version
        elif envelope is not None:
            if self._version not in (None, envelope) or envelope not in self._listing["discover"]:
                return None
            self._version = envelope
        if self._version is None:
            return None
        if method == "initialize":
            return dict(self._listing["initialize"][self._version])
        if method == "server/discover" and envelope is not None:
            return dict(self._listing["discover"][self._version])
        if method == "tools/list" and not set(params) - {"_meta"}:
            tools = [tool for tool in self._listing["tools"] if self._is_offered(tool["name"])]
            return {**self._listing["tools/list"][self._version], "tools": tools}
        return None

    def _is_offered(self, name: str) -> bool:
        assert self._listing is not None
        needs = self._listing["needs"].get(name)
        return not (needs == "attach" and self._options.no_attach) and not (
            needs == "write" and self._options.read_only
        )

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._output_fd, view) :]
        except BrokenPipeError:
            pass  # the host is gone; the end of its input ends the server

    # The files that the SDK reads and writes; each is called on one thread at a time.

    def readline(self) -> str:
        """The next line, from the beginning; empty at the end."""
        while (end := self._replayed.find(b"\n")) < 0 and not self._is_at_end:
            data = os.read(self._input_fd, 65536)
            self._is_at_end = not data
            self._replayed += data
        cut = end + 1 if end >= 0 else len(self._replayed)
        line, self._replayed = self._replayed[:cut], self._replayed[cut:]
        return line.decode("utf-8", "replace")

    def write(self, text: str) -> int:
        """Write a message, unless it answers what was answered already."""
        if self._answered:
            message = json.loads(text)
            if "method" not in message and message.get("id") in self._answered:
                self._answered.discard(message["id"])
                return len(text)
        self._write(text.encode())
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""
