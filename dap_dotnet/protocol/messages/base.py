"""The envelope of every DAP message, and what all models share.

The modules of this package do without `from __future__ import annotations`: pydantic would compile each annotation
from its text, 0.1 ms a member, while the client waits for `initialize`.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict

from dap_dotnet.protocol.wire_names import wire_name


@dataclass(frozen=True, slots=True)
class Needed:
    """Marks an optional member that has to be understood when it is there: see `dap_dotnet.protocol.reading.read`."""

    unless: str = ""
    """The wire name of the member beside which this one does not count."""


NEEDED = Needed()
"""The mark, without an exception."""


class WireModel(BaseModel):
    """Base of all models.

    Unknown members are ignored, and None stands for a member that is absent: clients send null where the schema says
    "optional". Validators are built on first use.
    """

    model_config = ConfigDict(alias_generator=wire_name, populate_by_name=True, extra="ignore", defer_build=True)

    def to_wire(self) -> dict[str, Any]:
        """The JSON object with wire names, without the members that are None."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Request(WireModel):
    """A request in either direction."""

    seq: int
    type: Annotated[Literal["request"], NEEDED] = "request"
    command: str
    arguments: Any = None


class Response(WireModel):
    """An answer in either direction. `body` of a failed one is an `ErrorResponseBody`."""

    seq: int = 0
    """Nothing depends on that of a client's response."""
    type: Literal["response"] = "response"
    request_seq: int
    success: bool
    command: str
    message: str | None = None
    body: Any = None


class Event(WireModel):
    """An event, adapter to client."""

    seq: int
    type: Literal["event"] = "event"
    event: str
    body: Any = None


NOT_STOPPED = "notStopped"
"""`Response.message` of a request that needs a stopped program."""
CANCELLED = "cancelled"
"""`Response.message` of a request that the client has cancelled."""


class Message(WireModel):
    """The structured error of a failed response. `format` is the text to show."""

    id: int
    format: str
    variables: dict[str, str] | None = None
    show_user: bool | None = None


class ErrorResponseBody(WireModel):
    """Body of every failed response."""

    error: Message | None = None
