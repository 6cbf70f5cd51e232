"""All breakpoints with what is known of them, and switching them on and off."""

from typing import Annotated, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.sources import Source


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
