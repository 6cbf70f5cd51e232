"""What stands before the cursor in an unfinished expression: a name that has begun, and what it is a member of.

`scopes` says which variables of lambdas and queries are in force there.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, structs

from dap_dotnet.evaluation.syntax.open_strings import code_start
from dap_dotnet.evaluation.syntax.scanner import MAX_LENGTH, SyntaxFault, tokens

_Token = tuple[str, str, int]
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
    if cursor > MAX_LENGTH:
        return None
    before, offset = text[:cursor], 0
    outer = list[LambdaParameter]()
    while True:
        try:
            found = [token for token in tokens(before) if token[0] != "space"]
        except SyntaxFault:
            return None  # in a string
        if _is_in_comment(before, found) or _is_in_char(found):
            return None
        if not found or found[-1][0] != "interpolated":
            break
        start = code_start(before, found[-1][2])
        if start is None:
            return None
        outer += _parameters(before, found[:-1])
        before, offset = before[start:], offset + start
    site = _site(before, found)
    if site is None:
        return None
    return structs.replace(site, start=site.start + offset, parameters=(*outer, *site.parameters))


def _is_in_comment(before: str, found: list[_Token]) -> bool:
    """Whether the end is behind `//`: comments are no tokens."""
    end = found[-1][2] + len(found[-1][1]) if found else 0
    return "//" in before[end:].rpartition("\n")[2]


def _is_in_char(found: list[_Token]) -> bool:
    """Whether the end is in a char that is not closed."""
    return any(kind == "symbol" and text == "'" for kind, text, _ in found[-2:])


def _site(before: str, found: list[_Token]) -> CompletionSite | None:
    """The site at the end of code whose tokens are known."""
    cursor = len(before)
    if found and found[-1][0] in ("char", "string") and found[-1][2] + len(found[-1][1]) == cursor:
        return None
    prefix, start = "", cursor
    if found and found[-1][0] == "word" and found[-1][2] + len(found[-1][1]) == cursor:
        _, prefix, start = found.pop()
        if prefix[0].isdigit():
            return None
    if start and before[start - 1] == "$":
        prefix, start = "$" + prefix, start - 1
        found = [token for token in found if token[2] < start]
    parameters = tuple(_parameters(before, found))
    if not found or found[-1][1] != ".":
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
    end = dot - 1 if dot and found[dot - 1][1] == "?" else dot
    first = _begin_of_primary(found, end)
    if first is None:
        return None
    is_name = all(kind == "word" or token in (".", "<", ">", ",") for kind, token, _ in found[first:end])
    if found[first][1] == "new" and is_name:
        first += 1
    wants_type = is_name and _wants_type(found[:first])
    target = before[found[first][2] : found[end][2]]
    filled = _filled(before, found[:first]) if is_name else None
    if filled is not None:
        names = (text for kind, text, _ in found[first:end] if kind == "word")
        filled = structs.replace(filled, path=(*filled.path, *names))
    return CompletionSite(prefix, start, target, parameters, wants_type, filled, is_conditional=end < dot)


_TYPE_OPERATORS = frozenset({"typeof", "sizeof", "default"})


def _wants_type(found: list[_Token]) -> bool:
    if found and found[-1][1] in ("new", "as"):
        return True
    return len(found) > 1 and found[-1][1] == "(" and found[-2][1] in _TYPE_OPERATORS


def _callee(before: str, found: list[_Token]) -> str | None:
    """See `CompletionSite.callee`."""
    if not found or found[-1][1] not in ("(", ","):
        return None
    depth, at = 0, len(found) - 1
    while at >= 0 and (depth or found[at][1] != "("):
        depth += (found[at][1] in (")", "]", "}")) - (found[at][1] in ("(", "[", "{"))
        if depth < 0:
            return None
        at -= 1
    name = at
    while name > 0 and found[name - 1][1] != "<" and found[at - 1][1] == ">":
        name -= 1
    name -= name < at
    first = _begin_of_primary(found, name) if name > 0 and found[name - 1][0] == "word" else None
    return before[found[first][2] : found[at][2]] if first is not None else None


def _takes_format(found: list[_Token]) -> bool:
    """See `CompletionSite.takes_format`."""
    texts = [text for _, text, _ in found]
    is_outside = sum((text in "([{") - (text in ")]}") for text in texts) == 0
    return bool(texts) and texts[-1] == "," and len(texts) > 1 and is_outside and "orderby" not in texts


def _filled(before: str, found: list[_Token]) -> Filled | None:
    """See `CompletionSite.filled`."""
    if not found or found[-1][1] not in ("{", ","):
        return None
    depth, at = 0, len(found) - 1
    while at >= 0 and (depth or found[at][1] != "{"):
        depth += (found[at][1] in (")", "]", "}")) - (found[at][1] in ("(", "[", "{"))
        if depth < 0:
            return None
        at -= 1
    if at < 1:
        return None
    last = found[at - 1]
    if last[1] in ("with", "is"):
        first = _begin_of_primary(found, at - 1)
        return Filled(before[found[first][2] : last[2]], (), last[1] == "is") if first is not None else None
    if last[1] in (":", "="):
        return _inside(before, found, at - 1)
    end = at
    if last[1] == ")":
        opening = _matching(found, at - 1)
        if opening is None:
            return None
        end = opening
    first = end
    while first and (found[first - 1][1] in (".", "<", ">", ",") or found[first - 1][0] == "word"):
        if found[first - 1][1] in ("new", "is"):
            text = before[found[first][2] : found[end][2]]
            return Filled(text, (), found[first - 1][1] == "is") if first < end else None
        first -= 1
    return None


def _inside(before: str, found: list[_Token], end: int) -> Filled | None:
    """Braces for a member that other braces name: `{ Home: { …`, `{ Home = { …`."""
    first = end
    while first and (found[first - 1][0] == "word" or found[first - 1][1] == "."):
        first -= 1
    outer = _filled(before, found[:first]) if first < end else None
    names = tuple(text for kind, text, _ in found[first:end] if kind == "word")
    return structs.replace(outer, path=(*outer.path, *names)) if outer is not None else None


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
        elif kind not in ("word", "string", "char") or (
            text in _NOT_VALUES and not (text in _CONTEXTUAL and at == end - 1)
        ):
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


_CLAUSES = frozenset({"where", "select", "orderby", "let", "join", "group", "from", "on"})
_WITH_INDEX = frozenset({"Where", "Select", "SelectMany", "TakeWhile", "SkipWhile"})
_NUMBERS = '"0".Select(c => 0)'
"""What an index is an element of."""
_STATIC = frozenset({"Array", "Enumerable"})


def _parameters(before: str, found: list[_Token]) -> Iterator[LambdaParameter]:
    """The variables of the lambdas and queries around the end, outermost first."""
    open_at: list[int] = []
    for at, (_, text, _) in enumerate(found):
        if text in "([{":
            open_at.append(at)
        elif text in ")]}" and open_at:
            open_at.pop()
    for at, end in zip([-1, *open_at], [*open_at, len(found)], strict=True):
        yield from _of_query(before, found, at + 1, end)
        if at >= 2 and found[at][1] == "(" and found[at - 1][0] == "word" and found[at - 2][1] == ".":
            yield from _of_call(before, found, at, end)


def _of_query(before: str, found: list[_Token], first: int, end: int) -> Iterator[LambdaParameter]:
    """`from name in source`, `join name in source on …`, `let name = …` of a query between two tokens."""
    outside, depth = list[int](), 0
    for at in range(first, end):
        depth -= found[at][1] in (")", "]", "}")
        if not depth:
            outside.append(at)
        depth += found[at][1] in ("(", "[", "{")
    for number, at in enumerate(outside):
        rest = outside[number + 1 :]
        if found[at][1] == "let" and outside and found[outside[0]][1] == "from":
            ends = next((one for one in rest if found[one][1] in _CLAUSES), None)
            if ends is not None and len(rest) > 2 and found[rest[1]][1] == "=" and rest[2] < ends:
                value = before[found[rest[2]][2] : found[ends][2]]
                before_it = before[found[outside[0]][2] : found[at][2]]
                yield LambdaParameter(found[rest[0]][1], f"{before_it}select {value}")
        if found[at][1] not in ("from", "join"):
            continue
        inside = next((one for one in rest[1:4] if found[one][1] == "in"), None)
        clause = next((one for one in rest if found[one][1] in _CLAUSES and inside is not None and one > inside), None)
        if inside is not None and clause is not None and found[inside - 1][0] == "word":
            yield LambdaParameter(found[inside - 1][1], before[found[inside + 1][2] : found[clause][2]])


def _of_call(before: str, found: list[_Token], opening: int, end: int) -> Iterator[LambdaParameter]:
    """`source.Method(name => …`, `source.Method(seed, (a, b) => …`, `Array.Find(source, name => …`."""
    commas, depth = [opening], 0
    for at in range(opening + 1, end):
        depth += (found[at][1] in ("(", "[", "{")) - (found[at][1] in (")", "]", "}"))
        if not depth and found[at][1] == ",":
            commas.append(at)
    names = _names(found, commas[-1] + 1)
    first, method = _begin_of_primary(found, opening - 2), found[opening - 1][1]
    if not names or first is None:
        return
    source = before[found[first][2] : found[opening - 2][2]]
    is_first = len(commas) == 1
    if source.rpartition(".")[2].strip() in _STATIC and not is_first:
        source = before[found[opening][2] + 1 : found[commas[1]][2]]
        is_first = len(commas) == 2
    if method == "Aggregate" and len(names) == 2:
        names = names if is_first else names[1:]
    elif len(names) > 1 and method in _WITH_INDEX:
        yield LambdaParameter(names[1], _NUMBERS)
        names = names[:1]
    for name in names[: 2 if method == "Aggregate" else 1]:
        yield LambdaParameter(name, source)


def _names(found: list[_Token], at: int) -> list[str]:
    """The parameters of the lambda that begins with a token; none where none begins there."""
    names = []
    if at < len(found) and found[at][1] == "(":
        while at + 1 < len(found) and found[at][1] != ")":
            at += 1
            if found[at][1] in (",", ")") and found[at - 1][0] == "word":
                names.append(found[at - 1][1])
    elif at < len(found) and found[at][0] == "word":
        names.append(found[at][1])
    return names if [token[1] for token in found[at + 1 : at + 3]] == ["=", ">"] else []
