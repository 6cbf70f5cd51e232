"""Interpolated strings, taken apart by our own rules: the grammar's are loose with braces next to holes.

C# specification 12.8.3; raw ones (`$$\"\"\"…{{x}}…\"\"\"`) as C# 11 has them.
"""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import literals
from dap_dotnet.evaluation.syntax.scanner import SyntaxFault

MAX_ALIGNMENT = 4096
_MAX_NESTING = 8
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class HoleText(Struct, frozen=True):
    """A hole's source: the expression, behind `start` characters of the string, its alignment and its format."""

    expression: str
    start: int
    alignment: int
    format: str


Part = str | HoleText


class _Opening(Struct, frozen=True):
    """How the string opened: number of dollars, verbatim or not, and its quotes."""

    dollars: int
    is_verbatim: bool
    quote: str

    @property
    def is_raw(self) -> bool:
        """Three quotes or more."""
        return len(self.quote) >= 3


def split(source: str) -> list[Part]:
    """The parts of the interpolated string that `source` is, from its `$` to its closing quote.

    Raises `EvaluationError` where it is not well formed.
    """
    parts, end = _split(source, 0, 0)
    if end != len(source):
        raise Diagnostic("CS1039", "interpolated string")
    return parts


def split_at(text: str, start: int) -> list[Part]:
    """The parts of the interpolated string that begins behind `start` characters of a text. Raises as `split`."""
    return _split(text, start, 0)[0]


def _split(text: str, start: int, nesting: int) -> tuple[list[Part], int]:
    """(parts, position behind the closing quote) of the interpolated string that opens at `start`."""
    if nesting > _MAX_NESTING:
        raise EvaluationError(f"Interpolated strings nest more than {_MAX_NESTING} levels deep")
    opening, position = _opening(text, start)
    parts: list[Part] = []
    literal = ""
    while position < len(text):
        if text.startswith(opening.quote, position) and not (
            opening.is_verbatim and text[position + 1 : position + 2] == '"'
        ):
            if opening.is_raw:
                position = _raw_end(text, position, opening)
            if literal:
                parts.append(literal)
            return (_dedented(parts) if opening.is_raw else parts), position + len(opening.quote)
        character = text[position]
        if character in "{}":
            count = _run(text, position)
            braces = opening.dollars if opening.is_raw else 1
            kept = (
                max(count - braces, 0)
                if opening.is_raw and count >= braces
                else count // 2
                if not opening.is_raw
                else count
            )
            opens_hole = count >= braces if opening.is_raw else count % 2 == 1
            literal += character * kept
            position += count
            if not opens_hole:
                continue
            if character == "}":
                raise Diagnostic("CS8086")
            hole, position = _hole(text, position, braces, nesting)
            if "\\" in hole.format and not opening.is_verbatim and not opening.is_raw:
                hole = HoleText(hole.expression, hole.start, hole.alignment, _unescaped(hole.format))
            if literal:
                parts.append(literal)
            parts.append(hole)
            literal = ""
        elif character == "\\" and not opening.is_verbatim and not opening.is_raw:
            end = _escape_end(text, position)
            literal += literals.escape(text[position:end])
            position = end
        else:
            if opening.is_verbatim and character == '"':
                position += 1
            literal += character
            position += 1
    raise Diagnostic("CS1039", "interpolated string")


def _opening(text: str, start: int) -> tuple[_Opening, int]:
    position, dollars, is_verbatim = start, 0, False
    while text[position : position + 1] in ("$", "@"):
        dollars += text[position] == "$"
        is_verbatim = is_verbatim or text[position] == "@"
        position += 1
    quotes = 0
    while text[position + quotes : position + quotes + 1] == '"':
        quotes += 1
    size = quotes if quotes >= 3 and not is_verbatim else 1
    if not quotes:
        raise Diagnostic("CS1056", "$")
    return _Opening(dollars, is_verbatim, '"' * size), position + size


def _raw_end(text: str, position: int, opening: _Opening) -> int:
    """Where the closing quotes begin. Text that ends with a quote cannot be told apart from too many of them."""
    if text[position + len(opening.quote) : position + len(opening.quote) + 1] == '"':
        raise Diagnostic("CS8998")
    return position


def _run(text: str, position: int) -> int:
    count = 1
    while text[position + count : position + count + 1] == text[position]:
        count += 1
    return count


def _escape_end(text: str, position: int) -> int:
    end = position + 2
    limit = {"x": 4, "u": 4, "U": 8}.get(text[position + 1 : position + 2], 0)
    while end < len(text) and end - position - 2 < limit and text[end] in "0123456789abcdefABCDEF":
        end += 1
    return end


