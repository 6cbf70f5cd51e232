"""What the session reports to the client unasked: DAP events made from what happened. Session thread only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from dap_dotnet.protocol.client_view import ClientView, file_name
from dap_dotnet.protocol.messages.events import (
    ContinuedEventBody,
    ExitedEventBody,
    InvalidatedEventBody,
    OutputEventBody,
    PeekedEventBody,
    ProcessEventBody,
    ProgressEndEventBody,
    ProgressStartEventBody,
    StoppedEventBody,
    TerminatedEventBody,
    ThreadEventBody,
)
from dap_dotnet.protocol.messages.initialize import Capabilities, CapabilitiesEventBody
from dap_dotnet.protocol.messages.sources import Module, ModuleEventBody, Source
from dap_dotnet.session.log_batches import LogBatches, LogOrigin

if TYPE_CHECKING:
    from dap_dotnet.breakpoints.exceptions.exception_breakpoints import ExceptionBreakpoint
    from dap_dotnet.breakpoints.model import LogicalBreakpoint
    from dap_dotnet.protocol.messages.breakpoints import Breakpoint
    from dap_dotnet.protocol.messages.tests import TestReport
    from dap_dotnet.runtime.model import ThreadId
    from dap_dotnet.session.stops import Stop
    from dap_dotnet.symbols.modules import LoadedModule
    from dap_dotnet.symbols.spans import Span


class EventSender(Protocol):
    """What is needed of the server."""

    @property
    def client(self) -> ClientView:
        """The client's conventions."""

    def send_event(self, event: str, body: Any = None) -> None:
        """Send an event to the client."""


