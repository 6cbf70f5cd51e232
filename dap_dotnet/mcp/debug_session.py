"""One debug session: an adapter process, what it has told so far, and what may be asked of it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from dap_dotnet.client import ClientError, DapClient, DapRequestError, PendingResponse
from dap_dotnet.mcp.breakpoint_book import BreakpointBook
from dap_dotnet.mcp.caller import Caller
from dap_dotnet.mcp.errors import ToolError
from dap_dotnet.mcp.history import History, Output
from dap_dotnet.mcp.models import State, Value
from dap_dotnet.protocol.wire_names import member, wire_name

_MOST_MESSAGES = 2_000
"""Messages that the client keeps for its error texts."""
_POLL_S = 0.2
"""How soon a cancelled wait is noticed."""
_PROGRESS_S = 1.0
_BEGIN_TIMEOUT_S = 600.0
"""A program may have to be built first."""


@dataclass(slots=True)
class StopRecord:
    """A stop. `number` counts from 1; frames and locals are kept as they were asked for."""

    number: int
    time: datetime
    body: Mapping[str, Any]
    thread_id: int
    frame_ids: dict[tuple[int, int], int] = field(default_factory=dict)
    """(thread, index) -> id of the frame."""
    locals: list[Value] | None = None
    frame: tuple[Any, ...] | None = None
    """Tells the top frame from that of another stop: its function, and where its callers are."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a session began, so that it can begin again."""

    command: str
    arguments: Mapping[str, Any]
    title: str


