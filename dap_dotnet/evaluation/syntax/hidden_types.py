"""Types that the grammar takes for comparisons, and so does not see: it is given a word of as many characters for each.

Tuple types with names among type arguments: in `new List<(int A, int B)> { … }` and `M<(int A, int B)>(x)` it finds
tuples that declare variables. And the type arguments of `1 + new List<T> { … }` and
`new List<T>(x)[0]`, with the word before them.
"""

from __future__ import annotations

from dap_dotnet.evaluation.syntax.scanner import tokens

_WRITTEN = "(),<>.[]?*:@ \t\r\n"
_HIDING = "".join(chr(0xA4D0 + number) for number in range(len(_WRITTEN)))
"""Letters of the Lisu script: what they stand for is no part of a word."""
_HIDE, _SHOW = str.maketrans(_WRITTEN, _HIDING), str.maketrans(_HIDING, _WRITTEN)
_MOST_LEVELS = 32
Token = tuple[str, str, int]


def with_types_hidden(text: str) -> str:
    """The text with a word for each such type before a first interpolated string; all positions stay."""
    if "<" not in text:
        return text
    found, hidden, number = list(tokens(text)), text, 1
    while number < len(found):
        behind = 0
        if found[number][1] == "<" and found[number - 1][0] == "word":
            arguments = _TypeArguments(found)
            behind = arguments.end(number)
            for start, end in arguments.tuples if behind else ():
                hidden = _hidden(hidden, start, end)
            if behind and found[behind : behind + 1] and found[behind][1] in "{(" and _is_new(found, number - 1):
                _, word, at = found[number - 1]
                hidden = _hidden(hidden, at + len(word), found[behind - 1][2] + 1)
        number = behind or number + 1
    return hidden


def _hidden(text: str, start: int, end: int) -> str:
    return text[:start] + text[start:end].translate(_HIDE) + text[end:]


def _is_new(found: list[Token], number: int) -> bool:
    """Whether the name that ends with a word is that of a type that is created."""
    while number > 1 and found[number - 1][1] in (".", ":"):
        number -= 2 if found[number - 1][1] == "." else 3
    return number > 0 and found[number - 1][1] == "new"


def shown(word: str) -> str | None:
    """The text that a word stands for; None for other words."""
    text = word.translate(_SHOW)
    return text if text != word else None


def readable(text: str) -> str:
    """A part of a hidden text as the user has written it."""
    return text.translate(_SHOW)


class _TypeArguments:
    """Type arguments among tokens. What looks for an end gives the number of the token behind it; 0: it is none."""

    def __init__(self, found: list[Token]) -> None:
        self._found = found
        self._level = self._depth = 0
        self._named = 0
        self.tuples: list[tuple[int, int]] = []
        """(start, end) of the outermost tuple types in which an element has a name."""

    def _is(self, number: int, symbol: str) -> bool:
        return number < len(self._found) and self._found[number][1] == symbol

    def _is_word(self, number: int) -> bool:
        return number < len(self._found) and self._found[number][0] == "word"

    def end(self, number: int) -> int:
        """Of type arguments that begin with `<`."""
        self._level += 1
        at = self._end_of_type(number + 1) if self._level <= _MOST_LEVELS else 0
        while at and self._is(at, ","):
            at = self._end_of_type(at + 1)
        self._level -= 1
        return at + 1 if at and self._is(at, ">") else 0

    def _end_of_type(self, number: int) -> int:
        at = self._end_of_tuple(number) if self._is(number, "(") else self._end_of_name(number)
        while at and (self._is(at, "?") or self._is(at, "*") or self._is(at, "[")):
            is_array, at = self._is(at, "["), at + 1
            while is_array and self._is(at, ","):
                at += 1
            if is_array:
                at = at + 1 if self._is(at, "]") else 0
        return at

    def _end_of_name(self, number: int) -> int:
        at = number
        while self._is_word(at):
            at += 1
            if self._is(at, "<"):
                at = self.end(at)
            if not at or not (self._is(at, ".") or (self._is(at, ":") and self._is(at + 1, ":"))):
                return at
            at += 1 if self._is(at, ".") else 2
        return 0

    def _end_of_tuple(self, number: int) -> int:
        at, count, named = number, 0, self._named
        self._depth += 1
        while not count or self._is(at, ","):
            at, count = self._end_of_type(at + 1), count + 1
            if not at:
                return 0
            if self._is_word(at):
                at, self._named = at + 1, self._named + 1
        self._depth -= 1
        if count == 1 or not self._is(at, ")"):
            return 0
        if self._named > named and not self._depth:
            self.tuples.append((self._found[number][2], self._found[at][2] + 1))
        return at + 1
