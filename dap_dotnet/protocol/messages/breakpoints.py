"""Source, function, data and exception breakpoints, breakpoint locations, and information on an exception."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import Field, model_serializer

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


class DataBreakpointInfoArguments(WireModel):
    """What may be watched: a child of a container, or an expression or the name of a field."""

    name: str
    variables_reference: Annotated[int | None, NEEDED] = None
    frame_id: Annotated[int | None, NEEDED] = None
    bytes: Annotated[int | None, NEEDED] = None
    as_address: Annotated[bool | None, NEEDED] = None
    mode: str | None = None


class DataBreakpointInfoResponseBody(WireModel):
    """`data_id` stands for the field in `setDataBreakpoints`; None: it cannot be watched."""

    data_id: str | None
    description: str
    access_types: list[Literal["read", "write", "readWrite"]] | None = None
    can_persist: bool | None = None

    @model_serializer(mode="wrap")
    def _with_null(self, serialize: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """The protocol's one member that must be present even when it is null."""
        return {"dataId": None, **serialize(self)}


class DataBreakpoint(WireModel):
    """A data breakpoint that the client wants. DAP has the last two for source breakpoints only."""

    data_id: str
    access_type: Annotated[Literal["read", "write", "readWrite"] | None, NEEDED] = None
    condition: Annotated[str | None, NEEDED] = None
    hit_condition: Annotated[str | None, NEEDED] = None
    log_message: Annotated[str | None, NEEDED] = None
    mode: str | None = None


class SetDataBreakpointsArguments(WireModel):
    """All data breakpoints."""

    breakpoints: list[DataBreakpoint]


class SetDataBreakpointsResponseBody(WireModel):
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


class ExplainBreakpointArguments(WireModel):
    """Of `dap-dotnet/explainBreakpoint`: one of `breakpoint_id`, `source` with `line`, `function` or `field`."""

    breakpoint_id: Annotated[int | None, NEEDED] = None
    source: Annotated[Source | None, NEEDED] = None
    line: Annotated[int | None, NEEDED] = None
    column: Annotated[int | None, NEEDED] = None
    function: Annotated[str | None, NEEDED] = None
    field: Annotated[str | None, NEEDED] = None
    """The name of a field or a `dataId`."""


class ExplainedModule(WireModel):
    """What a breakpoint found in one module. `finding` says it in words."""

    name: str
    path: str | None = None
    has_symbols: bool
    is_optimized: bool
    is_user_code: bool
    document: str | None = None
    """The document of the PDB that matched, or nearly did."""
    finding: str


class ConditionResults(WireModel):
    """What a breakpoint's condition came to since it was set."""

    tested: int
    held: int
    failed: int
    first_failure: str | None = None


class ExplainBreakpointResponseBody(WireModel):
    """Why a breakpoint is or is not hit. `text` is the whole explanation, for people."""

    text: str
    state: Literal["bound", "pending", "unbound", "disabled", "none"]
    """`none`: there is no such breakpoint, and the text says what would become of one."""
    code: str | None = None
    breakpoint_id: int | None = None
    hit_count: int | None = None
    condition: ConditionResults | None = None
    modules: list[ExplainedModule]
    """Those with something to say; `modules_looked_at` counts all."""
    modules_looked_at: int


class BreakpointEventBody(WireModel):
    """A breakpoint changed, came or went without the client asking."""

    reason: Literal["changed", "new", "removed"]
    breakpoint: Breakpoint


class ExceptionInfoArguments(WireModel):
    """The thread that stopped for an exception."""

    thread_id: int


class ExceptionDetails(WireModel):
    """An exception and its inner ones."""

    message: str | None = None
    type_name: str | None = None
    full_type_name: str | None = None
    evaluate_name: str | None = None
    stack_trace: str | None = None
    inner_exception: "list[ExceptionDetails] | None" = None


class ExceptionInfoResponseBody(WireModel):
    """The exception that the thread stopped for."""

    exception_id: str
    description: str | None = None
    break_mode: ExceptionBreakMode
    details: ExceptionDetails | None = None


class EnableBreakpointsArguments(WireModel):
    """Arguments of ``dap-dotnet/enableBreakpoints``; it is answered as setBreakpoints is, in the order of the ids."""

    breakpoint_ids: list[int]
    enabled: bool


class ListBreakpointsArguments(WireModel):
    """Arguments of ``dap-dotnet/breakpoints``: those with these ids; None stands for all."""

    breakpoint_ids: Annotated[list[int] | None, NEEDED] = None


class ListedLocation(WireModel):
    """Where the runtime has a breakpoint. Lines and columns are in the client's base, absent without symbols."""

    module: str
    """The module's name; `module_id` is that of the `module` event."""
    module_id: int
    method_token: str
    """Hexadecimal, as in ECMA-335: 0x06 and the row of the method."""
    il_offset: int
    source: Source | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


class ListedBreakpoint(WireModel):
    """A breakpoint with all that is known of it, and its place as it was asked for."""

    id: int
    kind: Literal["source", "function", "data", "instruction", "exception"]
    state: Literal["pending", "bound", "unbound", "disabled"]
    source: Source | None = None
    line: int | None = None
    column: int | None = None
    function: str | None = None
    field: str | None = None
    """The field that is watched, and `data_id` for clients."""
    data_id: str | None = None
    instruction_reference: str | None = None
    filters: list[str] | None = None
    """The exception filters that it stands for."""
    locations: list[ListedLocation]
    condition: str | None = None
    hit_condition: str | None = None
    log_message: str | None = None
    after: int | None = None
    """The id of the breakpoint that has to act before."""
    is_armed: bool | None = None
    """Whether the one in `after` has acted; absent without it."""
    hit_count: int | None = None
    """Hits for which the condition held; absent for exceptions, which are not counted."""
    message: str | None = None
    """Why it is not bound, how its place differs from what was asked, or why its condition failed."""
    code: str | None = None
    """The code of what `message` says, such as INVALID_LINE."""


class ListBreakpointsResponseBody(WireModel):
    """All breakpoints, by id."""

    breakpoints: list[ListedBreakpoint]
