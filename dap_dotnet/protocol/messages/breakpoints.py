"""Source, function and exception breakpoints, and breakpoint locations."""

from typing import Annotated, Literal

from pydantic import Field

from dap_dotnet.protocol.messages.base import NEEDED, Needed, WireModel
from dap_dotnet.protocol.messages.sources import Source

ExceptionBreakMode = Literal["never", "always", "unhandled", "userUnhandled"]


class SourceBreakpoint(WireModel):
    """A breakpoint that the client wants in a source. Line and column are in the client's base."""

    line: int
    column: Annotated[int | None, NEEDED] = None
    condition: Annotated[str | None, NEEDED] = None
    hit_condition: Annotated[str | None, NEEDED] = None
    log_message: Annotated[str | None, NEEDED] = None
    mode: str | None = None


class SetBreakpointsArguments(WireModel):
    """All breakpoints of one source. `lines` is the old form, used when `breakpoints` is None."""

    source: Source
    breakpoints: Annotated[list[SourceBreakpoint] | None, NEEDED] = None
    lines: Annotated[list[int] | None, Needed(unless="breakpoints")] = None
    source_modified: bool | None = None


class Breakpoint(WireModel):
    """What became of a breakpoint. Lines and columns are in the client's base."""

    id: int | None = None
    verified: bool
    message: str | None = None
    source: Source | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    instruction_reference: str | None = None
    offset: int | None = None
    reason: Literal["pending", "failed"] | None = None


class SetBreakpointsResponseBody(WireModel):
    """One breakpoint for each that was asked for, in the same order."""

    breakpoints: list[Breakpoint]


class FunctionBreakpoint(WireModel):
    """A breakpoint on a function's name. DAP has the last two for source breakpoints only."""

    name: str
    condition: Annotated[str | None, NEEDED] = None
    hit_condition: Annotated[str | None, NEEDED] = None
    log_message: Annotated[str | None, NEEDED] = None
    mode: str | None = None


class SetFunctionBreakpointsArguments(WireModel):
    """All function breakpoints."""

    breakpoints: list[FunctionBreakpoint]


class SetFunctionBreakpointsResponseBody(WireModel):
    """One breakpoint for each that was asked for, in the same order."""

    breakpoints: list[Breakpoint]


class ExceptionFilterOptions(WireModel):
    """A filter with a condition."""

    filter_id: str
    condition: Annotated[str | None, NEEDED] = None
    mode: str | None = None


class ExceptionPathSegment(WireModel):
    """Names of exception types; `negate` stands for all but these."""

    negate: Annotated[bool | None, NEEDED] = None
    names: list[str]


class ExceptionOptions(WireModel):
    """When to break for a part of the tree of exceptions."""

    path: Annotated[list[ExceptionPathSegment] | None, NEEDED] = None
    break_mode: ExceptionBreakMode


class SetExceptionBreakpointsArguments(WireModel):
    """All exception breakpoints; `filters` and `filter_options` add up. No `filters` are none of them."""

    filters: Annotated[list[str], NEEDED] = Field(default_factory=list)
    filter_options: Annotated[list[ExceptionFilterOptions] | None, NEEDED] = None
    exception_options: Annotated[list[ExceptionOptions] | None, NEEDED] = None


class SetExceptionBreakpointsResponseBody(WireModel):
    """One breakpoint for each of filters, filter options and exception options, in this order."""

    breakpoints: list[Breakpoint] | None = None


class BreakpointLocationsArguments(WireModel):
    """A range of a source, in the client's base; without `end_line` the one line."""

    source: Source
    line: int
    column: Annotated[int | None, NEEDED] = None
    end_line: Annotated[int | None, NEEDED] = None
    end_column: Annotated[int | None, NEEDED] = None


class BreakpointLocation(WireModel):
    """A place where a breakpoint can stand, in the client's base."""

    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class BreakpointLocationsResponseBody(WireModel):
    """The places in the range, sorted."""

    breakpoints: list[BreakpointLocation]


class BreakpointEventBody(WireModel):
    """A breakpoint changed, came or went without the client asking."""

    reason: Literal["changed", "new", "removed"]
    breakpoint: Breakpoint
