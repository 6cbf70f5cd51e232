"""A first look at an expression's text: its size and its brackets.

Cheap and linear: what it refuses never reaches the parser, so that no text can make the parser slow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax.literal_faults import LiteralFault, char_fault, escape_fault, number_fault

MAX_LENGTH = 8192
MAX_NESTING = 100
_MAX_LESS_THAN = 400  # the grammar tries each < as the start of type arguments: this bounds the tries
_OPENING = {"(": ")", "[": "]", "{": "}"}
_TOKEN = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<string>\$*@\$*"|\$+"{3,}|\$+"|"{3,}|")
  | (?P<char>'(?:[^'\\\n]|\\.[^'\n]*)')
  | (?P<word>@?\w+)
  | (?P<symbol>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_REGULAR_END = re.compile(r'(?:[^"\\\n]|\\.)*"', re.DOTALL)
_VERBATIM_END = re.compile(r'(?:[^"]|"")*"')


class SyntaxFault(EvaluationError):
    """A text that is not an expression. `line` and `column` are 1-based, in UTF-16 units as editors count."""

    def __init__(
        self, what: str, text: str, offset: int, *, identifier: str = "CS1525", opened: int | None = None
    ) -> None:
        """`offset` counts characters; `what` says what stands there and what was expected.

        `opened` are those before the bracket that `what` ends with, None when it speaks of none.
        """
        self._parts = (what, offset, identifier, opened)
        line, column = position(text, offset)
        said = what.replace(DOLLAR, "$") + ("" if opened is None else f" in column {position(text, opened)[1]}")
        super().__init__(
            f"error {identifier}: Syntax error in line {line}, column {column}: {said}", compiler_code=identifier
        )
        self.line, self.column = line, column

    def within(self, text: str, start: int) -> SyntaxFault:
        """The same fault in a text that has this one behind `start` characters."""
        what, offset, identifier, opened = self._parts
        outer = None if opened is None else start + opened
        return SyntaxFault(what, text, start + offset, identifier=identifier, opened=outer)

    def in_hole(self, text: str) -> SyntaxFault:
        """The same fault in a hole of an interpolated string that has this text: where that ends too early, CS1733."""
        what, offset, identifier, opened = self._parts
        if identifier != "CS1525" or offset < len(text) or text.rstrip().endswith(")"):
            return self
        identifier = "CS1001" if text.rstrip().endswith(".") else "CS1733"
        return SyntaxFault(what, text, offset, identifier=identifier, opened=opened)

    @property
    def told(self) -> str:
        """The message, which has the position."""
        return self.message


def position(text: str, offset: int) -> tuple[int, int]:
    """(line, column), both 1-based, of the character behind `offset` others; columns in UTF-16 units."""
    before = text[:offset]
    start = before.rfind("\n") + 1
    return before.count("\n") + 1, len(before[start:].encode("utf-16-le", "surrogatepass")) // 2 + 1


def scan(text: str) -> None:
    """Check size, nesting and brackets. Raises `SyntaxFault`."""
    if len(text) > MAX_LENGTH:
        message = f"the expression has {len(text)} characters; the limit is {MAX_LENGTH}"
        raise SyntaxFault(message, "", 0, identifier="CS8078")
    if not text.strip():
        raise SyntaxFault("the expression is empty; expected an expression", text, 0, identifier="CS1733")
    if text.count("<") > _MAX_LESS_THAN:
        raise SyntaxFault(f"more than {_MAX_LESS_THAN} '<' characters", text, 0, identifier="CS8078")
    _check_brackets(text)


def tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """(kind, text, offset) of each token but spaces and comments. Kinds: word, string, char, symbol, interpolated.

    A symbol is one character. An interpolated string is the last one: its holes may hold anything.
    """
    start = 0
    while start < len(text):
        match = _TOKEN.match(text, start)
        assert match is not None  # the last alternative takes any character
        kind, end = match.lastgroup or "", match.end()
        if kind == "string":
            if "$" in match.group():
                yield "interpolated", match.group(), start
                return
            end = _string_end(text, end, match.group())
        if kind != "space":
            yield kind, text[start:end], start
        start = end


_HOLE = re.compile(r"(?<!\{)\{\s*\$(?=\w)")
DOLLAR = "\u01c2"
"""Stands for the `$` of names such as `$exception` while the grammar has them, which knows no such names."""


def with_dollars_hidden(text: str) -> str:
    """The text with `DOLLAR` for each `$` that begins a name, so that all positions stay.

    In an interpolated string, and behind it, only where the name is the first of a hole.
    """
    if "$" not in text:
        return text
    hidden = list(text)
    for kind, token, offset in tokens(text):
        if kind == "interpolated":
            for match in _HOLE.finditer(text, offset):
                hidden[match.end() - 1] = DOLLAR
        following = text[offset + 1 : offset + 2]
        if kind == "symbol" and token == "$" and (following.isalnum() or following == "_"):
            hidden[offset] = DOLLAR
    return "".join(hidden)


SLICE = "\u01c3\u01c3"
"""Stands for the two dots of a slice in a list pattern where the grammar does not know them."""
_SLICE = re.compile(r"(?<=[\[,])(\s*)\.\.(?:(\s*)(var)(?=\s+\w))?(?=\s*(?:[,\]{]|\s\w))")


def with_slices_hidden(text: str) -> str:
    """The text with `SLICE` for the dots in `[.., 1]` and `[1, .. var rest]`, so that all positions stay."""
    found = list(text)
    for match in _SLICE.finditer(text):
        found[match.end(1) : match.end(1) + 2] = SLICE
        if match.group(3):
            found[match.start(3) : match.end(3)] = "   "
    return "".join(found)


_ASSIGNING = re.compile(r"(?:>>>|<<|>>|\?\?|[-+*/%&|^])?=(?![=>])")
_LOOSER = frozenset({"=", "!", "<", ">"})
_ENDS = {")": "(", "]": "["}


def with_conditional_targets_hidden(text: str) -> str:
    """The text with a space for the `?` of each `?.` and `?[` left of an assignment, so that all positions stay.

    `a?.b = c` is new in C# 14, and the grammar does not know it.
    """
    found, hidden = list(tokens(text)), list(text)
    for number, (kind, token, at) in enumerate(found):
        operator = _ASSIGNING.match(text, at) if kind == "symbol" else None
        is_operator = operator is not None and (token != "=" or text[at - 1 : at] not in _LOOSER)
        if is_operator and not (token == "?" and text[at - 1 : at] == "?"):
            for place in _conditional_accesses(text, found[:number]):
                hidden[place] = " "
    return "".join(hidden)


def _conditional_accesses(text: str, before: list[tuple[str, str, int]]) -> Iterator[int]:
    """Where the `?` are in the chain of accesses that ends with the last token."""
    opened: list[str] = []
    for kind, token, at in reversed(before):
        if token in _ENDS:
            opened.append(_ENDS[token])
        elif opened and token == opened[-1]:
            opened.pop()
        elif opened:
            continue
        elif token == "?" and text[at + 1 : at + 2] in (".", "["):
            yield at
        elif kind != "word" and token not in ".!":
            return


_EMPTY = re.compile(r'(?<![\w"$@])\$""(?!")')


def with_empty_texts_plain(text: str) -> str:
    """The text with ` ""` for `$""`, which the grammar does not know, so that all positions stay."""
    return _EMPTY.sub(' ""', text)


def _check_brackets(text: str) -> None:
    open_brackets: list[int] = []
    number_end = 0
    for kind, token, at in tokens(text):
        if kind == "interpolated":
            return
        if kind == "word" and at >= number_end and token[0].isdecimal():
            number_end, wrong = number_fault(text, at)
            _refuse(text, wrong)
        if (kind == "string" and token.startswith('"') and not token.startswith('"""')) or kind == "char":
            _refuse(text, escape_fault(token, at))
        if kind != "symbol":
            continue
        if token == "'":
            _refuse(text, char_fault(text, at))
        if token in _OPENING:
            open_brackets.append(at)
            if len(open_brackets) > MAX_NESTING:
                raise SyntaxFault(f"brackets nest more than {MAX_NESTING} levels deep", text, at, identifier="CS8078")
        elif token in ")]}":
            _close(text, open_brackets, at, token)
        elif ord(token) < 0x20 or token in "\\`#":
            raise SyntaxFault(f"unexpected character {_shown(token)}", text, at, identifier="CS1056")
    if open_brackets:
        start = open_brackets[-1]
        wanted = _OPENING[text[start]]
        message = f"the expression ends; expected '{wanted}' for the '{text[start]}'"
        identifier = "CS1026" if wanted == ")" else "CS1003"
        raise SyntaxFault(message, text, len(text), identifier=identifier, opened=start)


