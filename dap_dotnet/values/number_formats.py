"""Numbers as the standard formats of .NET write them with the signs and separators of a culture. Pure."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import chain, repeat
from typing import Any

from msgspec import Struct

from dap_dotnet.runtime.model import ElementType
from dap_dotnet.values import primitives

_STANDARD = re.compile(r"([CDEFGNPRX])(\d{0,2})", re.IGNORECASE)
_DECIMAL_DIGITS = 29
_WIDE = decimal.Context(prec=800)
"""As wide as the largest double with two more digits, and 99 places."""


class Notation(Struct, frozen=True):
    """How N, C or P writes: in a pattern `n` is the number without its sign, `-` the sign, `$` the symbol."""

    negative: str
    positive: str = "n"
    symbol: str = ""
    places: int = 2
    point: str = "."
    separator: str = ","
    group_sizes: tuple[int, ...] = (3,)
    """From the point on; the last one is repeated, 0 is all that is left."""


class NumberFormat(Struct, frozen=True):
    """System.Globalization.NumberFormatInfo; by default the invariant culture's."""

    negative_sign: str = "-"
    positive_sign: str = "+"
    nan: str = "NaN"
    positive_infinity: str = "Infinity"
    negative_infinity: str = "-Infinity"
    number: Notation = Notation("-n")
    currency: Notation = Notation("($n)", "$n", "\u00a4")
    percent: Notation = Notation("-n $", "n $", "%")


INVARIANT = NumberFormat()

# By the numbers that NumberFormatInfo has for them.
NUMBER_NEGATIVE = ("(n)", "-n", "- n", "n-", "n -")
CURRENCY_POSITIVE = ("$n", "n$", "$ n", "n $")
CURRENCY_NEGATIVE = (
    "($n)", "-$n", "$-n", "$n-", "(n$)", "-n$", "n-$", "n$-", "-n $", "-$ n", "n $-", "$ n-", "$ -n", "n- $", "($ n)",
    "(n $)", "$- n",
)  # fmt: skip
PERCENT_POSITIVE = ("n $", "n$", "$n", "$ n")
PERCENT_NEGATIVE = ("-n $", "-n$", "-$n", "$-n", "$n-", "n-$", "n$-", "-$ n", "n $-", "$ n-", "$ -n", "n- $")


def number_text(
    code: ElementType, value: Any, format_text: str, culture: Callable[[], NumberFormat | None]
) -> str | None:
    """A number, or a char, as its ToString gives it ("": without a format). None where only the program can tell.

    `culture` is asked only where the text depends on it; None from it says that it is not known.
    """
    if code is ElementType.CHAR:
        return chr(value)
    match = _STANDARD.fullmatch(format_text or "G")
    if match is None:
        return None
    letter, digits = match[1].upper(), int(match[2]) if match[2] else None
    is_float = isinstance(value, float)
    if letter in "DX" and not isinstance(value, int):
        return None
    if (letter == "R" and not (is_float and digits is None)) or (letter == "G" and digits == 0 and is_float):
        return None  # releases differ
    if letter == "X":
        text = format(value & ((1 << 8 * primitives.SIZES[code]) - 1), match[1])
        return text.rjust(digits or 0, "0")
    if is_float and not math.isfinite(value):
        return _not_finite(value, culture())
    is_negative, magnitude = math.copysign(1, value) < 0, value.copy_abs() if isinstance(value, Decimal) else abs(value)
    text = ""
    if letter == "D":
        text = str(magnitude).rjust(digits or 0, "0")
    elif letter in "GR":
        text = _general(code, magnitude, digits)
    if text.isdigit() and not is_negative:
        return text
    known = culture()
    if known is None:
        return None
    notation = {"C": known.currency, "N": known.number, "P": known.percent}.get(letter)
    if letter == "E":
        text = _scientific(magnitude, 6 if digits is None else digits)
    elif not text:
        places = digits if digits is not None else (notation or known.number).places
        exact = Decimal(magnitude).scaleb(2, _WIDE) if letter == "P" else Decimal(magnitude)
        text = _fixed(exact, places, _rounding(value))
    is_negative = is_negative and (is_float or any(digit in text for digit in "123456789"))
    if notation is not None:
        number = _grouped(text, notation)
        pattern, symbol = notation.negative if is_negative else notation.positive, notation.symbol
    else:
        marks = {".": known.number.point, "+": known.positive_sign, "-": known.negative_sign}
        if match[1].islower():
            marks["E"] = "e"
        number = "".join(marks.get(character, character) for character in text)
        pattern, symbol = "-n" if is_negative else "n", ""
    parts = {"n": number, "-": known.negative_sign, "$": symbol}
    return "".join(parts.get(character, character) for character in pattern)


def _not_finite(value: float, known: NumberFormat | None) -> str | None:
    if known is None:
        return None
    return known.nan if math.isnan(value) else known.positive_infinity if value > 0 else known.negative_infinity


def _general(code: ElementType, value: Any, digits: int | None) -> str:
    """The shortest, or with so many significant digits."""
    if isinstance(value, Decimal):
        if digits is None:
            return format(value, "f")
        digits = digits or _DECIMAL_DIGITS
    if not digits:
        is_float = isinstance(value, float)
        return primitives.format_float(value, single=code is ElementType.R4) if is_float else str(value)
    context = decimal.Context(prec=digits, rounding=_rounding(value))
    shown = context.normalize(Decimal(value))
    if -5 < shown.adjusted() < digits:
        return format(shown, "f")
    return _exponent(f"{shown:E}", 2)


def _scientific(value: Any, places: int) -> str:
    shown = decimal.Context(prec=places + 1, rounding=_rounding(value)).create_decimal(Decimal(value))
    return _exponent(format(shown, f".{places}E") if shown else f"{0:.{places}f}E+0", 3)


def _exponent(text: str, width: int) -> str:
    mantissa, _, exponent = text.partition("E")
    return f"{mantissa}E{exponent[:1]}{exponent[1:].rjust(width, '0')}"


def _fixed(value: Decimal, places: int, rounding: str) -> str:
    return format(value.quantize(Decimal(1).scaleb(-places), rounding=rounding, context=_WIDE), "f")


def _rounding(value: Any) -> str:
    """.NET rounds the exact value of a binary number to even, and the digits of all others away from zero."""
    return decimal.ROUND_HALF_EVEN if isinstance(value, float) else decimal.ROUND_HALF_UP


def _grouped(text: str, notation: Notation) -> str:
    whole, _, fraction = text.partition(".")
    sizes: Sequence[int] = notation.group_sizes
    parts: list[str] = []
    for size in chain(sizes, repeat(sizes[-1] if sizes else 0)):
        if not 0 < size < len(whole):
            break
        parts.insert(0, whole[-size:])
        whole = whole[:-size]
    return notation.separator.join([whole, *parts]) + (f"{notation.point}{fraction}" if fraction else "")
