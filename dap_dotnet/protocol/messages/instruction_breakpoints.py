"""Breakpoints that stand on instructions."""

from typing import Annotated

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.breakpoints import Breakpoint


class InstructionBreakpoint(WireModel):
    """A breakpoint `offset` bytes behind the reference. DAP has the last two for source breakpoints only."""

    instruction_reference: str
    offset: Annotated[int | None, NEEDED] = None
    condition: Annotated[str | None, NEEDED] = None
    hit_condition: Annotated[str | None, NEEDED] = None
    log_message: Annotated[str | None, NEEDED] = None
    mode: str | None = None


class SetInstructionBreakpointsArguments(WireModel):
    """All instruction breakpoints."""

    breakpoints: list[InstructionBreakpoint]


class SetInstructionBreakpointsResponseBody(WireModel):
    """One breakpoint for each that was asked for, in the same order."""

    breakpoints: list[Breakpoint]
