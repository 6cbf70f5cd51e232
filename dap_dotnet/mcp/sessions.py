"""The sessions of a server, by their ids."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from dap_dotnet.client import ClientError, DapClient, adapter_command
from dap_dotnet.mcp.caller import Caller, Cancelled
from dap_dotnet.mcp.debug_session import Beginning, DebugSession
from dap_dotnet.mcp.errors import ToolError, tool_error

MOST_SESSIONS = 16
"""Each is a process, and has a program."""
KEPT_ENDED = 4
"""Sessions whose program has ended, and which can still be asked why."""
REQUEST_TIMEOUT_S = 30.0
_PROGRESS_S = 1.0


class Sessions:
    """A registry. Any thread."""

    def __init__(self, adapter_options: Sequence[str] = (), spawn: Callable[[], DapClient] | None = None) -> None:
        """`spawn` makes a client with an adapter behind it; None: our own adapter, as a process."""
        self._spawn = spawn or (lambda: DapClient.spawn(adapter_command(adapter_options), timeout_s=REQUEST_TIMEOUT_S))
        self._sessions: dict[str, DebugSession] = {}
        self._without_program: set[DapClient] = set()
        self._count = 0
        self._is_closed = False
        self._lock = threading.Lock()
        self.on_event: Callable[[DebugSession, str], None] | None = None
        """See `DebugSession.on_event`."""
        self.on_list_changed: Callable[[], None] | None = None
        """Called when a session was added or forgotten; on the thread that did it."""

    def all(self) -> list[DebugSession]:
        """In the order in which they began."""
        with self._lock:
            return list(self._sessions.values())

    def get(self, session_id: str | None) -> DebugSession:
        """A session; None stands for the only one, or the only one that has not ended. Raises `ToolError`."""
        with self._lock:
            known = list(self._sessions.values())
            found = self._sessions.get(session_id) if session_id is not None else None
        if found is not None:
            return found
        if session_id is None:
            alive = [session for session in known if session.state != "ended"]
            if len(alive) == 1:
                return alive[0]
            if len(known) == 1:
                return known[0]
            if not known:
                raise ToolError("NO_SESSION", "Nothing is being debugged.")
        names = ", ".join(session.id for session in known) or "none"
        asked = f"There is no session {session_id!r}" if session_id is not None else "Say which session"
        raise ToolError("NO_SESSION", f"{asked}; there are: {names}.")

    def begin(
        self,
        call: Caller,
        beginning: Beginning,
        set_breakpoints: Callable[[DebugSession], None],
        session_id: str | None = None,
    ) -> DebugSession:
        """Start an adapter and launch or attach. Nothing is left when that fails. Raises `ToolError`."""
        self._make_room()
        with self._lock:
            if session_id is None:
                self._count += 1
                session_id = f"s{self._count}"
        client = self._started()
        session = DebugSession(session_id, client, beginning)
        session.on_event = self.on_event
        with self._lock:
            is_closed = self._is_closed
            if not is_closed:
                self._sessions[session_id] = session
        if not is_closed:
            self._tell_list_changed()
        else:
            client.close()
            raise ToolError("ADAPTER_GONE", "The server is ending.")
        # An adapter whose client is gone ends the program that it launches, and the build of it.
        if client.process is not None:
            call.on_cancel = client.process.close_input
        try:
            with _progress_of(call, session):
                session.begin(set_breakpoints)
            call.on_cancel = None
            call.progress(1, 1, f"session {session_id} has begun")
        except BaseException as error:
            self._forget(session, terminate=None)
            raise (tool_error(error) if isinstance(error, Exception) else error) from error
        return session

    def restart(self, call: Caller, session: DebugSession) -> None:
        """Start a session's program again. One whose program does not start has ended. Raises `ClientError`."""
        if session.client.process is not None:
            call.on_cancel = session.client.process.close_input
        with _progress_of(call, session):
            session.restart()
        call.on_cancel = None

    @contextmanager
    def adapter(self) -> Iterator[DapClient]:
        """An adapter for work without a program, ended afterwards: not a session. Raises `ToolError`."""
        client = self._started()
        with self._lock:
            is_closed = self._is_closed
            self._without_program.add(client)
        try:
            if is_closed:
                raise ToolError("ADAPTER_GONE", "The server is ending.")
            client.initialize()
            yield client
        finally:
            with self._lock:
                self._without_program.discard(client)
            try:
                client.disconnect()
            except (ClientError, OSError):
                pass  # it is ended by force next
            client.close()

    def _started(self) -> DapClient:
        try:
            return self._spawn()
        except OSError as error:
            raise ToolError("ADAPTER_GONE", f"The adapter cannot be started: {error}.") from error

    def end(self, session: DebugSession, *, terminate: bool | None) -> None:
        """End a session and forget it."""
        self._forget(session, terminate=terminate)

    def end_all(self) -> None:
        """End all of them, at once, for good. Launched programs end, attached ones go on."""
        with self._lock:
            self._is_closed = True
            for client in self._without_program:
                if client.process is not None:
                    client.process.close_input()
        threads = [threading.Thread(target=self._forget, args=(one,), kwargs={"terminate": None}) for one in self.all()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20.0)

    def _forget(self, session: DebugSession, *, terminate: bool | None) -> None:
        with self._lock:
            is_known = self._sessions.get(session.id) is session
            if is_known:
                del self._sessions[session.id]
        if is_known:
            self._tell_list_changed()
        session.end(terminate=terminate)

    def _tell_list_changed(self) -> None:
        if self.on_list_changed is not None:
            self.on_list_changed()

    def _make_room(self) -> None:
        ended = [session for session in self.all() if session.state == "ended"]
        for session in ended[: max(0, len(ended) - KEPT_ENDED + 1)]:
            self._forget(session, terminate=None)
        if len(self.all()) >= MOST_SESSIONS:
            raise ToolError("TOO_MANY_SESSIONS", f"There are {MOST_SESSIONS} sessions already.")


@contextmanager
def _progress_of(call: Caller, session: DebugSession) -> Iterator[None]:
    """Tells every second how long a launch has taken, and what it does: a project may be built first."""
    is_over = threading.Event()

    def tell() -> None:
        began = time.monotonic()
        while not is_over.wait(_PROGRESS_S):
            said = session.history.after(max(0, session.history.count - 1))
            text = said[0].text if said else f"session {session.id} begins"
            try:
                call.progress(round(time.monotonic() - began, 1), None, text)
            except Cancelled:
                return

    teller = threading.Thread(target=tell, name=f"progress-{session.id}", daemon=True)
    teller.start()
    try:
        yield
    finally:
        is_over.set()
        teller.join()
