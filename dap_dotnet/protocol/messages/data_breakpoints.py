"""Data breakpoints: which fields can be watched, and those that are."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import model_serializer

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.breakpoints import Breakpoint


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
