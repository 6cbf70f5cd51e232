"""Instructions."""

from typing import Annotated, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel
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
