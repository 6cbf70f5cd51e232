"""The adapter on a thread of this process, over a socket, and the client before it."""

from __future__ import annotations

import socket
import threading
from types import TracebackType

from typing_extensions import Self

from dap_dotnet.adapter import serve
from dap_dotnet.client import DapClient
from dap_dotnet.protocol.transport import ByteWriter
from dap_dotnet.runtime.api import Backend


class ServedAdapter:
    """A context manager. At its end the client is gone and the server must be over."""

    def __init__(self, backend: Backend, *, deadline_s: float) -> None:
        self._backend = backend
        self._deadline_s = deadline_s
        self._ours, self._theirs = socket.socketpair()
        self._streams = (self._ours.makefile("rb", buffering=0), self._ours.makefile("wb", buffering=0))
        self._server = threading.Thread(target=self._serve, name="session")
        self.client = DapClient(*self._streams, timeout_s=deadline_s)

    @property
    def writer(self) -> ByteWriter:
        """The server's input, for what is not a message."""
        return self._streams[1]

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self.client.__exit__(kind, error, traceback)
        finally:
            self.hang_up()
            self.wait_for_end()
            for item in (*self._streams, self._ours, self._theirs):
                item.close()

    def hang_up(self) -> None:
        """Be gone, as a client that was killed."""
        try:
            self._ours.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def wait_for_end(self) -> None:
        """The server ends."""
        self._server.join(self._deadline_s)
        assert not self._server.is_alive(), "the server did not end"

    def _serve(self) -> None:
        with self._theirs.makefile("rb", buffering=0) as reader, self._theirs.makefile("wb", buffering=0) as writer:
            serve(reader, writer, self._backend)
            self._theirs.shutdown(socket.SHUT_RDWR)
