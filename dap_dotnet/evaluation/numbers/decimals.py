"""System.Decimal in Python: 96 bits of digits, a scale of 0 to 28, rounding half to even. Pure."""

from __future__ import annotations

import decimal
import math
import struct
from collections.abc import Callable
from decimal import Decimal

_LIMIT = 1 << 96
_MAX_SCALE = 28
# Wide enough that each operation is exact, or (division) rounds only once more, far behind the last kept digit.
_CONTEXT = decimal.Context(prec=120, Emin=-9999, Emax=9999, rounding=decimal.ROUND_HALF_EVEN, traps=[])


def fit(value: Decimal) -> Decimal:
    """The nearest System.Decimal with the scale that .NET gives it. Raises OverflowError when it is too large."""
    if not value.is_finite():
        raise OverflowError("Value was either too large or too small for a Decimal.")
    sign, _, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    scale = min(max(-exponent, 0), _MAX_SCALE)
    while True:
        scaled = value.scaleb(scale, _CONTEXT).to_integral_value(decimal.ROUND_HALF_EVEN)
        magnitude = abs(int(scaled))
        if magnitude < _LIMIT:
            return Decimal((sign, tuple(map(int, str(magnitude))), -scale))
        if scale == 0:
            raise OverflowError("Value was either too large or too small for a Decimal.")
        scale -= 1


def add(left: Decimal, right: Decimal) -> Decimal:
    """`left + right`."""
    return fit(_CONTEXT.add(left, right))


def subtract(left: Decimal, right: Decimal) -> Decimal:
    """`left - right`."""
    return fit(_CONTEXT.subtract(left, right))


def multiply(left: Decimal, right: Decimal) -> Decimal:
    """`left * right`."""
    return fit(_CONTEXT.multiply(left, right))


def divide(left: Decimal, right: Decimal) -> Decimal:
    """`left / right`. Raises ZeroDivisionError."""
    if not right:
        raise ZeroDivisionError
    return fit(_CONTEXT.divide(left, right))


def remainder(left: Decimal, right: Decimal) -> Decimal:
    """`left % right`, with the sign of `left`. Raises ZeroDivisionError."""
    if not right:
        raise ZeroDivisionError
    return fit(_CONTEXT.remainder(left, right))


def from_float(value: float, *, single: bool) -> Decimal:
    """The conversion from float or double: 7 or 15 significant digits. Raises OverflowError."""
    if not math.isfinite(value):
        raise OverflowError("Value was either too large or too small for a Decimal.")
    rounded = decimal.Context(prec=7 if single else 15, rounding=decimal.ROUND_HALF_EVEN).create_decimal(value)
    return fit(rounded.normalize(_CONTEXT))


def unpack(raw: bytes) -> Decimal | None:
    """From the 16 bytes of a System.Decimal (flags, high, low, middle); None when they are not one."""
    if len(raw) < 16:
        return None
    flags, high, low, middle = struct.unpack("<IIII", raw[:16])
    scale = (flags >> 16) & 0xFF
    if scale > _MAX_SCALE:
        return None
    magnitude = (high << 64) | (middle << 32) | low
    return Decimal((flags >> 31, tuple(map(int, str(magnitude))), -scale))


OPERATIONS: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": remainder,
}
