"""Programs in the client's terminal: the reverse request `runInTerminal`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from dap_dotnet.protocol.client_view import ClientView
from dap_dotnet.protocol.messages.lifecycle import RunInTerminalRequestArguments
from dap_dotnet.server.interrupts import Interrupts
from dap_dotnet.server.reverse import OnResponse, ReverseResponse

PROGRESS = "terminal"
"""The id of the progress of waiting for it."""
_SHOWN_AFTER_S = 2.0
_PATIENCE_S, _SILENT_PATIENCE_S = 60.0, 10.0
"""How long a terminal may take to start the program: on a busy machine long. Some clients never answer, and where
nothing shows that we wait, it is not for long."""
_ANSWER_TIMEOUT_S = 90.0
"""A client may answer long after it has opened the terminal."""


class AskingServer(Protocol):
    """What is needed of the server."""

    def post(self, action: Callable[[], None]) -> None:
        """Call `action` on the session thread. Any thread."""

    def send_request(self, command: str, arguments: Any, on_response: OnResponse, *, timeout_s: float) -> None:
        """Ask the client."""

    @property
    def client(self) -> ClientView:
        """The client's conventions."""

    @property
    def interrupts(self) -> Interrupts:
        """What the client has cancelled."""


class ProgressEvents(Protocol):
    """What is needed of the client's events."""

    def progress_began(self, progress: str, title: str, message: str) -> None:
        """Something that the user may cancel has begun."""

    def progress_ended(self, progress: str) -> None:
        """It has ended."""


class ClientTerminal:
    """Opens a terminal of the client. Any thread."""

    def __init__(
        self, server: AskingServer, events: ProgressEvents, kind: Literal["integrated", "external"], title: str
    ) -> None:
        self._server = server
        self._events = events
        self._kind = kind
        self._title = title
        self._shows_wait = False

    def open(
        self,
        command: Sequence[str],
        working_directory: str,
        environment: Mapping[str, str | None],
        refused: Callable[[str], None],
    ) -> None:
        """See `runtime.model.TerminalOpener`."""
        arguments = RunInTerminalRequestArguments(
            kind=self._kind, title=self._title, cwd=working_directory, args=list(command), env=dict(environment)
        ).to_wire()
        # to_wire leaves out None, which here removes a variable
        arguments["env"] = dict(environment)

        def answered(response: ReverseResponse) -> None:
            if not response.success:
                refused(response.message)

        self._server.post(
            lambda: self._server.send_request("runInTerminal", arguments, answered, timeout_s=_ANSWER_TIMEOUT_S)
        )

    def is_waited_for(self, seconds: float) -> bool:
        """See `runtime.model.TerminalOpener`. The client shows that we wait, and may cancel it."""
        if not self._server.client.supports_progress_reporting:
            return seconds < _SILENT_PATIENCE_S
        if seconds >= _SHOWN_AFTER_S and not self._shows_wait:
            self._shows_wait = True
            text = "the program starts once it is open; cancelled, it runs in the debug console"
            self._server.post(lambda: self._events.progress_began(PROGRESS, "Waiting for the terminal", text))
        return seconds < _PATIENCE_S and not self._server.interrupts.is_progress_cancelled(PROGRESS)

    def wait_is_over(self) -> None:
        """See `runtime.model.TerminalOpener`."""
        if self._shows_wait:
            self._shows_wait = False
            self._server.post(self._ended)

    def _ended(self) -> None:
        self._server.interrupts.forget_progress(PROGRESS)
        self._events.progress_ended(PROGRESS)
