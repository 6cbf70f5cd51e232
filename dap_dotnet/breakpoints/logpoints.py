"""Log messages of breakpoints: text with `{expression}` parts and `$NAME`s. Pure parsing."""

from __future__ import annotations

import re

from msgspec import Struct

from dap_dotnet.errors import UserError

_NAMES = ("FUNCTION", "TID", "TNAME", "CALLER", "CALLSTACK", "HITCOUNT")
_NAME = re.compile(rf"\$({'|'.join(sorted(_NAMES, key=len, reverse=True))})\b")
_OPENERS, _CLOSERS = "([{", ")]}"


class Text(Struct, frozen=True):
    """Literal text."""

    text: str


class Expression(Struct, frozen=True):
    """`{expression}`, with its format specifier still at its end."""

    expression: str


class Name(Struct, frozen=True):
    """`$NAME`: FUNCTION, TID, TNAME, CALLER, CALLSTACK or HITCOUNT."""

    name: str


Part = Text | Expression | Name


def parse_log_message(message: str) -> tuple[Part, ...]:
    """Split a log message into its parts; `{{` and `}}` stand for the braces themselves.

    Raises `UserError` with the code INVALID_CONDITION for a brace without its partner and for an empty expression.
    """
    parts: list[Part] = []
    text = ""
    position = 0
    while position < len(message):
        pair = message[position : position + 2]
        if pair in ("{{", "}}"):
            text += pair[0]
            position += 2
        elif message[position] == "{":
            end = _end_of_expression(message, position)
            expression = message[position + 1 : end].strip()
            if not expression:
                raise _error(message, position, "there is no expression between the braces")
            parts += _with_names(text)
            parts.append(Expression(expression))
            text = ""
            position = end + 1
        elif message[position] == "}":
            raise _error(message, position, "'}' has no '{' before it; write '}}' for a literal brace")
        else:
            text += message[position]
            position += 1
    return (*parts, *_with_names(text))


def _with_names(text: str) -> list[Part]:
    parts: list[Part] = []
    start = 0
    for match in _NAME.finditer(text):
        if match.start() > start:
            parts.append(Text(text[start : match.start()]))
        parts.append(Name(match.group(1)))
        start = match.end()
    if start < len(text):
        parts.append(Text(text[start:]))
    return parts


def _end_of_expression(message: str, start: int) -> int:
    """The position of the brace that closes the one at `start`: brackets and quotes in between are skipped."""
    depth = 0
    position = start
    while position < len(message):
        character = message[position]
        if character in "\"'":
            position = _end_of_literal(message, position)
        elif character in _OPENERS:
            depth += 1
        elif character in _CLOSERS:
            depth -= 1
            if depth == 0:
                return position
        position += 1
    raise _error(message, start, "'{' is not closed; write '{{' for a literal brace")


def _end_of_literal(message: str, start: int) -> int:
    """The position of the quote that ends a string or character literal; the last position when none does."""
    position = start + 1
    while position < len(message) and message[position] != message[start]:
        position += 2 if message[position] == "\\" else 1
    return min(position, len(message) - 1)


def _error(message: str, position: int, what: str) -> UserError:
    return UserError(f"The log message has an error at column {position + 1}: {what}.", code="INVALID_CONDITION")
