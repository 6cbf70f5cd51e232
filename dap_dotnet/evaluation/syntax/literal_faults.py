"""What is wrong with a literal's text (C# specification 6.4.5), before the parser has to make something of it."""

from __future__ import annotations

import re
from typing import NamedTuple

_ESCAPE = re.compile(
    r"""\\(?:['"\\0abefnrtv]|x[0-9a-fA-F]{1,4}|u[0-9a-fA-F]{4}|U(?:000[0-9a-fA-F]|0010)[0-9a-fA-F]{4}|(?P<wrong>))"""
)
_CHAR = re.compile(r"'((?:[^'\\\n]|\\.)*)'")
_ONE_ESCAPED = re.compile(r"'\\(?:[xuU][0-9a-fA-F]+|.)'")
_TOO_MANY = "the char literal has too many characters"
_NUMBER = re.compile(
    r"""
    0[xX](?P<hexadecimal>[0-9a-fA-F_]*)
  | 0[bB](?P<binary>[01_]*)
  | (?P<decimal>\d[\d_]*)(?:\.(?P<fraction>\d[\d_]*))?(?:[eE][+-]?(?P<exponent>[\d_]*))?
    """,
    re.VERBOSE,
)


class LiteralFault(NamedTuple):
    """The compiler's code, where in the text, and what is wrong there."""

    identifier: str
    offset: int
    what: str


def escape_fault(literal: str, start: int) -> LiteralFault | None:
    """Of a regular string or char that begins at `start`: CS1009, and CS1012."""
    for match in _ESCAPE.finditer(literal):
        if match["wrong"] is not None:
            return LiteralFault("CS1009", start + match.start(), f"'{literal[match.start() :][:2]}' begins no escape")
    if literal.startswith("'\\") and _ONE_ESCAPED.fullmatch(literal) is None:
        return LiteralFault("CS1012", start, _TOO_MANY)
    return None


def char_fault(text: str, start: int) -> LiteralFault:
    """Of a quote that begins no char: CS1010, CS1011, CS1012, or CS1009 in one that has too many."""
    match = _CHAR.match(text, start)
    if match is None:
        return LiteralFault("CS1010", start, "the char literal is not closed; expected '''")
    if not match[1]:
        return LiteralFault("CS1011", start, "the char literal is empty")
    return escape_fault(match[0], start) or LiteralFault("CS1012", start, _TOO_MANY)


def number_fault(text: str, start: int) -> tuple[int, LiteralFault | None]:
    """Where the number ends that begins at `start`, and what is wrong with it: CS1013, CS0595."""
    match = _NUMBER.match(text, start)
    if match is None:
        return start, None
    if match["exponent"] == "":
        return match.end(), LiteralFault("CS0595", start, f"the exponent of '{match[0][:40]}' has no digits")
    digits = match["hexadecimal"] if match["hexadecimal"] is not None else match["binary"]
    if digits == "":
        return match.end(), LiteralFault("CS1013", start, f"the number '{match[0][:40]}' has no digits")
    if any(part.endswith("_") for part in match.groups() if part):
        return match.end(), LiteralFault("CS1013", start, f"a number does not end with '_': '{match[0][:40]}'")
    return match.end(), None
