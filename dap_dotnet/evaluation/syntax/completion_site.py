"""What stands before the cursor in an unfinished expression: a name that has begun, and what it is a member of.

`scopes` says which variables of lambdas and queries are in force there.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, structs

from dap_dotnet.evaluation.syntax.lexer import Token, open_code

_OPENING = {")": "(", "]": "["}
_CONTEXTUAL = frozenset({"and", "or", "not", "when", "await", "with"})
"""Of the words below, those that may be names: before a dot they are."""
_NOT_VALUES = frozenset({"is", "as", "in", "and", "or", "not", "return", "new", "await", "switch", "when", "with"})


class LambdaParameter(Struct, frozen=True):
    """A lambda's parameter in force at the cursor, and the sequence that its method is called on."""

    name: str
    source: str


class Filled(Struct, frozen=True):
    """The braces of an initializer, a `with` or a property pattern: of which type or value, and of which member in it.

    `is_pattern`: members are looked at, not set.
    """

    target: str
    path: tuple[str, ...] = ()
    is_pattern: bool = False


class CompletionSite(Struct, frozen=True):
    """`prefix` begins at the character `start`; `target` is the expression before its dot, None for a simple name."""

    prefix: str
    start: int
    target: str | None
    parameters: tuple[LambdaParameter, ...] = ()
    wants_type: bool = False
    """Whether only a type may stand here: after `new`, `as`, and in `typeof(`."""
    filled: Filled | None = None
    """In braces that name members: whose these are. There may be values, too, where `target` is not None."""
    callee: str | None = None
    """What is called, where the name of an argument may stand; with `new` before it, where an object is created."""
    takes_format: bool = False
    """Whether a format specifier may stand here: behind the comma after the whole expression."""
    is_conditional: bool = False
    """Whether the dot is that of `?.`: behind a nullable value it is of what that holds."""


def completion_site(text: str, cursor: int) -> CompletionSite | None:
    """The site at a cursor, which counts characters; None in strings and numbers, where nothing is to come."""
    before = text[:cursor]
    levels = open_code(before)
    if not levels:
        return None
    *outer, found = levels
    around = [parameter for level in outer for parameter in _parameters(before, level)]
    site = _site(before, found)
    return structs.replace(site, parameters=(*around, *site.parameters)) if site is not None else None


def _site(before: str, found: list[Token]) -> CompletionSite | None:
    """The site at the end of code whose tokens are known."""
    last = found[-1] if found and found[-1].end == len(before) else None
    if last is not None and last.kind in ("char", "string", "number", "interpolated"):
        return None
    prefix, start = "", len(before)
    if last is not None and (last.kind == "word" or last.text == "$"):
        prefix, start, found = last.text, last.start, found[:-1]
    parameters = tuple(_parameters(before, found))
    if not found or found[-1].text != ".":
        return CompletionSite(
            prefix,
            start,
            None,
            parameters,
            _wants_type(found),
            _filled(before, found),
            _callee(before, found),
            takes_format=_takes_format(found),
        )
    dot = len(found) - 1
    end = dot - 1 if dot and found[dot - 1].text == "?" else dot
    first = _begin_of_primary(found, end)
    if first is None:
        return None
    is_name = all(token.kind == "word" or token.text in (".", "<", ">", ",") for token in found[first:end])
    if found[first].text == "new" and is_name:
        first += 1
    wants_type = is_name and _wants_type(found[:first])
    target = before[found[first].start : found[end].start]
    filled = _filled(before, found[:first]) if is_name else None
    if filled is not None:
        names = (token.text for token in found[first:end] if token.kind == "word")
        filled = structs.replace(filled, path=(*filled.path, *names))
    return CompletionSite(prefix, start, target, parameters, wants_type, filled, is_conditional=end < dot)


_TYPE_OPERATORS = frozenset({"typeof", "sizeof", "default"})


def _wants_type(found: list[Token]) -> bool:
    if found and found[-1].text in ("new", "as"):
        return True
    return len(found) > 1 and found[-1].text == "(" and found[-2].text in _TYPE_OPERATORS


