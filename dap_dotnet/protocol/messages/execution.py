"""Running and stopping: threads, continue, steps, pause."""

from typing import Annotated, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.sources import Source

SteppingGranularity = Literal["statement", "line", "instruction"]


class Thread(WireModel):
    """A thread of the program."""

    id: int
    name: str


class ThreadsResponseBody(WireModel):
    """All threads."""

    threads: list[Thread]


class ContinueArguments(WireModel):
    """Let the program run; all threads run, so that nothing depends on the one that is named."""

    thread_id: int | None = None
    single_thread: bool | None = None


class ContinueResponseBody(WireModel):
    """Whether all threads run again; None means true."""

    all_threads_continued: bool | None = None


class NextArguments(WireModel):
    """Step over."""

    thread_id: int
    single_thread: bool | None = None
    granularity: SteppingGranularity | None = None


class StepInArguments(WireModel):
    """Step into, or into the target that `stepInTargets` named."""

    thread_id: int
    single_thread: bool | None = None
    target_id: Annotated[int | None, NEEDED] = None
    granularity: SteppingGranularity | None = None


class StepOutArguments(WireModel):
    """Step out of the function."""

    thread_id: int
    single_thread: bool | None = None
    granularity: SteppingGranularity | None = None


class StepBackArguments(StepOutArguments):
    """Go back to the stop before."""


class ReverseContinueArguments(WireModel):
    """Go back to the last breakpoint."""

    thread_id: int
    single_thread: bool | None = None


class ThreadArguments(WireModel):
    """Of `dap-dotnet/freezeThread` and `dap-dotnet/thawThread`: the thread."""

    thread_id: int


class FrozenThreadsResponseBody(WireModel):
    """The threads that are frozen now."""

    frozen: list[int]


class StepInTargetsArguments(WireModel):
    """The frame whose statement makes the calls."""

    frame_id: int


class StepInTarget(WireModel):
    """A call that a step can be sent into."""

    id: int
    label: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class StepInTargetsResponseBody(WireModel):
    """The calls, in the order of their evaluation."""

    targets: list[StepInTarget]


class GotoTargetsArguments(WireModel):
    """Where in the source the next statement is to be."""

    source: Source
    line: int
    column: Annotated[int | None, NEEDED] = None


class GotoTarget(WireModel):
    """A statement that can be the next one."""

    id: int
    label: str
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class GotoTargetsResponseBody(WireModel):
    """The statements at a place."""

    targets: list[GotoTarget]


class GotoArguments(WireModel):
    """Go on at a target."""

    thread_id: int
    target_id: int


class RestartFrameArguments(WireModel):
    """The frame whose method is to begin again."""

    frame_id: int


class PauseArguments(WireModel):
    """Stop the program. Some clients leave out the thread or send 0 for all."""

    thread_id: int | None = None


class InputArguments(WireModel):
    """Of `dap-dotnet/input`: `text` for the program's standard input, as it is; `end`: there is no more."""

    text: Annotated[str, NEEDED] = ""
    end: Annotated[bool, NEEDED] = False
