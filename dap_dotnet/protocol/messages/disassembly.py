"""Instructions, and the breakpoints that stand on them."""

from typing import Annotated, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
from dap_dotnet.protocol.messages.breakpoints import Breakpoint
from dap_dotnet.protocol.messages.sources import Source


class DisassembleArguments(WireModel):
    """So many instructions, beginning `instruction_offset` instructions behind `offset` bytes behind the reference."""

    memory_reference: str
    offset: Annotated[int | None, NEEDED] = None
    instruction_offset: Annotated[int | None, NEEDED] = None
    instruction_count: int
    resolve_symbols: bool | None = None


class DisassembledInstruction(WireModel):
    """An instruction; `invalid` where there is none. Line and column are in the client's base.

    `location` is left out where it is that of the instruction before.
    """

    address: str
    instruction_bytes: str | None = None
    instruction: str
    symbol: str | None = None
    location: Source | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    presentation_hint: Literal["normal", "invalid"] | None = None


class DisassembleResponseBody(WireModel):
    """Exactly as many instructions as were asked for."""

    instructions: list[DisassembledInstruction]


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