def _unescaped(text: str) -> str:
    """The format of a hole in a regular string, where escapes mean what they mean in its text."""
    made, position = "", 0
    while position < len(text):
        end = _escape_end(text, position) if text[position] == "\\" else position + 1
        piece = text[position:end]
        made += literals.escape(piece) if len(piece) > 1 else piece
        position = end
    return made


def _hole(text: str, start: int, braces: int, nesting: int) -> tuple[HoleText, int]:
    """(hole, position behind its closing braces)."""
    position = _expression_end(text, start, nesting)
    expression, alignment, format_text = text[start:position], "", ""
    if text[position : position + 1] == ",":
        end = position
        while end < len(text) and text[end] not in ":}":
            end += 1
        alignment, position = text[position + 1 : end].strip(), end
        if not alignment:
            raise _nothing_there(text, position)
    if text[position : position + 1] == ":":
        end = text.find("}", position)
        format_text, position = text[position + 1 : end if end >= 0 else len(text)], end if end >= 0 else len(text)
    if not text.startswith("}" * braces, position):
        raise Diagnostic("CS8076")
    if not expression.strip():
        raise _nothing_there(text, start + len(expression))
    if not format_text and text[position - 1] == ":":
        raise SyntaxFault("the format is empty; expected a format", text, position - 1, identifier="CS8089")
    return HoleText(expression, start, _alignment(alignment), format_text), position + braces


def _nothing_there(text: str, at: int) -> SyntaxFault:
    return SyntaxFault(
        "an expression is expected in the hole of the interpolated string", text, at, identifier="CS1733"
    )


def _alignment(text: str) -> int:
    if not text:
        return 0
    digits = text.lstrip("+-").strip()
    if not digits.isdigit() or len(digits) > 6 or int(digits) > MAX_ALIGNMENT:
        raise EvaluationError(f"The alignment '{text[:20]}' must be a number up to {MAX_ALIGNMENT}")
    return -int(digits) if text.startswith("-") else int(digits)


def _expression_end(text: str, position: int, nesting: int) -> int:
    """Where a hole's expression ends: at `,`, `:` or `}` outside of brackets and strings."""
    open_brackets: list[str] = []
    while position < len(text):
        character = text[position]
        if not open_brackets and character in ",:}":
            return position
        if character in _CLOSING:
            open_brackets.append(_CLOSING[character])
        elif open_brackets and character == open_brackets[-1]:
            open_brackets.pop()
        elif character == "'":
            position = _char_end(text, position)
            continue
        elif character == '"' or (character in "$@" and text[position + 1 : position + 2] in ("$", "@", '"')):
            position = _string_end(text, position, nesting)
            continue
        position += 1
    raise Diagnostic("CS8076")


def _char_end(text: str, position: int) -> int:
    end = position + (3 if text[position + 1 : position + 2] == "\\" else 2)
    close = text.find("'", end)
    if close < 0:
        raise Diagnostic("CS1012 hole")
    return close + 1


def _string_end(text: str, position: int, nesting: int) -> int:
    """Behind the string that opens here, of any kind."""
    start = position
    while text[position : position + 1] in ("$", "@"):
        position += 1
    prefix = text[start:position]
    if "$" in prefix:
        return _split(text, start, nesting + 1)[1]
    quotes = 0
    while text[position + quotes : position + quotes + 1] == '"':
        quotes += 1
    if quotes >= 3 and "@" not in prefix:
        end = text.find('"' * quotes, position + quotes)
        if end < 0:
            raise Diagnostic("CS8997")
        return end + quotes
    position += 1
    while position < len(text):
        if text[position] == '"':
            if "@" in prefix and text[position + 1 : position + 2] == '"':
                position += 2
                continue
            return position + 1
        position += 2 if text[position] == "\\" and "@" not in prefix else 1
    raise Diagnostic("CS1039", "string literal")


def _dedented(parts: list[Part]) -> list[Part]:
    """A raw string over several lines: the marks keep the places of the holes while the lines' indentation is cut."""
    holes = [part for part in parts if not isinstance(part, str)]
    mark = "\ufffe"
    text = literals.raw("".join(part if isinstance(part, str) else mark for part in parts))
    pieces = text.split(mark)
    if len(pieces) != len(holes) + 1:
        raise EvaluationError("The raw string has a character (U+FFFE) that cannot be used here")
    result: list[Part] = []
    for index, piece in enumerate(pieces):
        if piece:
            result.append(piece)
        if index < len(holes):
            result.append(holes[index])
    return result
