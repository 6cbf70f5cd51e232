"""The declarations of an F# source, by its keywords and indentation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_dotnet.breakpoints.lines.declarations import Declaration, Position

_COMMENT = re.compile(r"//.*|\(\*(?!\)).*?\*\)")
_ATTRIBUTES = re.compile(r"\s*(?:\[<.*?>\]\s*)+")
_HEADER = re.compile(
    r"(?:static\s+)?(?:let|and|member|override|default|new|fun|(?P<type>type)|with\s+(?:inline\s+)?[gs]et)\b"
)


class FSharpDeclarations:
    """See the module's docstring."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [_COMMENT.sub("", line).expandtabs().rstrip() for line in lines]

    def around(self, line: int) -> Declaration | None:
        """Only one whose header has the line. See `Declarations.around`."""
        if not 1 <= line <= len(self._lines) or not self._lines[line - 1]:
            return None
        header_line = self._header_line(line)
        header = _header(self._lines[header_line - 1]) if header_line is not None else None
        if header_line is None or header is None:
            return None
        indent = _indent(self._lines[header_line - 1])
        end = next(
            (
                number
                for number, text in enumerate(self._lines[max(header_line, line) :], max(header_line, line) + 1)
                if text and _indent(text) <= indent
            ),
            len(self._lines) + 1,
        )
        return Declaration((end, 1), is_type=header["type"] is not None)

    def start_around(self, position: Position) -> Position | None:
        """See `Declarations.start_around`; `position` is that of a statement."""
        line, column = position
        if not 1 <= line <= len(self._lines):
            return None
        text = self._lines[line - 1]
        if _indent(text) < column - 1 and _header(text):
            return line, 1
        above = next((n for n in range(line - 1, 0, -1) if 0 <= _indent(self._lines[n - 1]) < _indent(text)), None)
        return (above, 1) if above is not None and _header(self._lines[above - 1]) else None

    def _header_line(self, line: int) -> int | None:
        """The line on which the header begins that a line is part of: with its attributes, its parameters."""
        text = self._lines[line - 1]
        if _ATTRIBUTES.fullmatch(text):
            return next((n for n in range(line + 1, len(self._lines) + 1) if _header(self._lines[n - 1])), None)
        if _header(text):
            return line
        above = next((n for n in range(line - 1, 0, -1) if 0 <= _indent(self._lines[n - 1]) < _indent(text)), None)
        if above is None or not _header(self._lines[above - 1]):
            return None
        is_over = any(before.endswith("=") for before in self._lines[above - 1 : line - 1])
        return None if is_over else above


def _header(text: str) -> re.Match[str] | None:
    attributes = _ATTRIBUTES.match(text)
    return _HEADER.match(text, attributes.end() if attributes else max(_indent(text), 0))


def _indent(text: str) -> int:
    """-1 for a line without text."""
    return len(text) - len(text.lstrip()) if text else -1
