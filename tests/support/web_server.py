"""A web server on this machine, for what is downloaded."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Web(http.server.ThreadingHTTPServer):
    """It answers with what a test puts into `answers`, by the path; None: not before its end."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.answers: dict[str, tuple[int, bytes] | None] = {}
        self.missing = 0
        """Bytes that it announces, and does not send."""
        self.asked: list[str] = []
        self.headers_of: dict[str, dict[str, str]] = {}
        """Of the newest request for each path, with their names in lower case."""
        self.is_asked = threading.Event()
        self.ends = threading.Event()

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Web]:
        """A server that answers until the end of the context."""
        with cls() as web:
            thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            try:
                yield web
            finally:
                web.ends.set()
                web.shutdown()
                thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Page(http.server.BaseHTTPRequestHandler):
    server: Web

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.headers_of[self.path] = {name.lower(): value for name, value in self.headers.items()}
        self.server.is_asked.set()
        answer = self.server.answers.get(self.path, (404, b"no"))
        if answer is None:
            self.server.ends.wait(30)
            return
        status, content = answer
        self.send_response(status)
        if status == 302:
            self.send_header("Location", content.decode())
            content = b""
        self.send_header("Content-Length", str(len(content) + self.server.missing))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass
