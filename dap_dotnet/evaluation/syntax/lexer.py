"""Text -> tokens (C# specification 6.4), and where in a text an error of its syntax is.

Names of F# that C# does not have are words, too: `x'`, ``` ``two words`` ```.

What is wrong with a literal is said here. Interpolated strings are one token, with the tokens of their holes
(12.8.3; raw ones as C# 11 has them). Takes time linear in the text, whatever it is.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import literals

MAX_LENGTH = 8192
MAX_NESTING = 100
_MAX_ALIGNMENT = 4096
_MAX_STRINGS = 8
"""Levels of interpolated strings in holes."""

PREDEFINED_TYPES = frozenset({
    "bool", "byte", "char", "decimal", "double", "float", "int", "long", "nint", "nuint", "object", "sbyte", "short",
    "string", "uint", "ulong", "ushort", "void",
})  # fmt: skip
KEYWORDS = (PREDEFINED_TYPES - {"nint", "nuint"}) | {
    "abstract", "as", "base", "break", "case", "catch", "checked", "class", "const", "continue", "default", "delegate",
    "do", "else", "enum", "event", "explicit", "extern", "false", "finally", "fixed", "for", "foreach", "goto", "if",
    "implicit", "in", "interface", "internal", "is", "lock", "namespace", "new", "null", "operator", "out", "override",
    "params", "private", "protected", "public", "readonly", "ref", "return", "sealed", "sizeof", "stackalloc",
    "static", "struct", "switch", "this", "throw", "true", "try", "typeof", "unchecked", "unsafe", "using", "virtual",
    "volatile", "while", "__arglist", "__makeref", "__reftype", "__refvalue",
}  # fmt: skip
"""Words that are no names without an `@`."""

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<string>(?P<prefix>\$*@\$*|\$+|)(?P<quotes>"{3,}|"))
  | (?P<number>\.?\d)
  | (?P<word>@?[^\W\d]\w*|\$\w+|``[^`\n]+``)
  | (?P<char>')
  | (?P<symbol><<=|\?\?=|<<|<=|\?\?|=>|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|->|::|\.\.|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_REGULAR = re.compile(r'(?:[^"\\\n]|\\.)*"', re.DOTALL)
_VERBATIM = re.compile(r'(?:[^"]|"")*"')
_UTF8 = re.compile("[uU]8")
_CHAR = re.compile(r"'((?:[^'\\\n]|\\.)*)'")
_NUMBER = re.compile(
    r"""
  ( 0[xX](?P<hexadecimal>[0-9a-fA-F_]*)
  | 0[bB](?P<binary>[01_]*)
  | (?P<decimal>\d[\d_]*)?(?:\.(?P<fraction>\d[\d_]*))?(?:[eE][+-]?(?P<exponent>[\d_]*))?
  ) (?:[uU][lL]?|[lL][uU]?|[fFdDmM])?
    """,
    re.VERBOSE,
)
_ALIGNMENT, _FORMAT = re.compile(",([^:}]*)"), re.compile(":([^}]*)")
_PRIMED = re.compile(r"(?:'\w*)+")
_BEFORE_CHARS = frozenset(["and", "as", "await", "case", "in", "is", "not", "or", "return", "throw", "when", "yield"])
"""Words that a char may follow without a space."""
_CLOSING_OF = {"(": ")", "[": "]", "{": "}"}
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
"""Brackets."""
_NO_LINE_END = re.compile(r"[^\n]")


class SyntaxFault(EvaluationError):
    """A text that is not an expression. `line` and `column` are 1-based, in UTF-16 units as editors count."""

    def __init__(self, what: str, text: str, offset: int, *, identifier: str = "CS1525") -> None:
        """`offset` counts characters; `what` says what stands there and what was expected."""
        line, column = position(text, offset)
        said = f"error {identifier}: Syntax error in line {line}, column {column}: {what}"
        super().__init__(said, compiler_code=identifier)
        self.line, self.column = line, column

    @property
    def told(self) -> str:
        """The message, which has the position."""
        return self.message


def position(text: str, offset: int) -> tuple[int, int]:
    """(line, column), both 1-based, of the character behind `offset` others; columns in UTF-16 units."""
    before = text[:offset]
    start = before.rfind("\n") + 1
    return before.count("\n") + 1, len(before[start:].encode("utf-16-le", "surrogatepass")) // 2 + 1


def blank(text: str) -> str:
    """Spaces as wide as a text, on as many lines: what follows keeps its position behind it."""
    return _NO_LINE_END.sub(lambda match: " " if match.group() < "\U00010000" else "  ", text)


class Hole(NamedTuple):
    """A hole of an interpolated string; its tokens end with one of the kind "end"."""

    tokens: list[Token]
    alignment: int
    format: str


class Token(NamedTuple):
    """`text` is as the source has it, behind `start` characters.

    `kind` is word, number, char, string, interpolated, symbol or end: the end of the text or of a hole; cursor where
    a name is to be completed. Operators that begin with `>` are several symbols, since type arguments end with one.
    """

    kind: str
    text: str
    start: int
    pieces: tuple[str, ...] = ()
    """What a char or a string says; of an interpolated one the texts before, between and behind its holes."""
    holes: tuple[Hole, ...] = ()

    @property
    def end(self) -> int:
        """The characters before its end."""
        return self.start + len(self.text)


def tokens(text: str) -> list[Token]:
    """The tokens of a text, but for spaces and comments. Raises `SyntaxFault`, also where brackets do not match."""
    lexer = _Lexer(text)
    found, _ = lexer.code(0, 0, "")
    lexer.check_closed()
    return found


def open_code(text: str) -> list[list[Token]]:
    """The tokens of the code that the end of a text is in: in a hole, behind those of the code around its string.

    [] where the end is in a comment, a literal or what is no code. Brackets may be open.
    """
    try:
        levels = [_Lexer(text).code(0, 0, "")[0][:-1]]
    except _OpenHole as fault:
        levels = fault.levels
    except SyntaxFault:
        return []
    end = levels[-1][-1].end if levels and levels[-1] else 0
    return [] if "//" in text[end:].rpartition("\n")[2] else levels


class _OpenHole(SyntaxFault):
    """The text ends in a hole of an interpolated string, after these tokens; `levels` are as `open_code` gives them."""

    def __init__(self, text: str, found: list[Token]) -> None:
        super().__init__("the hole is not closed; expected '}'", text, len(text), identifier="CS8076")
        self.levels = [found]


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[int] = []
        """Where the brackets are that are not closed yet."""
        self._outer = 0
        """How many of them stand before the hole that is being read."""
        if len(text) > MAX_LENGTH:
            raise self._fault("CS8078", 0, f"the expression has {len(text)} characters; the limit is {MAX_LENGTH}")

    def code(self, start: int, level: int, closing: str) -> tuple[list[Token], int]:
        """(the tokens from a place on, where they end). Those of a hole end before `,`, `:` or its closing braces."""
        text, found, at = self._text, list[Token](), start
        outer, self._outer = self._outer, len(self._open)
        try:
            while at < len(text):
                match = _TOKEN.match(text, at)
                assert match is not None  # the last alternative takes any character
                kind, written = match.lastgroup or "", match.group()
                if closing and len(self._open) == self._outer and written[0] in ",:}":
                    self._outer = outer
                    return [*found, Token("end", "", at)], at
                if kind != "space":
                    found.append(self._token(kind, match, level))
                at = found[-1].end if kind != "space" else match.end()
        except _OpenHole as fault:
            fault.levels.insert(0, found)
            raise
        if closing:
            raise _OpenHole(text, found)
        return [*found, Token("end", "", len(text))], len(text)

    def check_closed(self) -> None:
        """CS1026, CS1003 where a bracket is open at the end of the text."""
        if self._open:
            identifier = "CS1026" if self._text[self._open[-1]] == "(" else "CS1003"
            raise self._not_closed(identifier, len(self._text), "the expression ends")

    def _not_closed(self, identifier: str, at: int, stands: str) -> SyntaxFault:
        """What stands at a place does not close the bracket that was opened last."""
        opening, column = self._text[self._open[-1]], position(self._text, self._open[-1])[1]
        said = f"{stands}; expected '{_CLOSING_OF[opening]}' for the '{opening}' in column {column}"
        return self._fault(identifier, at, said)

    def _bracket(self, written: str, at: int) -> None:
        if written in OPENING:
            self._open.append(at)
            if len(self._open) > MAX_NESTING:
                raise self._fault("CS8078", at, f"brackets nest more than {MAX_NESTING} levels deep")
            return
        if len(self._open) == self._outer:
            raise self._fault("CS1525", at, f"unexpected '{written}'; expected an operator or the end")
        if written != _CLOSING_OF[self._text[self._open[-1]]]:
            raise self._not_closed("CS1003", at, f"unexpected '{written}'")
        self._open.pop()

    def _token(self, kind: str, match: re.Match[str], level: int) -> Token:
        start, written = match.start(), match.group()
        if kind == "string":
            return self._interpolated(match, level) if "$" in match["prefix"] else self._string(match)
        if kind == "number":
            return self._number(start)
        if kind == "char":
            return self._char(start)
        if kind == "word":
            return Token("word", self._text[start : self._end_of_word(match)], start)
        if written in "\\`#" or ord(written[0]) < 0x20:
            raise self._fault("CS1056", start, f"unexpected character {shown(written)}")
        if self._text.startswith("/*", start):
            raise self._fault("CS1035", start, "the comment is not closed; expected '*/'")
        if written in "()[]{}":
            self._bracket(written, start)
        return Token("symbol", written, start)

    def _fault(self, identifier: str, at: int, what: str) -> SyntaxFault:
        return SyntaxFault(what, self._text, at, identifier=identifier)

    def _end_of_word(self, match: re.Match[str]) -> int:
        text, end = self._text, match.end()
        while end < len(text) and text[end] > "\x7f" and unicodedata.category(text[end]) in ("Mn", "Mc", "Cf"):
            end += 1
            while end < len(text) and (text[end].isalnum() or text[end] == "_"):
                end += 1
        primed = _PRIMED.match(text, end) if match.group() not in _BEFORE_CHARS else None
        return primed.end() if primed is not None else end

    # literals

    def _number(self, start: int) -> Token:
        match = _NUMBER.match(self._text, start)
        assert match is not None
        written = match.group()
        if match["exponent"] == "":
            raise self._fault("CS0595", start, f"the exponent of '{written[:40]}' has no digits")
        if "" in (match["hexadecimal"], match["binary"]):
            raise self._fault("CS1013", start, f"the number '{written[:40]}' has no digits")
        parts = ("hexadecimal", "binary", "decimal", "fraction", "exponent")
        if any((match[part] or "").endswith("_") for part in parts):
            raise self._fault("CS1013", start, f"a number does not end with '_': '{written[:40]}'")
        return Token("number", written, start)

    def _char(self, start: int) -> Token:
        match = _CHAR.match(self._text, start)
        if match is None:
            raise self._fault("CS1010", start, "the char literal is not closed; expected '''")
        if not match[1]:
            raise self._fault("CS1011", start, "the char literal is empty")
        unit = self._unescaped(start + 1, match.end() - 1)
        if len(unit) > 1 or unit > "\uffff":
            raise self._fault("CS1012", start, "the char literal has too many characters")
        return Token("char", match.group(), start, (unit,))

    def _unescaped(self, start: int, end: int) -> str:
        """What a part of the text with escapes means. CS1009 for what is none."""
        for match in literals.ESCAPE.finditer(self._text, start, end):
            if match["wrong"] is not None:
                at = match.start()
                raise self._fault("CS1009", at, f"'{self._text[at : at + 2]}' begins no escape")
        return literals.unescaped(self._text[start:end])

    def _string(self, opening: re.Match[str]) -> Token:
        """Any string but interpolated ones."""
        text, quotes, is_verbatim = self._text, opening["quotes"], bool(opening["prefix"])
        if len(quotes) > 1 and not is_verbatim:
            closing = text.find(quotes, opening.end())
            if closing < 0:
                raise self._fault("CS8997", len(text), f"the string is not closed; expected {quotes}")
            content, end = text[opening.end() : closing], closing + len(quotes)
        else:
            start = opening.start("quotes") + 1
            match = (_VERBATIM if is_verbatim else _REGULAR).match(text, start)
            if match is None:
                identifier = "CS1039" if is_verbatim else "CS1010"
                raise self._fault(identifier, opening.start(), "the string is not closed; expected '\"'")
            end = match.end()
            content = text[start : end - 1].replace('""', '"') if is_verbatim else self._unescaped(start, end - 1)
        suffix = _UTF8.match(text, end)
        end = suffix.end() if suffix is not None else end
        return Token("string", text[opening.start() : end], opening.start(), (content,))

    # interpolated strings

    def _interpolated(self, match: re.Match[str], level: int) -> Token:
        if level >= _MAX_STRINGS:
            said = f"interpolated strings nest more than {_MAX_STRINGS} levels deep"
            raise self._fault("CS8078", match.start(), said)
        text, start, is_verbatim = self._text, match.start(), "@" in match["prefix"]
        is_raw = len(match["quotes"]) > 1 and not is_verbatim
        quotes, braces = (match["quotes"], match["prefix"].count("$")) if is_raw else ('"', 1)
        pieces, holes = [""], list[Hole]()
        position = start + len(match["prefix"]) + len(quotes)
        while not text.startswith(quotes, position) or (is_verbatim and text.startswith('""', position)):
            character = text[position : position + 1]
            if not character or (character == "\n" and not is_raw and not is_verbatim):
                raise self._fault("CS8997" if is_raw else "CS1039", start, "the interpolated string is not closed")
            if character in "{}":
                count = len(text[position:]) - len(text[position:].lstrip(character))
                is_hole = count >= braces if is_raw else count % 2 == 1
                pieces[-1] += character * (count - braces * is_hole if is_raw else count // 2)
                if is_hole and character == "}":
                    raise self._fault("CS8086", position, "a '}' in an interpolated string is written as '}}'")
                position += count
                if is_hole:
                    has_escapes = not is_raw and not is_verbatim
                    hole, position = self._hole(position, level, "}" * braces, has_escapes=has_escapes)
                    holes.append(hole)
                    pieces.append("")
            elif character == "\\" and not is_raw and not is_verbatim:
                escape = literals.ESCAPE.match(text, position)
                end = escape.end() if escape is not None else position + 1
                pieces[-1] += self._unescaped(position, end)
                position = end
            else:
                pieces[-1] += character
                position += 1 + (is_verbatim and character == '"')
        end = position + len(quotes)
        if is_raw and text.startswith('"', end):
            raise self._fault("CS8998", start, "not enough quotes around the raw string")
        return Token("interpolated", text[start:end], start, tuple(pieces), tuple(holes))

    def _hole(self, start: int, level: int, closing: str, *, has_escapes: bool) -> tuple[Hole, int]:
        """(the hole, the place behind its closing braces)."""
        text = self._text
        code, position = self.code(start, level + 1, closing)
        alignment, written = "", ""
        if (match := _ALIGNMENT.match(text, position)) is not None:
            alignment, position = match[1].strip(), match.end()
            if not alignment:
                raise self._fault("CS1733", position, "the alignment is missing; expected an expression")
        if (match := _FORMAT.match(text, position)) is not None:
            if not match[1]:
                raise self._fault("CS8089", position, "the format is empty; expected a format")
            written, position = match[1], match.end()
        if not text.startswith(closing, position):
            raise self._fault("CS8076", position, f"the hole is not closed; expected '{closing}'")
        if has_escapes:
            written = self._unescaped(position - len(written), position)
        return Hole(code, self._alignment(alignment, position), written), position + len(closing)

    def _alignment(self, written: str, at: int) -> int:
        digits = written.lstrip("+-").strip()
        if written and (not digits.isdecimal() or len(digits) > 6 or int(digits) > _MAX_ALIGNMENT):
            raise self._fault("CS0150", at, f"the alignment '{written[:20]}' must be a number up to {_MAX_ALIGNMENT}")
        return int(digits or "0") * (-1 if written.startswith("-") else 1)


def shown(token: str) -> str:
    """A token, or its beginning, for a message."""
    first = ord(token[0])
    return f"U+{first:04X}" if first < 0x20 or 0xD800 <= first < 0xE000 else f"'{token[:40]}'"
