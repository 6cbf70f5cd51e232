"""Which declaration the source has around a line: a PDB does not say where headers are, nor what is between statements.

Asked only about lines on which no statement starts.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

Position = tuple[int, int]
"""Line and column, 1-based; columns count UTF-16 units."""


class Declaration(NamedTuple):
    """A function, property, event or type, by what of it comes after a line: the first place there is meant."""

    end: Position
    """Exclusive."""
    nested: tuple[tuple[Position, Position], ...] = ()
    """Where local functions stand in it, whose statements are not its own; ends are exclusive."""
    is_type: bool = False
    """Whether it is the header of a type, whose constructor is meant, rather than what its parameters declare."""


class Declarations(Protocol):
    """The declarations of one source."""

    def around(self, line: int) -> Declaration | None:
        """The innermost one with a line (1-based), or that of a local function which follows a line without code."""

    def start_around(self, position: Position) -> Position | None:
        """Where the innermost function around a position begins, header included; None where that is not known."""
