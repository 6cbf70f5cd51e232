"""Where the variables of a frame stand in the source, a request of our own."""

from __future__ import annotations

from dap_dotnet.protocol.messages.base import WireModel


class VariableRangesArguments(WireModel):
    """Of `dap-dotnet/variableRanges`: the frame."""

    frame_id: int


class SourceRange(WireModel):
    """A part of a source, in the client's base; the end column is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class VariableRanges(WireModel):
    """A parameter or local of the frame, by its name in the first scope, and where that name means it."""

    name: str
    ranges: list[SourceRange]


class VariableRangesResponseBody(WireModel):
    """The variables that the frame's source file has at its place; constants are left out."""

    variables: list[VariableRanges]
