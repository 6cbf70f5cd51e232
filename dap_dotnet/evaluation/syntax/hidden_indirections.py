"""`*(p + 1)` and `*(T*)p` for the grammar, which knows `*` before names, members and elements only."""

from __future__ import annotations

import re

from dap_dotnet.evaluation.syntax.scanner import tokens

HIDING = "~"
"""Stands for such a `*`: an operator that the grammar takes before whatever C# takes a `*` before."""
_KEYWORD_OF_TYPE = re.compile(r"bool|char|decimal|double|float|object|string|s?byte|u?(int|long|short)|nu?int")
Token = tuple[str, str, int]


def with_indirections_hidden(text: str) -> str:
    """The text with `HIDING` for each `*` before parentheses, so that all positions stay."""
    found, hidden = list(tokens(text)), list(text)
    for number, (_, token, at) in enumerate(found):
        if token == "*" and _is_prefix(found[:number]) and _is_before_parenthesis(found[number:]):
            hidden[at] = HIDING
    return "".join(hidden)


def _is_prefix(before: list[Token]) -> bool:
    """Whether an operator behind these tokens has no left side."""
    while before and before[-1][1] == "!":
        before = before[:-1]
    if not before:
        return True
    kind, token, _ = before[-1]
    if token == ")":  # of a cast
        inner = [text for _, text, _ in before[-3:-1]]
        return inner[-1:] == ["*"] or (inner[:1] == ["("] and _KEYWORD_OF_TYPE.fullmatch(inner[-1]) is not None)
    return kind == "symbol" and token not in "]}"


def _is_before_parenthesis(following: list[Token]) -> bool:
    """Whether behind one `*` or more there are parentheses: around a pointer, or the pointer type of a cast."""
    return next((text for _, text, _ in following if text != "*"), "") == "("
