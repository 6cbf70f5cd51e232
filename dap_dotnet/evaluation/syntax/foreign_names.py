"""Names of F# that C# does not have: `x'`, ``` ``two words`` ```; and `async`, which the grammar takes for a keyword.

The grammar is given a word of as many characters for each.
"""

from __future__ import annotations

import re
from itertools import islice

from dap_dotnet.evaluation.syntax.scanner import SyntaxFault, tokens

_FIRST = 0xA000
"""Letters of the Yi script, one for each character of ASCII."""
_HIDE = {code: _FIRST + code for code in range(128)}
_SHOW = {_FIRST + code: code for code in range(128)}
_QUOTES = "``"
_QUOTED = re.compile(r"``([^`\n]+)``")
_PRIMED = re.compile(r"(?:'\w*)+")
_MOST_PARAMETERS = 200
"""Tokens in which those of a lambda end."""
_BEFORE_CHARS = frozenset(["and", "as", "await", "case", "in", "is", "not", "or", "return", "throw", "when", "yield"])
"""Words that a char may follow without a space."""


def with_foreign_names_hidden(text: str) -> str:
    """The text with a word for each such name before a first interpolated string; all positions stay."""
    if "'" not in text and "`" not in text and "async" not in text:
        return text
    parts, start = list[str](), 0
    try:
        while (found := _first(text[start:])) is not None:
            begin, end = start + found[0], start + found[1]
            parts += [text[start:begin], text[begin:end].translate(_HIDE)]
            start = end
    except SyntaxFault:
        pass  # of a string that is not closed: the scanner says it
    return "".join((*parts, text[start:]))


def _first(text: str) -> tuple[int, int] | None:
    """(start, end) of the first such name."""
    for kind, token, at in tokens(text):
        end = at + len(token)
        if kind == "interpolated":
            return None
        if kind == "symbol" and token == "`" and (quoted := _QUOTED.match(text, at)) is not None:
            return at, quoted.end()
        if kind != "word" or token[0].isdecimal():
            continue
        may_be_primed = token not in _BEFORE_CHARS and text[max(at - 1, 0)] != "'"  # in `'bc'` it ends a literal
        primed = _PRIMED.match(text, end) if may_be_primed else None
        if primed is not None:
            return at, primed.end()
        if token == "async" and not _is_of_lambda([one for _, one, _ in islice(tokens(text[end:]), _MOST_PARAMETERS)]):
            return at, end
    return None


def _is_of_lambda(following: list[str]) -> bool:
    """Whether `async` before these tokens begins a lambda."""
    if following[:1] != ["("]:
        return bool(following) and (following[0].isidentifier() or following[0].startswith("@"))
    depth = 0
    for number, token in enumerate(following):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if not depth:
            return following[number + 1 : number + 3] == ["=", ">"]
    return False


def shown_names(text: str) -> str:
    """A text, or a part of it, as the user has written it."""
    return text.translate(_SHOW)


def name_of(word: str) -> str:
    """The name that a word stands for."""
    name = shown_names(word)
    return name[len(_QUOTES) : -len(_QUOTES)] if name.startswith(_QUOTES) else name