def _callee(before: str, found: list[Token]) -> str | None:
    """See `CompletionSite.callee`."""
    if not found or found[-1].text not in ("(", ","):
        return None
    depth, at = 0, len(found) - 1
    while at >= 0 and (depth or found[at].text != "("):
        depth += (found[at].text in (")", "]", "}")) - (found[at].text in ("(", "[", "{"))
        if depth < 0:
            return None
        at -= 1
    name = at
    while name > 0 and found[name - 1].text != "<" and found[at - 1].text == ">":
        name -= 1
    name -= name < at
    first = _begin_of_primary(found, name) if name > 0 and found[name - 1].kind == "word" else None
    return before[found[first].start : found[at].start] if first is not None else None


def _takes_format(found: list[Token]) -> bool:
    """See `CompletionSite.takes_format`."""
    texts = [token.text for token in found]
    is_outside = sum((text in "([{") - (text in ")]}") for text in texts) == 0
    return bool(texts) and texts[-1] == "," and len(texts) > 1 and is_outside and "orderby" not in texts


def _filled(before: str, found: list[Token]) -> Filled | None:
    """See `CompletionSite.filled`."""
    if not found or found[-1].text not in ("{", ","):
        return None
    depth, at = 0, len(found) - 1
    while at >= 0 and (depth or found[at].text != "{"):
        depth += (found[at].text in (")", "]", "}")) - (found[at].text in ("(", "[", "{"))
        if depth < 0:
            return None
        at -= 1
    if at < 1:
        return None
    last = found[at - 1]
    if last.text in ("with", "is"):
        first = _begin_of_primary(found, at - 1)
        return Filled(before[found[first].start : last.start], (), last.text == "is") if first is not None else None
    if last.text in (":", "="):
        return _inside(before, found, at - 1)
    end = at
    if last.text == ")":
        opening = _matching(found, at - 1)
        if opening is None:
            return None
        end = opening
    first = end
    while first and (found[first - 1].text in (".", "<", ">", ",") or found[first - 1].kind == "word"):
        if found[first - 1].text in ("new", "is"):
            text = before[found[first].start : found[end].start]
            return Filled(text, (), found[first - 1].text == "is") if first < end else None
        first -= 1
    return None


def _inside(before: str, found: list[Token], end: int) -> Filled | None:
    """Braces for a member that other braces name: `{ Home: { …`, `{ Home = { …`."""
    first = end
    while first and (found[first - 1].kind == "word" or found[first - 1].text == "."):
        first -= 1
    outer = _filled(before, found[:first]) if first < end else None
    names = tuple(token.text for token in found[first:end] if token.kind == "word")
    return structs.replace(outer, path=(*outer.path, *names)) if outer is not None else None


def _begin_of_primary(found: list[Token], end: int) -> int | None:
    """The token with which the primary expression before number `end` begins; None where there is none."""
    at = end
    while True:
        at -= 1
        while at >= 0 and found[at].text == "!":
            at -= 1
        if at < 0:
            return None
        kind, text = found[at].kind, found[at].text
        if text in _OPENING:
            opening = _matching(found, at)
            if opening is None:
                return None
            at = opening
            before = found[at - 1] if at else None
            if before is not None and (
                (before.kind == "word" and before.text not in _NOT_VALUES) or before.text in (")", "]")
            ):
                continue
            if found[at].text == "[":
                return None
        elif kind not in ("word", "string", "char") or (
            text in _NOT_VALUES and not (text in _CONTEXTUAL and at == end - 1)
        ):
            return None
        if at and found[at - 1].text == ".":
            at -= 2 if at > 1 and found[at - 2].text == "?" else 1
            continue
        if at and found[at - 1].text == "new":
            return at - 1
        return at


def _matching(found: list[Token], closing: int) -> int | None:
    wanted, depth = _OPENING[found[closing].text], 0
    for at in range(closing, -1, -1):
        if found[at].text == found[closing].text:
            depth += 1
        elif found[at].text == wanted:
            depth -= 1
            if not depth:
                return at
    return None


