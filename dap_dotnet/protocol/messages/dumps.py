"""Saving core dumps: a request and an event of our own."""

from typing import Annotated, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel

DumpType = Literal["mini", "triage", "heap", "full"]


class SaveDumpArguments(WireModel):
    """A dump of the program as it is now. Afterwards it goes on, or stands, as before."""

    path: Annotated[str | None, NEEDED] = None
    """The file, absolute, which must not exist yet, or a folder. By default a file in `dumps.folder`."""
    dump_type: Annotated[DumpType | None, NEEDED] = None
    """`heap` has all objects, `full` the libraries as well; `mini` stacks, numbers and the exception, `triage` the same
    without what may be private. By default `dumps.dumpType`."""


class DumpBody(WireModel):
    """A dump that is complete: the body of the response, and of the event `dap-dotnet/dumpSaved` for an exception's."""

    path: str
    dump_type: DumpType
    bytes: int
    seconds: float
    exception: str | None = None
    """Of the event: the exception, with its message."""
