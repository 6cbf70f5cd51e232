"""Interpolated strings that end too early, as they do while somebody types: which code is being written in them."""

from __future__ import annotations

from dap_dotnet.evaluation.syntax.scanner import SyntaxFault, tokens

_MOST_NESTED = 20


def code_start(text: str, opening: int, depth: int = 0) -> int | None:
    """Where the code begins that the end of the text belongs to: in the innermost open hole, or behind the string.

    `opening` is where an interpolated string begins. None: the end is in the string's own text, or in its format.
    """
    if depth > _MOST_NESTED:
        return None
    at = opening
    while text[at] in "$@":
        at += 1
    dollars, is_verbatim = text.count("$", opening, at), "@" in text[opening:at]
    quotes = len(text) - at - len(text[at:].lstrip('"'))
    is_raw = quotes > 2
    at += quotes if is_raw else 1
    end, braces = '"' * (quotes if is_raw else 1), dollars if is_raw else 1
    while at < len(text):
        if text.startswith(end, at):
            if is_verbatim and text.startswith('""', at):
                at += 2
                continue
            return at + len(end)
        if (text[at] == "\\" and not (is_verbatim or is_raw)) or (not is_raw and text.startswith(("{{", "}}"), at)):
            at += 2
        elif text.startswith("{" * braces, at):
            found = _hole(text, at + braces, depth)
            if found < 0:
                return ~found
            at = found
        else:
            at += 1
    return None


def _hole(text: str, start: int, nested: int) -> int:
    """Where the text goes on behind the hole that begins at `start`; ~(start of the code) where the hole is open."""
    depth = 0
    try:
        for kind, token, offset in tokens(text[start:]):
            if kind == "interpolated":
                inner = code_start(text, start + offset, nested + 1)
                return ~inner if inner is not None else len(text)
            if token in ("(", "[", "{"):
                depth += 1
            elif token in (")", "]", "}"):
                depth -= 1
            if depth < 0:
                return start + offset + 1
            if not depth and token == ":":
                closing = text.find("}", start + offset)
                return closing + 1 if closing >= 0 else len(text)
    except SyntaxFault:
        return len(text)  # in a string inside of the hole
    return ~start
