"""Memory of the program."""

from typing import Annotated

from dap_dotnet.protocol.messages.base import NEEDED, WireModel


class ReadMemoryArguments(WireModel):
    """`count` bytes, `offset` bytes behind what the reference means."""

    memory_reference: str
    offset: Annotated[int | None, NEEDED] = None
    count: int


class ReadMemoryResponseBody(WireModel):
    """The bytes in base64, and where they begin. `unreadable_bytes` follow what could be read."""

    address: str
    unreadable_bytes: int | None = None
    data: str | None = None


class WriteMemoryArguments(WireModel):
    """Bytes in base64 to put there."""

    memory_reference: str
    offset: Annotated[int | None, NEEDED] = None
    allow_partial: bool | None = None
    data: str


class WriteMemoryResponseBody(WireModel):
    """Where the first byte went, relative to the place asked for, and how many were written."""

    offset: int | None = None
    bytes_written: int | None = None
