"""The debug adapter: a server on standard input and output, a session, and the real debuggees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from dap_dotnet.handlers import HANDLERS, USUAL
from dap_dotnet.protocol.transport import ByteReader, ByteWriter
from dap_dotnet.server import Server
from dap_dotnet.startup.process import EndSignals, imports_are_over

if TYPE_CHECKING:
    from dap_dotnet.runtime.api import Backend, Debuggee
    from dap_dotnet.runtime.events import EventSink, RuntimeEvent
    from dap_dotnet.runtime.model import LaunchSpec
    from dap_dotnet.session.session import Session


class LazyBackend:
    """The real backend, imported when a program is launched or attached to: `initialize` does not need it."""

    def resolve(
        self, program: str, arguments: Sequence[str], working_directory: str | None, environment: Mapping[str, str]
    ) -> LaunchSpec:
        """Resolve with the real backend."""
        return _local_backend().resolve(program, arguments, working_directory, environment)

    def launch(self, spec: LaunchSpec, sink: EventSink, *, timeout_ms: int) -> Debuggee:
        """Launch with the real backend."""
        return _local_backend().launch(spec, sink, timeout_ms=timeout_ms)

    def open_core(self, path: str, folders: Mapping[str, str], sink: EventSink) -> Debuggee:
        """Open a core dump with the real backend."""
        return _local_backend().open_core(path, folders, sink)

    def peek(self, process_id: int, sink: EventSink) -> Debuggee:
        """Peek with the real backend."""
        return _local_backend().peek(process_id, sink)

    def attach(self, process_id: int, sink: EventSink, *, timeout_ms: int) -> Debuggee:
        """Attach with the real backend."""
        return _local_backend().attach(process_id, sink, timeout_ms=timeout_ms)

    def attach_at_start(self, process_id: int, port: str, sink: EventSink, *, timeout_ms: int) -> Debuggee:
        """Attach at the start with the real backend."""
        return _local_backend().attach_at_start(process_id, port, sink, timeout_ms=timeout_ms)


def _local_backend() -> Backend:
    from dap_dotnet.launching.backend import LocalBackend

    return LocalBackend()


def serve(
    reader: ByteReader,
    writer: ByteWriter,
    backend: Backend | None = None,
    *,
    signals: EndSignals | None = None,
    token: str | None = None,
) -> None:
    """Serve one client until it is gone, or one of `signals` comes. The calling thread becomes the session thread.

    `token`: what the client has to know; None: whoever it is, it may debug.
    """
    server: Server[Session] = Server(reader, writer, HANDLERS, usual=USUAL, when_prepared=imports_are_over, token=token)
    if signals is not None:
        signals.call(server.end_at_once, lambda: server.is_over)

    def open_session() -> Session:
        from dap_dotnet.session.session import Session

        return Session(server, backend or LazyBackend(), _reactions)

    server.run(open_session)


def _reactions() -> Callable[[Session, RuntimeEvent], bool]:
    from dap_dotnet.session.runtime_events import react  # with much that a launch needs once its program runs

    return react
