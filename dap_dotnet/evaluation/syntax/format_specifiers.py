"""Format specifiers behind an expression: `value,h`. See the debugger documentation of the C# extension."""

from __future__ import annotations

import re

from msgspec import Struct

from dap_dotnet.evaluation.syntax.lexer import CLOSING, MAX_LENGTH, OPENING, tokens
from dap_dotnet.evaluation.syntax.positions import SyntaxFault

_KNOWN = frozenset({
    "h", "x", "X", "H", "d", "b", "nq", "raw", "ac", "nse", "results", "dynamic", "hidden", "private", "s", "sb",
    "makeid",
})  # fmt: skip
SPECIFIERS = tuple(sorted(_KNOWN))
"""Those that are words."""
_COUNT = re.compile(r"\[\s*(\d{1,9})\s*\]")


class FormatSpecifiers(Struct, frozen=True):
    """What the specifiers behind the comma ask for. Log messages follow `hexadecimal` alone."""

    hexadecimal: bool | None = None
    """True for `h`, False for `d`, None to show numbers as the client wants them."""
    binary: bool = False
    no_quotes: bool = False
    raw: bool = False
    """Fields only: no proxies, no display attributes."""
    hidden: bool = False
    """All members, also those that attributes hide."""
    dynamic_view: bool = False
    """Only the dynamic members of a dynamic object."""
    always_evaluate: bool = False
    no_side_effects: bool = False
    """No call into the program for this expression."""
    results_view: bool = False
    """What a sequence gives, as an array."""
    makes_id: bool = False
    """The object gets a number by which it can be named: `$1`."""
    count: int | None = None
    """Only so many elements."""
    names: tuple[str, ...] = ()


def split_format(expression: str) -> tuple[str, FormatSpecifiers]:
    """The expression without its specifiers, and the specifiers. Text behind the last comma that is none stays."""
    if len(expression) > MAX_LENGTH:
        return expression, FormatSpecifiers()
    names: list[str] = []
    rest = expression
    while True:
        head, name = _last(rest)
        if name is None:
            break
        names.insert(0, name)
        rest = head
    return rest, FormatSpecifiers(
        hexadecimal=True if set(names) & {"h", "x", "X", "H"} else False if "d" in names else None,
        binary="b" in names,
        no_quotes="nq" in names or "sb" in names,
        raw="raw" in names,
        hidden="hidden" in names,
        dynamic_view="dynamic" in names,
        always_evaluate="ac" in names,
        no_side_effects="nse" in names,
        results_view="results" in names,
        makes_id="makeid" in names,
        count=next((int(match.group(1)) for name in names if (match := _COUNT.fullmatch(name))), None),
        names=tuple(names),
    )


def _last(expression: str) -> tuple[str, str | None]:
    head, comma, tail = expression.rpartition(",")
    name = tail.strip()
    if not comma or (name not in _KNOWN and not _COUNT.fullmatch(name)) or not head.strip():
        return expression, None
    depth = 0
    last_comma = -1
    try:
        for token in tokens(expression):
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text == "," and depth == 0:
                last_comma = token.start
    except SyntaxFault:
        return expression, None
    return (head, name) if last_comma == len(head) else (expression, None)
