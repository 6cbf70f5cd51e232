"""Bodies of the events on the program's life, its threads and output, and on the adapter's progress."""

from typing import Any, Literal

from dap_dotnet.protocol.messages.base import WireModel
from dap_dotnet.protocol.messages.sources import Source


class StoppedEventBody(WireModel):
    """The program stopped. `reason` is one of the protocol's words, which clients act on."""

    reason: str
    description: str | None = None
    thread_id: int | None = None
    preserve_focus_hint: bool | None = None
    text: str | None = None
    all_threads_stopped: bool | None = None
    hit_breakpoint_ids: list[int] | None = None


class ContinuedEventBody(WireModel):
    """The program runs again without the client having asked."""

    thread_id: int
    all_threads_continued: bool | None = None


class ExitedEventBody(WireModel):
    """The program ended."""

    exit_code: int


class TerminatedEventBody(WireModel):
    """Debugging ended; with `restart` the client is to begin again and hand it back."""

    restart: Any = None


class ThreadEventBody(WireModel):
    """A thread came or went."""

    reason: Literal["started", "exited"]
    thread_id: int


class OutputEventBody(WireModel):
    """Text for the client's console. Line and column are in the client's base."""

    category: str | None = None
    """``console``, ``important``, ``stdout``, ``stderr`` or ``telemetry``."""
    output: str
    group: Literal["start", "startCollapsed", "end"] | None = None
    variables_reference: int | None = None
    source: Source | None = None
    line: int | None = None
    column: int | None = None
    data: Any = None
    location_reference: int | None = None


class ProcessEventBody(WireModel):
    """The program that is debugged."""

    name: str
    system_process_id: int | None = None
    is_local_process: bool | None = None
    start_method: Literal["launch", "attach", "attachForSuspendedLaunch"] | None = None
    pointer_size: int | None = None


class PeekedEventBody(WireModel):
    """A look at a running process, which was held for it for `pause_ms`. Of our own: `dap-dotnet/peeked`."""

    process_id: int
    pause_ms: float


class InvalidatedEventBody(WireModel):
    """The client is to ask again. `areas`: ``all``, ``stacks``, ``threads``, ``variables``."""

    areas: list[str] | None = None
    thread_id: int | None = None
    stack_frame_id: int | None = None


# For builds before a launch, which report their progress: nothing sends these yet.
class ProgressStartEventBody(WireModel):
    """Something that takes long begins."""

    progress_id: str
    title: str
    request_id: int | None = None
    cancellable: bool | None = None
    message: str | None = None
    percentage: float | None = None


class ProgressUpdateEventBody(WireModel):
    """News of something that takes long."""

    progress_id: str
    message: str | None = None
    percentage: float | None = None


class ProgressEndEventBody(WireModel):
    """Something that took long ended."""

    progress_id: str
    message: str | None = None
