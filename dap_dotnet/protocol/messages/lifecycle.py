"""Beginning and ending a session: launch, attach, configurationDone, disconnect, terminate, restart, cancel."""

from typing import Annotated, Any, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel


class LaunchRequestArguments(WireModel):
    """What the protocol itself knows of `launch`; the attributes for .NET extend it."""

    no_debug: Annotated[bool | None, NEEDED] = None
    restart_data: Any = None
    """``__restart``: data of a `terminated` event that the client hands back."""


class AttachRequestArguments(WireModel):
    """What the protocol itself knows of `attach`; the attributes for .NET extend it."""

    restart_data: Any = None


class ConfigurationDoneArguments(WireModel):
    """Nothing: the client has sent its breakpoints."""


class DisconnectArguments(WireModel):
    """End of the session. `terminate_debuggee` None means: end a launched program, leave an attached one running."""

    restart: bool | None = None
    terminate_debuggee: Annotated[bool | None, NEEDED] = None
    suspend_debuggee: bool | None = None


class TerminateArguments(WireModel):
    """Ask the program to end by itself."""

    restart: bool | None = None


class RestartArguments(WireModel):
    """The newest launch or attach arguments, when the client has changed them."""

    arguments: Annotated[dict[str, Any] | None, NEEDED] = None


class CancelArguments(WireModel):
    """A request (by its `seq`) or a progress that the client no longer wants."""

    request_id: int | None = None
    progress_id: str | None = None


class RunInTerminalRequestArguments(WireModel):
    """Reverse request: start a command in the client's terminal. A None in `env` removes the variable."""

    kind: Literal["integrated", "external"] | None = None
    title: str | None = None
    cwd: str
    args: list[str]
    env: dict[str, str | None] | None = None
    args_can_be_interpreted_by_shell: bool | None = None


class RunInTerminalResponseBody(WireModel):
    """The client's answer; either process id may be missing."""

    process_id: int | None = None
    shell_process_id: int | None = None


class StartDebuggingRequestArguments(WireModel):
    """Reverse request: begin another session with this configuration."""

    request: Literal["launch", "attach"]
    configuration: dict[str, Any]
