"""Values of C# literals (C# specification 6.4.5): numbers, chars, strings of every kind. The lexer has checked them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from dap_dotnet.errors import Thrown
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.numeric import fit_decimal, single
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.tree import Literal, Node
from dap_dotnet.runtime.model import ElementType as E

ESCAPE = re.compile(
    r"""\\(?:['"\\0abefnrtv]|x[0-9a-fA-F]{1,4}|u[0-9a-fA-F]{4}|U(?:000[0-9a-fA-F]|0010)[0-9a-fA-F]{4}|(?P<wrong>))"""
)
"""An escape sequence, or the backslash of what is none."""
_SIMPLE_ESCAPES = {
    "'": "'", '"': '"', "\\": "\\", "0": "\0", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r",
    "t": "\t", "v": "\v",
}  # fmt: skip
_LIMITS = {E.I4: 1 << 31, E.U4: 1 << 32, E.I8: 1 << 63, E.U8: 1 << 64}
_MAX_DIGITS = 400


def number(text: str) -> Literal:
    """A literal of digits."""
    is_real = text[:2].lower() not in ("0x", "0b") and re.search(r"[.eEfFdDmM]", text) is not None
    return _real(text) if is_real else _integer(text)


def _integer(text: str) -> Literal:
    """An integer literal: the first of int, uint, long, ulong that holds it, as its suffix allows. CS1021 otherwise."""
    if len(text) > _MAX_DIGITS:
        raise Diagnostic("CS1021 malformed", text[:40])
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    value = int(digits.replace("_", ""), {"0x": 16, "0b": 2}.get(digits[:2].lower(), 10))
    for code, limit in _LIMITS.items():
        is_allowed = ("u" not in suffix or code in (E.U4, E.U8)) and ("l" not in suffix or code in (E.I8, E.U8))
        if is_allowed and value < limit:
            return Literal(code, value)
    raise Diagnostic("CS1021", text[:40])


def negated(operand: Literal, text: str) -> Literal | None:
    """`-2147483648` and `-9223372036854775808` are literals of int and long, though their digits alone are not."""
    if not text.replace("_", "").isdigit():
        return None
    if operand.value == 1 << 31 and operand.code is E.U4:
        return Literal(E.I4, -(1 << 31))
    if operand.value == 1 << 63 and operand.code is E.U8:
        return Literal(E.I8, -(1 << 63))
    return None


def _real(text: str) -> Literal:
    """A real literal: double, or float and decimal by suffix. CS0594 when it is out of range."""
    digits = text.replace("_", "")
    suffix = digits[-1].lower() if digits[-1].isalpha() else ""
    if suffix:
        digits = digits[:-1]
    if suffix == "m":
        try:
            return Literal(E.VALUETYPE, fit_decimal(Decimal(digits)))
        except (Thrown, InvalidOperation):
            raise Diagnostic("CS0594", "decimal") from None
    value = single(float(digits)) if suffix == "f" else float(digits)
    if math.isinf(value):
        raise Diagnostic("CS0594", "float" if suffix == "f" else "double")
    return Literal(E.R4 if suffix == "f" else E.R8, value)


def unescaped(text: str) -> str:
    """A text with what its escape sequences mean: all are well formed."""

    def meant(match: re.Match[str]) -> str:
        escape = match.group()
        return _SIMPLE_ESCAPES.get(escape[1]) or chr(int(escape[2:], 16))

    return joined(ESCAPE.sub(meant, text))


def joined(text: str) -> str:
    r"""Text in which pairs of surrogates (`\uD83C\uDF89`) are one character, as Python has them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def utf8(text: str) -> Node:
    """`"text"u8`: a ReadOnlySpan<byte> over a new array. CS9026 for a text that is not Unicode."""
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise Diagnostic("CS9026") from None
    byte = syntax.PredefinedTypeSyntax("byte")
    span = syntax.NamedTypeSyntax((syntax.TypePart("System"), syntax.TypePart("ReadOnlySpan", (byte,))))
    items = tuple(Literal(E.I4, each) for each in content)
    return syntax.New(span, (syntax.Argument(syntax.NewArray(byte, (), items)),))


def raw(pieces: Sequence[str]) -> tuple[str, ...]:
    """The texts before, between and behind the holes of a raw string.

    The last line's indentation is removed from all lines. CS8997, CS8999.
    """
    if not any("\n" in piece for piece in pieces):
        return tuple(pieces)
    lines = [piece.replace("\r\n", "\n").split("\n") for piece in pieces]
    if len(lines[0]) < 2 or len(lines[-1]) < 2 or lines[0][0].strip() or lines[-1][-1].strip():
        raise Diagnostic("CS8997 lines")
    indentation = lines[-1].pop()
    for number, piece in enumerate(lines):
        for index, line in enumerate(piece):
            if number and not index:
                continue  # it goes on behind a hole
            is_before_hole = index == len(piece) - 1 and number < len(lines) - 1
            if not line.startswith(indentation) and index + number and (line.strip() or is_before_hole):
                raise Diagnostic("CS8999")
            piece[index] = line[len(indentation) :]
    return tuple("\n".join(piece[not number :]) for number, piece in enumerate(lines))


NULL = Literal(E.CLASS, None)
TRUE, FALSE = Literal(E.BOOLEAN, True), Literal(E.BOOLEAN, False)