class ClientEvents:
    """Sends events in the client's own conventions. What log points have written before an event is sent before it."""

    def __init__(self, server: EventSender, reference_of: Callable[[str], int] = lambda path: 0) -> None:
        """`reference_of` says the number of a source that is no file here, by its local path; 0 for others."""
        self._server = server
        self._reference_of = reference_of
        self.process_name = ""
        """As the client was told it."""
        self._log = LogBatches(self._send_log)
        self.span_now: Callable[[str, Span], Span | None] = lambda path, span: span
        """Where a span of the source that runs is in a file as it is now."""
        self._is_stopped = False
        self._held: list[ThreadEventBody] = []
        """What came of threads while the client shows the program stopped: an evaluation lets it run for a moment."""

    def process(self, name: str, process_id: int, *, is_attach: bool) -> None:
        """A process is under control."""
        self.process_name = name
        body = ProcessEventBody(
            name=name,
            system_process_id=process_id,
            is_local_process=True,
            start_method="attach" if is_attach else "launch",
            pointer_size=64,
        )
        self._send("process", body)

    def goes_back(self) -> None:
        """The client may offer to go back to the stops that were."""
        self._send("capabilities", CapabilitiesEventBody(capabilities=Capabilities(supports_step_back=True)))

    def peeked(self, name: str, process_id: int, pause_ms: float) -> None:
        """A process was copied."""
        text = f"{name} (process {process_id}) was held for {pause_ms:.1f} ms and goes on; this is a copy of it."
        self._send("dap-dotnet/peeked", PeekedEventBody(process_id=process_id, pause_ms=pause_ms))
        self.console(text)

    def stopped(self, stop: Stop) -> None:
        """The program stopped."""
        body = StoppedEventBody(
            reason=stop.reason.value,
            description=stop.description,
            text=stop.text,
            thread_id=stop.thread,
            all_threads_stopped=True,
            hit_breakpoint_ids=list(stop.breakpoints) or None,
        )
        self._send("stopped", body)
        self._is_stopped = True

    def resumed(self) -> None:
        """The program runs again, as the client knows: it is told of the threads that came and went in the stop."""
        self._is_stopped = False
        held, self._held = self._held, []
        for body in held:
            self._send("thread", body)

    def continued(self, thread: ThreadId) -> None:
        """The program runs again without the client having asked."""
        self.resumed()
        self._send("continued", ContinuedEventBody(thread_id=thread, all_threads_continued=True))

    def module(self, reason: Literal["new", "changed", "removed"], loaded: LoadedModule) -> None:
        """A module was loaded or unloaded."""
        from dap_dotnet.session.bodies import module_body

        body = Module(id=loaded.id, name=loaded.name) if reason == "removed" else module_body(loaded)
        self._send("module", ModuleEventBody(reason=reason, module=body))

    def thread(self, reason: Literal["started", "exited"], thread: ThreadId) -> None:
        """A thread came or went. Told when the program runs: clients show a thread that begins as running."""
        if self._server.client.misreads_thread_events:
            return
        body = ThreadEventBody(reason=reason, thread_id=thread)
        begun = ThreadEventBody(reason="started", thread_id=thread)
        if not self._is_stopped:
            self._send("thread", body)
        elif reason == "exited" and begun in self._held:
            self._held.remove(begun)  # the client has never heard of it
        else:
            self._held.append(body)

    def breakpoint_changed(self, changed: LogicalBreakpoint) -> None:
        """A breakpoint's state changed without the client having asked."""
        from dap_dotnet.session.bodies import breakpoint_body

        self._breakpoint_changed(breakpoint_body(changed, self._server.client, self._reference_of, self.span_now))

    def log_messages(self, messages: Sequence[str], span: Span | None, path: str | None) -> None:
        """What log points wrote, with the place in the source that wrote it; sent together with what follows soon."""
        span = self.span_now(path, span) if span is not None and path is not None else None
        origin = LogOrigin(path, span.line, span.column) if span is not None and path is not None else None
        self._log.add(list(messages), origin)

    def condition_failed(self, logical: LogicalBreakpoint, reason: str) -> None:
        """A condition could not be tested: reported once, as a changed breakpoint and to the user."""
        from dap_dotnet.session.bodies import breakpoint_body

        body = breakpoint_body(logical, self._server.client, self._reference_of, self.span_now)
        body.message = f"The condition failed, and the program continues: {reason}"
        self._breakpoint_changed(body)
        self.important(f"Breakpoint {logical.id}: the condition '{logical.settings.condition}' failed: {reason}")

    def changed_unseen(self, logical: LogicalBreakpoint, change: str) -> None:
        """A watched field has changed, and no store that is watched did it."""
        self.important(
            f"Breakpoint {logical.id}: a watched field has changed unseen: {change}. No store that is watched did it; "
            "reflection, a pointer or reference made elsewhere, native code or an expression of yours may have."
        )

    def exception_breakpoint_changed(self, changed: ExceptionBreakpoint) -> None:
        """A pending exception breakpoint has found its types."""
        from dap_dotnet.session.bodies import exception_breakpoint_body

        self._breakpoint_changed(exception_breakpoint_body(changed))

    def output(self, category: str, text: str) -> None:
        """Text of the program (stdout, stderr) or of ours (important)."""
        self._send("output", OutputEventBody(category=category, output=text))

    def test_report(self, report: TestReport) -> None:
        """A run of tests tells of one, or of its end."""
        from dap_dotnet.protocol.messages.tests import EVENT_NAMES

        self._send(EVENT_NAMES[type(report)], report)

    def console(self, text: str) -> None:
        """A line of ours for the user."""
        self._send("output", OutputEventBody(category=self._plain, output=text + "\n"))

    def warning(self, text: str, path: str | None = None) -> None:
        """A line of ours on what may not go as the user thinks, and the source that it is about."""
        body = OutputEventBody(category="console", output=text + "\n")
        if path is not None:
            body.source = Source(name=file_name(path), path=self._server.client.path_to_client(path))
        self._send("output", body)

    def important(self, text: str) -> None:
        """A line of ours that the user should not miss."""
        self.output("important", text + "\n")

    def variables_invalidated(self) -> None:
        """Values that the client has shown may be others now."""
        self._send("invalidated", InvalidatedEventBody(areas=["variables"]))

    def stacks_invalidated(self) -> None:
        """Frames have other names and places than the client shows."""
        self._send("invalidated", InvalidatedEventBody(areas=["stacks"]))

    def threads_invalidated(self) -> None:
        """Threads have other names than the client shows."""
        self._send("invalidated", InvalidatedEventBody(areas=["threads"]))

    def build_line(
        self, text: str, *, is_error: bool, is_warning: bool = False, path: str = "", line: int = 0, column: int = 0
    ) -> None:
        """What a build wrote, with the place in the source that it is about; a line of 0 stands for none."""
        view = self._server.client
        plain = "console" if is_warning else self._plain
        body = OutputEventBody(category="stderr" if is_error else plain, output=text + "\n")
        if line:
            body.source = Source(name=file_name(path), path=view.path_to_client(path))
            body.line = view.line_to_client(line)
            body.column = view.column_to_client(max(column, 1))
        self._send("output", body)

    def progress_began(self, progress: str, title: str, message: str) -> None:
        """Something that takes long, which the user may cancel, has begun."""
        body = ProgressStartEventBody(progress_id=progress, title=title, message=message, cancellable=True)
        self._send("progressStart", body)

    def progress_ended(self, progress: str) -> None:
        """It has ended, in whatever way."""
        self._send("progressEnd", ProgressEndEventBody(progress_id=progress))

    def ended(self, exit_code: int | None) -> None:
        """Debugging ended; `exit_code` is the program's, None where it was left or the code is not known."""
        self.resumed()
        if exit_code is not None:
            self._send("exited", ExitedEventBody(exit_code=exit_code))
        self._send("terminated", TerminatedEventBody())

    @property
    def _plain(self) -> str | None:
        """The category of what is no warning."""
        return None if self._server.client.draws_console_as_warnings else "console"

    def _breakpoint_changed(self, body: Breakpoint) -> None:
        from dap_dotnet.protocol.messages.breakpoints import BreakpointEventBody

        self._send("breakpoint", BreakpointEventBody(reason="changed", breakpoint=body))

    def _send(self, event: str, body: Any) -> None:
        self._log.flush()
        self._server.send_event(event, body)

    def _send_log(self, text: str, origin: LogOrigin | None) -> None:
        """On any thread."""
        view = self._server.client
        body = OutputEventBody(category=self._plain, output=text)
        if origin is not None:
            body.source = Source(name=file_name(origin.path), path=view.path_to_client(origin.path))
            body.line = view.line_to_client(origin.line)
            body.column = view.column_to_client(origin.column)
        self._server.send_event("output", body)
