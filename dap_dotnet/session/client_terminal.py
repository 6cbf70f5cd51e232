"""Programs in the client's terminal: the reverse request `runInTerminal`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

from dap_dotnet.protocol.messages.lifecycle import RunInTerminalRequestArguments
from dap_dotnet.server.reverse import OnResponse, ReverseResponse

_ANSWER_TIMEOUT_S = 60.0
"""The launcher's own deadline is shorter; a client may answer long after it has opened the terminal."""


class AskingServer(Protocol):
    """What is needed of the server."""

    def post(self, action: Callable[[], None]) -> None:
        """Call `action` on the session thread. Any thread."""

    def send_request(self, command: str, arguments: Any, on_response: OnResponse, *, timeout_s: float) -> None:
        """Ask the client."""


class ClientTerminal:
    """Opens a terminal of the client. Any thread."""

    def __init__(self, server: AskingServer, kind: Literal["integrated", "external"], title: str) -> None:
        self._server = server
        self._kind = kind
        self._title = title

    def open(
        self,
        command: Sequence[str],
        working_directory: str,
        environment: Mapping[str, str | None],
        refused: Callable[[str], None],
    ) -> None:
        """See `runtime.model.OpenTerminal`."""
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
