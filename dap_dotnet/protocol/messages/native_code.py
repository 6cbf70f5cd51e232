"""Native code: a request of our own."""

from dap_dotnet.protocol.messages.base import WireModel
from dap_dotnet.protocol.messages.disassembly import DisassembledInstruction


class NativeCodeArguments(WireModel):
    """A frame; without `frame_id` the top one of the thread that stopped."""

    frame_id: int | None = None


class NativeCodeResponseBody(WireModel):
    """The instructions that the frame's method was compiled to, in the order of its code.

    `current` is the number of the one that the frame executes next or returns to, from 0. `note` says why there are
    bytes in the place of instructions.
    """

    instructions: list[DisassembledInstruction]
    current: int | None = None
    note: str | None = None
