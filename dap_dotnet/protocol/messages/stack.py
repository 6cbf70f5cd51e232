"""Call stacks and scopes."""

from typing import Annotated, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.sources import Source
from dap_dotnet.protocol.messages.variables import ValueFormat


class StackFrameFormat(ValueFormat):
    """How the names of frames are written."""

    parameters: bool | None = None
    parameter_types: bool | None = None
    parameter_names: bool | None = None
    parameter_values: bool | None = None
    line: bool | None = None
    module: bool | None = None
    include_all: bool | None = None


class StackTraceArguments(WireModel):
    """A page of a stack; `levels` 0 or None means all from `start_frame`."""

    thread_id: int
    start_frame: Annotated[int | None, NEEDED] = None
    levels: int | None = None
    format: StackFrameFormat | None = None


class StackFrame(WireModel):
    """A frame. Line and column are in the client's base, or 0 where there is no source."""

    id: int
    name: str
    source: Source | None = None
    line: int
    column: int
    end_line: int | None = None
    end_column: int | None = None
    can_restart: bool | None = None
    instruction_pointer_reference: str | None = None
    module_id: int | str | None = None
    presentation_hint: Literal["normal", "label", "subtle"] | None = None


class StackTraceResponseBody(WireModel):
    """A page of a stack. `total_frames` may be a lower bound that grows as more is asked for."""

    stack_frames: list[StackFrame]
    total_frames: int | None = None


class ScopesArguments(WireModel):
    """The frame whose scopes are wanted."""

    frame_id: int


class Scope(WireModel):
    """A group of variables. `expensive` asks the client not to open it by itself."""

    name: str
    presentation_hint: str | None = None
    variables_reference: int
    named_variables: int | None = None
    indexed_variables: int | None = None
    expensive: bool
    source: Source | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class ScopesResponseBody(WireModel):
    """The scopes of a frame."""

    scopes: list[Scope]
