"""Sessions for the .NET processes that the program starts (`autoAttachChildProcesses`).

A child waits at its start, at our diagnostic port. The client is asked to begin a session for it (`startDebugging`);
that session's adapter comes to the port for the child, attaches, and lets it go on. Where nobody comes, it runs free.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from dap_dotnet.launching.arguments import CommonArguments
from dap_dotnet.launching.child_port import VARIABLE, ChildPort, PortListener
from dap_dotnet.launching.child_processes import ChildProcess, calls_ports, describe_child
from dap_dotnet.protocol.messages.lifecycle import StartDebuggingRequestArguments
from dap_dotnet.runtime.model import LaunchSpec
from dap_dotnet.server.reverse import OnResponse, ReverseResponse

ANSWER_TIMEOUT_S = 30.0
"""How long a client may take to begin a session; some never answer."""
_CLAIM_TIMEOUT_S = 15.0
"""How long the adapter of a session that was begun may take to come for its process."""
_DEFAULT_TYPE = "dap-dotnet"
_NEVER_PASSED_ON = frozenset({"pipeTransport"})
"""The adapter of the child's session is started where ours was."""


class AskingServer(Protocol):
    """What is needed of the server."""

    def post(self, action: Callable[[], None]) -> None:
        """Call `action` on the session thread. Any thread."""

    def send_request(self, command: str, arguments: Any, on_response: OnResponse, *, timeout_s: float) -> None:
        """Ask the client."""

    def call_later(self, delay_s: float, action: Callable[[], None]) -> object:
        """Call `action` on the session thread, after a while."""


class Port(Protocol):
    """What is needed of `ChildPort`."""

    path: str

    def variable(self, environment: Mapping[str, str]) -> str:
        """The value of DOTNET_DiagnosticPorts for the program."""

    def let_pass(self, process_id: int) -> None:
        """This process does not wait."""

    def resume(self, process_id: int) -> None:
        """Let a process go on without a debugger."""

    def close(self) -> None:
        """Nobody is held any more."""


class ChildSessions(PortListener):
    """The children of one program. Session thread only, but for `prepare` and what the port calls."""

    def __init__(
        self,
        server: AskingServer,
        console: Callable[[str], None],
        sent: Mapping[str, Any],
        is_wanted: Callable[[int], bool],
        *,
        open_port: Callable[[PortListener], Port] = ChildPort,
        describe: Callable[[int], ChildProcess] = describe_child,
    ) -> None:
        """`sent` is the program's own configuration; `is_wanted` says whether a process is to be debugged at all."""
        self._server = server
        self._console = console
        self._sent = sent
        self._is_wanted = is_wanted
        self._open_port = open_port
        self._describe = describe
        self._port: Port | None = None
        self._is_closed = False
        self._waiting: dict[int, ChildProcess] = {}

    def prepare(self, spec: LaunchSpec) -> LaunchSpec:
        """Open the port for a program. On the thread that starts it; raises as `ChildPort` does."""
        self._port = port = self._open_port(self)
        if self._is_closed:
            port.close()
        environment = {**spec.environment, VARIABLE: port.variable(spec.environment)}
        return msgspec.structs.replace(spec, environment=environment, on_forked=port.let_pass)

    def close(self) -> None:
        """No more sessions: whoever waits goes on."""
        self._is_closed = True
        if self._port is not None:
            self._port.close()

    def program_started(self, process_id: int) -> None:
        """The program's runtime is under control."""
        if not calls_ports(process_id):
            self._console(
                "autoAttachChildProcesses needs .NET 6 or later, and this program's runtime is older: of the processes "
                "that it starts only those on newer runtimes are debugged."
            )

    # --- on the port's thread ---

    def suspended(self, process_id: int) -> None:
        """See `PortListener`."""
        self._server.post(lambda: self._suspended(process_id))

    def claimed(self, process_id: int) -> None:
        """See `PortListener`."""
        self._server.post(lambda: self._settled(process_id))

    def gone(self, process_id: int) -> None:
        """See `PortListener`."""
        self._server.post(lambda: self._settled(process_id))

    # --- on the session thread ---

    def _suspended(self, process_id: int) -> None:
        assert self._port is not None
        if not self._is_wanted(process_id):
            self._port.resume(process_id)
            return
        try:
            child = self._describe(process_id)
        except OSError:
            self._port.resume(process_id)  # it has ended, or may not be looked at
            return
        self._waiting[process_id] = child
        if child.problem is not None:
            self._let_run(process_id, child, child.problem)
            return
        arguments = StartDebuggingRequestArguments(
            request="attach", configuration=self._configuration(process_id, child, self._port.path)
        ).to_wire()
        self._server.send_request(
            "startDebugging",
            arguments,
            lambda response: self._answered(process_id, child, response),
            timeout_s=ANSWER_TIMEOUT_S,
        )

    def _configuration(self, process_id: int, child: ChildProcess, port: str) -> dict[str, Any]:
        """What the user has configured for the program holds for the child."""
        shared = {field.alias or name for name, field in CommonArguments.model_fields.items()} - _NEVER_PASSED_ON
        return {
            **{name: value for name, value in self._sent.items() if name in shared},
            "type": self._sent.get("type") or _DEFAULT_TYPE,
            "request": "attach",
            "name": f"child: {child.name} [{process_id}]",
            "processId": process_id,
            "diagnosticPort": port,
        }

    def _answered(self, process_id: int, child: ChildProcess, response: ReverseResponse) -> None:
        if not response.success:
            self._let_run(process_id, child, f"the editor started no session for it ({response.message})")
            return

        def nobody_came() -> None:
            self._let_run(process_id, child, f"no debugger took it over within {_CLAIM_TIMEOUT_S:g} s")

        if self._waiting.get(process_id) is child:
            self._server.call_later(_CLAIM_TIMEOUT_S, nobody_came)

    def _let_run(self, process_id: int, child: ChildProcess, reason: str) -> None:
        if self._waiting.get(process_id) is not child or self._port is None:
            return  # it is being debugged, or has ended
        self._settled(process_id)
        self._port.resume(process_id)
        self._console(f"{child.name} [{process_id}] runs without the debugger: {reason}.")

    def _settled(self, process_id: int) -> None:
        self._waiting.pop(process_id, None)
