"""Where in the user's text an error arose, and the errors of its syntax."""

from __future__ import annotations

import re

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax.tree import NOWHERE, Node, Place, parts_of

_AT_NAME = frozenset({
    "CS0117", "CS0121", "CS0122", "CS0305", "CS0307", "CS0308", "CS0310", "CS0311", "CS0312", "CS0314", "CS0315",
    "CS0411", "CS0426", "CS0452", "CS0453", "CS1061", "CS1501", "CS1593", "CS1643", "CS1729", "CS1739", "CS1929",
    "CS1955", "CS7036",
})  # fmt: skip
"""Errors that the compiler tells at the last name of a member access or of what is called, or at a lambda's arrow."""


_AT_ARGUMENTS_NAME = frozenset({"CS1739", "CS1740", "CS1744", "CS1746", "CS8323"})
_NAME_BEFORE = re.compile(r"@?\w+\s*:\s*$")
_NO_LINE_END = re.compile(r"[^\n]")


class SyntaxFault(EvaluationError):
    """A text that is not an expression. `line` and `column` are 1-based, in UTF-16 units as editors count."""

    def __init__(
        self, what: str, text: str, offset: int, *, identifier: str = "CS1525", opened: int | None = None
    ) -> None:
        """`offset` counts characters; `what` says what stands there and what was expected.

        `opened` are those before the bracket that `what` ends with, None when it speaks of none.
        """
        line, column = position(text, offset)
        said = what if opened is None else f"{what} in column {position(text, opened)[1]}"
        super().__init__(
            f"error {identifier}: Syntax error in line {line}, column {column}: {said}", compiler_code=identifier
        )
        self.line, self.column = line, column

    @property
    def told(self) -> str:
        """The message, which has the position."""
        return self.message


def position(text: str, offset: int) -> tuple[int, int]:
    """(line, column), both 1-based, of the character behind `offset` others; columns in UTF-16 units."""
    before = text[:offset]
    start = before.rfind("\n") + 1
    return before.count("\n") + 1, len(before[start:].encode("utf-16-le", "surrogatepass")) // 2 + 1


def blank(text: str) -> str:
    """Spaces as wide as a text, on as many lines: what follows keeps its position behind it."""
    return _NO_LINE_END.sub(lambda match: " " if match.group() < "\U00010000" else "  ", text)


def locate(error: EvaluationError, text: str, tree: Node | None) -> None:
    """Give an error its line and column by the innermost expression of a text that it came through.

    `tree` is what `parser.parse` made of the text; None while it was being made. An error that came through none of
    its nodes, as of a sequence that an earlier text made, has no position then.
    """
    if isinstance(error, SyntaxFault):
        return
    error.line = error.column = None
    known = None if tree is None else {id(part) for part in parts_of(tree) if isinstance(part, Place)}
    for place in error.trail:
        if isinstance(place, Place) and place is not NOWHERE and (known is None or id(place) in known):
            offset = place.name if error.compiler_code in _AT_NAME else place.start
            if error.argument is not None and 0 <= error.argument < len(place.arguments):
                offset = place.arguments[error.argument]
                name = _NAME_BEFORE.search(text, 0, offset) if error.compiler_code in _AT_ARGUMENTS_NAME else None
                offset = name.start() if name is not None else offset
            error.line, error.column = position(text, offset)
            return