def _refuse(text: str, wrong: LiteralFault | None) -> None:
    if wrong is not None:
        raise SyntaxFault(wrong.what, text, wrong.offset, identifier=wrong.identifier)


def _close(text: str, open_brackets: list[int], at: int, token: str) -> None:
    if not open_brackets:
        raise SyntaxFault(f"unexpected '{token}'; expected an operator or the end", text, at)
    start = open_brackets.pop()
    wanted = _OPENING[text[start]]
    if wanted != token:
        message = f"unexpected '{token}'; expected '{wanted}' for the '{text[start]}'"
        raise SyntaxFault(message, text, at, identifier="CS1003", opened=start)


def _string_end(text: str, start: int, opening: str) -> int:
    """Where the string that opened before `start` ends."""
    if opening.startswith('"""'):
        end = text.find(opening, start)
        if end < 0:
            raise SyntaxFault(f"the string is not closed; expected {opening}", text, len(text), identifier="CS8997")
        return end + len(opening)
    match = (_VERBATIM_END if "@" in opening else _REGULAR_END).match(text, start)
    if match is None:
        identifier = "CS1039" if "@" in opening else "CS1010"
        raise SyntaxFault("the string is not closed; expected '\"'", text, start - len(opening), identifier=identifier)
    return match.end()


def _shown(character: str) -> str:
    return f"U+{ord(character):04X}" if ord(character) < 0x20 else f"'{character}'"
