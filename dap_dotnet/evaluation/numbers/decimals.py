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
    product = fit(_CONTEXT.multiply(left, right))
    # Only of factors of up to 32 bits has a zero the scale of both.
    return product if product or _magnitude(left) | _magnitude(right) < 1 << 32 else Decimal(0)


def divide(left: Decimal, right: Decimal) -> Decimal:
    """`left / right`. Raises ZeroDivisionError."""
    if not right:
        raise ZeroDivisionError
    quotient = fit(_CONTEXT.divide(left, right))
    # What has a remainder at the scale of the operands is divided on as far as there is room, then loses its zeros.
    if _scale(quotient) > max(_scale(left) - _scale(right), 0) or (left and not quotient):
        quotient = fit(quotient.normalize(_CONTEXT))
    return quotient


def remainder(left: Decimal, right: Decimal) -> Decimal:
    """`left % right`, with the sign of `left`. Raises ZeroDivisionError."""
    if not right:
        raise ZeroDivisionError
    if left.copy_abs() < right.copy_abs():
        return left
    return fit(_CONTEXT.remainder(left, right))


def _magnitude(value: Decimal) -> int:
    return int(value.copy_abs().scaleb(_scale(value), _CONTEXT))


def _scale(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    assert isinstance(exponent, int)
    return -exponent


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
