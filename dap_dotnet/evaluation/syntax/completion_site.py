"""What stands before the cursor in an unfinished expression: a name that has begun, and what it is a member of."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.evaluation.syntax.scanner import SyntaxFault, tokens

_Token = tuple[str, str, int]
_OPENING = {")": "(", "]": "["}
_NOT_VALUES = frozenset({"is", "as", "in", "and", "or", "not", "return", "new", "await", "switch", "when", "with"})


class LambdaParameter(Struct, frozen=True):
    """A lambda's parameter in force at the cursor, and the sequence that its method is called on."""

    name: str
    source: str


class CompletionSite(Struct, frozen=True):
    """`prefix` begins at the character `start`; `target` is the expression before its dot, None for a simple name."""

    prefix: str
    start: int
    target: str | None
    parameters: tuple[LambdaParameter, ...] = ()


def completion_site(text: str, cursor: int) -> CompletionSite | None:
    """The site at a cursor, which counts characters; None in strings and numbers, where nothing is to come."""
    before = text[:cursor]
    try:
        found = [token for token in tokens(before) if token[0] != "space"]
    except SyntaxFault:
        return None  # in a string
    if found and found[-1][0] == "interpolated":
        return None
    if found and found[-1][0] in ("char", "string") and found[-1][2] + len(found[-1][1]) == cursor:
        return None
    prefix, start = "", cursor
    if found and found[-1][0] == "word" and found[-1][2] + len(found[-1][1]) == cursor:
        _, prefix, start = found.pop()
        if prefix[0].isdigit():
            return None
    parameters = _parameters(before, found)
    if not found or found[-1][1] != ".":
        return CompletionSite(prefix, start, None, parameters)
    dot = len(found) - 1
    end = dot - 1 if dot and found[dot - 1][1] == "?" else dot
    first = _begin_of_primary(found, end)
    if first is None:
        return None
    target = before[found[first][2] : found[end][2]]
    return CompletionSite(prefix, start, target, parameters)


def _begin_of_primary(found: list[_Token], end: int) -> int | None:
    """The token with which the primary expression before number `end` begins; None where there is none."""
    at = end
    while True:
        at -= 1
        while at >= 0 and found[at][1] == "!":
            at -= 1
        if at < 0:
            return None
        kind, text, _ = found[at]
        if text in _OPENING:
            opening = _matching(found, at)
            if opening is None:
                return None
            at = opening
            before = found[at - 1] if at else None
            if before is not None and (
                (before[0] == "word" and before[1] not in _NOT_VALUES) or before[1] in (")", "]")
            ):
                continue
            if found[at][1] == "[":
                return None
        elif kind not in ("word", "string", "char") or text in _NOT_VALUES:
            return None
        if at and found[at - 1][1] == ".":
            at -= 2 if at > 1 and found[at - 2][1] == "?" else 1
            continue
        if at and found[at - 1][1] == "new":
            return at - 1
        return at


def _matching(found: list[_Token], closing: int) -> int | None:
    wanted, depth = _OPENING[found[closing][1]], 0
    for at in range(closing, -1, -1):
        if found[at][1] == found[closing][1]:
            depth += 1
        elif found[at][1] == wanted:
            depth -= 1
            if not depth:
                return at
    return None


def _parameters(before: str, found: list[_Token]) -> tuple[LambdaParameter, ...]:
    """The lambdas `source.Method(name => …` whose parentheses are open at the end, outermost first."""
    made = []
    open_at: list[int] = []
    for at, (_, text, _) in enumerate(found):
        if text in "([{":
            open_at.append(at)
        elif text in ")]}" and open_at:
            open_at.pop()
    for at in open_at:
        is_lambda = [token[1] for token in found[at + 2 : at + 4]] == ["=", ">"] and found[at + 1][0] == "word"
        is_method = at >= 2 and found[at - 1][0] == "word" and found[at - 2][1] == "."
        first = _begin_of_primary(found, at - 2) if is_lambda and is_method else None
        if first is not None:
            made.append(LambdaParameter(found[at + 1][1], before[found[first][2] : found[at - 2][2]]))
    return tuple(made)