class DebugSession:
    """A session. Requests may be made on any thread; its own thread takes the adapter's events."""

    def __init__(self, session_id: str, client: DapClient, beginning: Beginning) -> None:
        self.id = session_id
        self.client = client
        self.beginning = beginning
        self.history = History()
        self.output = Output()
        self.output_told = 0
        """The cursor behind the output that answers have shown."""
        self.modules: dict[Any, Mapping[str, Any]] = {}
        self.breakpoints = BreakpointBook(client)
        self.breakpoint_news: dict[int, Mapping[str, Any]] = {}
        """What the adapter has told of a breakpoint unasked, the last time: its `Breakpoint` of the protocol, by id."""
        self.snapshots: dict[str, dict[str, str]] = {}
        self.stale_notes: dict[str, tuple[tuple[int, int, int], str | None]] = {}
        """See `stale_note`: by path, with the version of the file that it is of."""
        self.process_id: int | None = None
        self.exit_code: int | None = None
        self.stop: StopRecord | None = None
        self.on_event: Callable[[DebugSession, str], None] | None = None
        """Called with ``stopped`` or ``ended``, on the session's thread."""
        self._stops = 0
        self._is_ended = False
        self._changed = threading.Condition()
        self._pump = threading.Thread(target=self._take_events, name=f"session-{session_id}", daemon=True)

    @property
    def state(self) -> State:
        """What the program does."""
        if self._is_ended:
            return "ended"
        return "stopped" if self.stop is not None else "running"

    # beginning and ending

    def begin(self, set_breakpoints: Callable[[DebugSession], None]) -> None:
        """Launch or attach; `set_breakpoints` is called before the program runs. Raises `ClientError`."""
        self.client.initialize(**{wire_name("supports_memory_references"): True})
        starting = self.client.start(self.beginning.command, self.beginning.arguments)
        self._pump.start()
        usual, self.client.timeout_s = self.client.timeout_s, _BEGIN_TIMEOUT_S
        try:
            set_breakpoints(self)
            self.client.configuration_done()
        except DapRequestError:
            if starting.is_answered:
                starting.result()  # why it could not begin says more
            raise
        starting.result()
        self.client.timeout_s = usual

    def restart(self) -> None:
        """Start the program again, in the same adapter: breakpoints keep their ids. Raises `ClientError`.

        Output and history go on; what the program was doing is over.
        """
        with self._changed:
            stop, self.stop = self.stop, None
            process_id, self.process_id = self.process_id, None
        try:
            self.client.request("restart", timeout_s=_BEGIN_TIMEOUT_S)
        except DapRequestError:
            with self._changed:
                if not self._is_ended and self.process_id is None:  # it was refused, and nothing has changed
                    self.stop, self.process_id = stop, process_id
            raise

    def end(self, *, terminate: bool | None) -> None:
        """Disconnect and end the adapter. Idempotent; None: a launched program ends, an attached one goes on."""
        try:
            if self.client.process is None or self.client.process.wait(0) is None:
                self.client.timeout_s = 10.0
                self.client.disconnect(terminate_debuggee=terminate)
        except (ClientError, OSError):
            pass  # it is ended by force next, and takes a launched program with it
        self.client.close()
        if self._pump.is_alive() and self._pump is not threading.current_thread():
            self._pump.join(5.0)
        self._note_end("disconnected")

    # asking

    def need_alive(self) -> None:
        """Raises `ToolError` when the program has ended."""
        if self._is_ended:
            code = f" with exit code {self.exit_code}" if self.exit_code is not None else ""
            raise ToolError("SESSION_ENDED", f"The program of session {self.id} has ended{code}.")

    def need_stopped(self) -> StopRecord:
        """The current stop. Raises `ToolError` when the program runs or has ended."""
        self.need_alive()
        stop = self.stop
        if stop is None:
            raise ToolError("NOT_STOPPED", f"The program of session {self.id} runs.")
        return stop

    def request(self, command: str, arguments: Any = None, timeout_s: float | None = None) -> dict[str, Any]:
        """A request of the protocol; the body of its response. Raises `ClientError`."""
        return self.client.request(command, arguments, timeout_s=timeout_s)

    def send(self, command: str, arguments: Any = None) -> PendingResponse:
        """A request whose response is awaited later."""
        return self.client.send(command, arguments)

    def run(self, command: str, arguments: Mapping[str, Any]) -> None:
        """A request that lets the program run. Raises `ToolError`, `ClientError`."""
        stop = self.need_stopped()
        with self._changed:
            if self.stop is not stop:
                raise ToolError("NOT_STOPPED", f"Another call has let the program of session {self.id} run.")
            self.stop = None
        try:
            self.client.request(command, arguments)
        except BaseException:
            with self._changed:
                if self.stop is None and not self._is_ended:
                    self.stop = stop
            raise

    def wait(self, call: Caller, timeout_s: float, *, what: str = "a stop") -> bool:
        """Wait until the program is stopped or has ended; False when the time is over before that.

        Raises `Cancelled`.
        """
        began = time.monotonic()
        told = began
        while True:
            with self._changed:
                if self.stop is not None or self._is_ended:
                    return True
                left = timeout_s - (time.monotonic() - began)
                if left > 0:
                    self._changed.wait(min(left, _POLL_S))
                    if self.stop is not None or self._is_ended:
                        return True
            now = time.monotonic()
            if now - began >= timeout_s:
                return False
            if call.is_cancelled or now - told >= _PROGRESS_S:
                told = now
                call.progress(round(now - began, 1), timeout_s, f"session {self.id} waits for {what}")

    def take_output(self, most: int) -> tuple[str, int]:
        """What was written since the last call, at most its last `most` characters; and how many were left out."""
        text, end, lost = self.output.read(self.output_told, 1 << 30)
        self.output_told = end
        left_out = lost + max(0, len(text) - most)
        return text[-most:], left_out

    def module_name(self, module_id: Any) -> str | None:
        """The name of a module by its id in frames."""
        module = self.modules.get(module_id)
        return str(module.get("name")) if module is not None else None

    # events, on the session's thread

    def _take_events(self) -> None:
        try:
            while True:
                event = self.client.next_event(timeout_s=math.inf)
                self._take(event.event, event.body)
                if len(self.client.messages) > _MOST_MESSAGES:
                    del self.client.messages[: _MOST_MESSAGES // 2]
        except ClientError:
            self._note_end("The adapter has ended.")

    def _take(self, name: str, body: Mapping[str, Any]) -> None:
        if name == "stopped":
            self._note_stop(body)
        elif name == "continued":
            with self._changed:
                self.stop = None
        elif name == "output":
            self._note_output(body)
        elif name == "module":
            module = body.get("module") or {}
            if body.get("reason") == "removed":
                self.modules.pop(module.get("id"), None)
            else:
                self.modules[module.get("id")] = module
        elif name == "breakpoint":
            changed = body.get("breakpoint") or {}
            self.breakpoint_news[int(changed.get("id") or 0)] = changed
            state = "bound" if changed.get("verified") else "not bound"
            line = f" at line {changed['line']}" if changed.get("line") else ""
            self.history.add(
                "breakpoint", f"{changed.get('id')} {state}{line}: {changed.get('message') or ''}".rstrip(": ")
            )
        elif name == "process":
            self.process_id = member(body, "system_process_id")
        elif name == "exited":
            self.exit_code = member(body, "exit_code")
        elif name == "terminated":
            code = "" if self.exit_code is None else f" (exit code {self.exit_code})"
            self._note_end(f"The program has ended{code}.")

    def _note_stop(self, body: Mapping[str, Any]) -> None:
        thread_id = int(member(body, "thread_id") or 0)
        with self._changed:
            self._stops += 1
            self.stop = StopRecord(self._stops, datetime.now(timezone.utc), body, thread_id)
            ids = "".join(f" {number}" for number in member(body, "hit_breakpoint_ids") or ())
            why = str(body.get("text") or body.get("description") or "")
            kind = "exception" if body.get("reason") == "exception" else "stop"
            self.history.add(kind, f"{self._stops}: {body.get('reason')}{ids}, thread {thread_id}. {why}".rstrip())
            self._changed.notify_all()
        self._tell("stopped")

    def _note_output(self, body: Mapping[str, Any]) -> None:
        category = str(body.get("category") or "console")
        text = str(body.get("output") or "")
        if category in ("stdout", "stderr"):
            self.output.add(category, text)
            self.history.add("output", text.rstrip("\n"))
        elif category != "telemetry":
            for line in text.splitlines():  # log points come several at once
                self.history.add("log" if category == "console" else category, line)

    def _note_end(self, text: str) -> None:
        with self._changed:
            if self._is_ended:
                return
            self._is_ended = True
            self.stop = None
            self.history.add("end", text)
            self._changed.notify_all()
        self._tell("ended")

    def _tell(self, event: str) -> None:
        if self.on_event is not None:
            self.on_event(self, event)