_CLAUSES = frozenset({"where", "select", "orderby", "let", "join", "group", "from", "on"})
_WITH_INDEX = frozenset({"Where", "Select", "SelectMany", "TakeWhile", "SkipWhile"})
_NUMBERS = '"0".Select(c => 0)'
"""What an index is an element of."""
_STATIC = frozenset({"Array", "Enumerable"})


def _parameters(before: str, found: list[Token]) -> Iterator[LambdaParameter]:
    """The variables of the lambdas and queries around the end, outermost first."""
    open_at: list[int] = []
    for at, text in enumerate(token.text for token in found):
        if text in "([{":
            open_at.append(at)
        elif text in ")]}" and open_at:
            open_at.pop()
    for at, end in zip([-1, *open_at], [*open_at, len(found)], strict=True):
        yield from _of_query(before, found, at + 1, end)
        if at >= 2 and found[at].text == "(" and found[at - 1].kind == "word" and found[at - 2].text == ".":
            yield from _of_call(before, found, at, end)


def _of_query(before: str, found: list[Token], first: int, end: int) -> Iterator[LambdaParameter]:
    """`from name in source`, `join name in source on …`, `let name = …` of a query between two tokens."""
    outside, depth = list[int](), 0
    for at in range(first, end):
        depth -= found[at].text in (")", "]", "}")
        if not depth:
            outside.append(at)
        depth += found[at].text in ("(", "[", "{")
    for number, at in enumerate(outside):
        rest = outside[number + 1 :]
        if found[at].text == "let" and outside and found[outside[0]].text == "from":
            ends = next((one for one in rest if found[one].text in _CLAUSES), None)
            if ends is not None and len(rest) > 2 and found[rest[1]].text == "=" and rest[2] < ends:
                value = before[found[rest[2]].start : found[ends].start]
                before_it = before[found[outside[0]].start : found[at].start]
                yield LambdaParameter(found[rest[0]].text, f"{before_it}select {value}")
        if found[at].text not in ("from", "join"):
            continue
        inside = next((one for one in rest[1:4] if found[one].text == "in"), None)
        clause = next(
            (one for one in rest if found[one].text in _CLAUSES and inside is not None and one > inside), None
        )
        if inside is not None and clause is not None and found[inside - 1].kind == "word":
            yield LambdaParameter(found[inside - 1].text, before[found[inside + 1].start : found[clause].start])


def _of_call(before: str, found: list[Token], opening: int, end: int) -> Iterator[LambdaParameter]:
    """`source.Method(name => …`, `source.Method(seed, (a, b) => …`, `Array.Find(source, name => …`."""
    commas, depth = [opening], 0
    for at in range(opening + 1, end):
        depth += (found[at].text in ("(", "[", "{")) - (found[at].text in (")", "]", "}"))
        if not depth and found[at].text == ",":
            commas.append(at)
    names = _names(found, commas[-1] + 1)
    first, method = _begin_of_primary(found, opening - 2), found[opening - 1].text
    if not names or first is None:
        return
    source = before[found[first].start : found[opening - 2].start]
    is_first = len(commas) == 1
    if source.rpartition(".")[2].strip() in _STATIC and not is_first:
        source = before[found[opening].start + 1 : found[commas[1]].start]
        is_first = len(commas) == 2
    if method == "Aggregate" and len(names) == 2:
        names = names if is_first else names[1:]
    elif len(names) > 1 and method in _WITH_INDEX:
        yield LambdaParameter(names[1], _NUMBERS)
        names = names[:1]
    for name in names[: 2 if method == "Aggregate" else 1]:
        yield LambdaParameter(name, source)


def _names(found: list[Token], at: int) -> list[str]:
    """The parameters of the lambda that begins with a token; none where none begins there."""
    names = []
    if at < len(found) and found[at].text == "(":
        while at + 1 < len(found) and found[at].text != ")":
            at += 1
            if found[at].text in (",", ")") and found[at - 1].kind == "word":
                names.append(found[at - 1].text)
    elif at < len(found) and found[at].kind == "word":
        names.append(found[at].text)
    return names if found[at + 1 : at + 2] and found[at + 1].text == "=>" else []
