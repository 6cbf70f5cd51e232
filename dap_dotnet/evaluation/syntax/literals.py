"""Values of C# literals (C# specification 6.4.5): numbers, chars, strings of every kind."""

from __future__ import annotations

import re
import struct
from decimal import Decimal, InvalidOperation

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.numbers.decimals import fit
from dap_dotnet.evaluation.syntax.tree import Constant, Literal
from dap_dotnet.runtime.model import ElementType

_SIMPLE_ESCAPES = {
    "'": "'",
    '"': '"',
    "\\": "\\",
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_INTEGER = re.compile(
    r"^(?:0[xX](?P<hex>[0-9a-fA-F_]+?)|0[bB](?P<bin>[01_]+)|(?P<dec>[0-9_]+))(?P<suffix>[uUlL]{0,2})$"
)
_LIMITS = {ElementType.I4: 1 << 31, ElementType.U4: 1 << 32, ElementType.I8: 1 << 63, ElementType.U8: 1 << 64}
_MAX_DIGITS = 400


def integer(text: str) -> Literal:
    """An integer literal: the first of int, uint, long, ulong that holds it, as its suffix allows. CS1021 otherwise."""
    match = _INTEGER.match(text)
    if match is None or len(text) > _MAX_DIGITS:
        raise Diagnostic("CS1021 malformed", text[:40])
    digits = (match["hex"] or match["bin"] or match["dec"]).replace("_", "")
    base = 16 if match["hex"] else 2 if match["bin"] else 10
    value = int(digits or "0", base)
    suffix = match["suffix"].lower()
    wanted = [ElementType.I4, ElementType.U4, ElementType.I8, ElementType.U8]
    if "u" in suffix:
        wanted = [ElementType.U4, ElementType.U8]
    if "l" in suffix:
        wanted = [code for code in wanted if code in (ElementType.I8, ElementType.U8)]
    for code in wanted:
        if value < _LIMITS[code]:
            return Literal(code, value)
    raise Diagnostic("CS1021", text[:40])


def negated(operand: Literal, text: str) -> Literal | None:
    """`-2147483648` and `-9223372036854775808` are literals of int and long, though their digits alone are not."""
    if not text.replace("_", "").isdigit():
        return None
    if operand.value == 1 << 31 and operand.code is ElementType.U4:
        return Literal(ElementType.I4, -(1 << 31))
    if operand.value == 1 << 63 and operand.code is ElementType.U8:
        return Literal(ElementType.I8, -(1 << 63))
    return None


def real(text: str) -> Literal:
    """A real literal: double, or float and decimal by suffix. CS0594 when it is out of range."""
    digits = text.replace("_", "")
    suffix = digits[-1].lower() if digits[-1].isalpha() else ""
    if suffix:
        digits = digits[:-1]
    if suffix == "m":
        try:
            number = fit(Decimal(digits))
        except (OverflowError, InvalidOperation):
            raise Diagnostic("CS0594", "decimal") from None
        return Literal(ElementType.VALUETYPE, number)
    value = float(digits)
    if suffix == "f":
        try:
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            value = float("inf")
    if value == float("inf"):
        kind = "float" if suffix == "f" else "double"
        raise Diagnostic("CS0594", kind)
    return Literal(ElementType.R4 if suffix == "f" else ElementType.R8, value)


def escape(text: str) -> str:
    r"""One escape sequence, from its backslash: `\n`, `\x41`, `\u0041`, `\U0001F389`. CS1009 for others."""
    kind = text[1:2]
    if kind in _SIMPLE_ESCAPES and len(text) == 2:
        return _SIMPLE_ESCAPES[kind]
    try:
        if kind in ("x", "u", "U"):
            return chr(int(text[2:], 16))
    except (ValueError, OverflowError):
        pass
    raise Diagnostic("CS1009", text[:12])


def joined(text: str) -> str:
    r"""Text in which pairs of surrogates (`\uD83C\uDF89`) are one character, as Python has them."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def character(text: str) -> Literal:
    """A char literal's content. CS1012 unless it is one UTF-16 unit."""
    if len(text) != 1 or ord(text) > 0xFFFF:
        raise Diagnostic("CS1012" if text else "CS1011")
    return Literal(ElementType.CHAR, ord(text))


def string(value: str) -> Literal:
    """A string literal of a text that is already decoded."""
    return Literal(ElementType.STRING, joined(value))


def raw(text: str) -> str:
    """The content of a raw string literal between its quotes: the last line's indentation is removed from all lines."""
    if "\n" not in text:
        return text
    lines = text.replace("\r\n", "\n").split("\n")
    indentation = lines[-1]
    if lines[0].strip() or indentation.strip():
        raise Diagnostic("CS8997 lines")
    content = []
    for line in lines[1:-1]:
        if not line.startswith(indentation) and line.strip():
            raise Diagnostic("CS8999")
        content.append(line[len(indentation) :])
    return "\n".join(content)


NULL = Literal(ElementType.CLASS, None)


def boolean(value: bool) -> Literal:
    """`true` or `false`."""
    constant: Constant = value
    return Literal(ElementType.BOOLEAN, constant)
