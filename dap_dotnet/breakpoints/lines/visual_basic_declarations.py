"""The declarations of a Visual Basic source, by its keywords."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_dotnet.breakpoints.lines.declarations import Declaration, Position

_MODIFIERS = (
    "Public|Private|Protected|Friend|Shared|Shadows|Overrides|Overridable|NotOverridable|MustOverride|Overloads|Default|"
    "ReadOnly|WriteOnly|Async|Iterator|Partial|Custom|Widening|Narrowing"
)
_MEMBER = re.compile(
    rf"\s*(?:<.*?>\s*)?(?:(?:{_MODIFIERS})\s+)*"
    r"(?:(?P<member>Sub|Function|Operator|Property|Event)\s+\S|(?P<accessor>Get|Set|AddHandler|RemoveHandler|RaiseEvent)\b)",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"'[^\"]*$")
_ATTRIBUTES = re.compile(r"\s*<.*>\s*_?\s*")
_CONTINUED = re.compile(r"(?:[,(]|\s_)\s*$")


class VisualBasicDeclarations:
    """See the module's docstring."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [_COMMENT.sub("", line) for line in lines]

    def start_around(self, position: Position) -> Position | None:
        """See `Declarations.start_around`: the compiler makes a statement of each header."""
        return position

    def around(self, line: int) -> Declaration | None:
        """Only one whose header has the line. See `Declarations.around`."""
        if not 1 <= line <= len(self._lines):
            return None
        first = line
        while first > 1 and _CONTINUED.search(self._lines[first - 2]):
            first -= 1
        following = enumerate(self._lines[first - 1 :], first)
        member = None
        for _, text in following:
            member = _MEMBER.match(text)
            if member is not None or not _ATTRIBUTES.fullmatch(text):
                break
        if member is None:
            return None
        end = re.compile(rf"\s*End\s+{member['member'] or member['accessor']}\b", re.IGNORECASE)
        for number, text in following:
            if end.match(text):
                return Declaration((number + 1, 1))
            other = _MEMBER.match(text)
            if other is not None and other["member"]:
                return None  # it has no body
        return None
