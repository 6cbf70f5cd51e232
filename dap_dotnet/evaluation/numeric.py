"""Arithmetic of C# numbers: promotions, wrap-around, checked overflow, IEEE rules. Pure.

Types are named by their element types; VALUETYPE is decimal (the only value type that is a number). Values are
Python's: int (a char is its UTF-16 unit), float, Decimal.
"""

from __future__ import annotations

import decimal
import math
import operator
import struct
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from dap_dotnet.errors import Thrown
from dap_dotnet.runtime.model import ElementType as E

DECIMAL = E.VALUETYPE
BITS = {
    E.CHAR: 16, E.I1: 8, E.U1: 8, E.I2: 16, E.U2: 16, E.I4: 32, E.U4: 32, E.I8: 64, E.U8: 64, E.I: 64, E.U: 64,
}  # fmt: skip
SIGNED = frozenset({E.I1, E.I2, E.I4, E.I8, E.I})
FLOATS = frozenset({E.R4, E.R8})
_DECIMAL_LIMIT = 1 << 96
_MAX_SCALE = 28
# Wide enough that each operation is exact, or (division) rounds only once more, far behind the last kept digit.
_CONTEXT = decimal.Context(prec=120, Emin=-9999, Emax=9999, rounding=decimal.ROUND_HALF_EVEN, traps=[])
_TO_INT = frozenset({E.CHAR, E.I1, E.U1, E.I2, E.U2, E.I4})

# Implicit numeric conversions (C# specification 10.2.3), without the identity.
_WIDER: dict[E, frozenset[E]] = {
    E.I1: frozenset({E.I2, E.I4, E.I8, E.I, E.R4, E.R8, DECIMAL}),
    E.U1: frozenset({E.I2, E.U2, E.I4, E.U4, E.I8, E.U8, E.I, E.U, E.R4, E.R8, DECIMAL}),
    E.I2: frozenset({E.I4, E.I8, E.I, E.R4, E.R8, DECIMAL}),
    E.U2: frozenset({E.I4, E.U4, E.I8, E.U8, E.I, E.U, E.R4, E.R8, DECIMAL}),
    E.I4: frozenset({E.I8, E.I, E.R4, E.R8, DECIMAL}),
    E.U4: frozenset({E.I8, E.U8, E.U, E.R4, E.R8, DECIMAL}),
    E.I8: frozenset({E.R4, E.R8, DECIMAL}),
    E.U8: frozenset({E.R4, E.R8, DECIMAL}),
    E.I: frozenset({E.I8, E.R4, E.R8, DECIMAL}),
    E.U: frozenset({E.U8, E.R4, E.R8, DECIMAL}),
    E.CHAR: frozenset({E.U2, E.I4, E.U4, E.I8, E.U8, E.I, E.U, E.R4, E.R8, DECIMAL}),
    E.R4: frozenset({E.R8}),
    E.R8: frozenset(),
    DECIMAL: frozenset(),
}
_OPERATOR_TYPES = (E.I4, E.U4, E.I, E.U, E.I8, E.U8, E.R4, E.R8, DECIMAL)
"""The predefined arithmetic operators' operand types: each is better than those behind it, but for decimal."""


def widens(source: E, target: E) -> bool:
    """Whether there is an implicit numeric conversion, or none is needed."""
    return source is target or target in _WIDER[source]


def fits(value: int, target: E) -> bool:
    """Whether an integer is in the range of an integer type."""
    low, high = _limits(target) if target in BITS else (1, 0)
    return low <= value <= high


def _limits(code: E) -> tuple[int, int]:
    """The least and the greatest value of an integer type."""
    bits = BITS[code]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if code in SIGNED else (0, (1 << bits) - 1)


def constant_widens(source: E, value: Any, target: E) -> bool:
    """Whether a constant converts implicitly: as its type does, or by its value when that fits."""
    if widens(source, target):
        return True
    if source is E.I4 and target is not E.CHAR:
        return fits(value, target)
    return source is E.I8 and target is E.U8 and value >= 0


@lru_cache(maxsize=4096)
def promote(left: E, right: E, left_constant: Any = None, right_constant: Any = None) -> E | None:
    """The type in which two numbers meet (12.4.7.3, by overload resolution over the predefined operators).

    A constant, when given, converts as its value allows. None: no such type, or two that are equally good.
    """

    def converts(source: E, constant: Any, target: E) -> bool:
        return widens(source, target) if constant is None else constant_widens(source, constant, target)

    usable = [
        target
        for target in _OPERATOR_TYPES
        if converts(left, left_constant, target) and converts(right, right_constant, target)
    ]
    is_equal = bool(usable) and usable[0] in FLOATS and DECIMAL in usable
    return usable[0] if usable and not is_equal else None


def unary_type(operator: str, operand: E) -> E | None:
    """The type of +x, -x or ~x; None when the operator is not defined."""
    if operator == "~":
        return shift_type(operand)
    if operator == "-" and operand in (E.U4, E.U8, E.U):
        return E.I8 if operand is E.U4 else None
    return E.I4 if operand in _TO_INT else operand


def shift_type(operand: E) -> E | None:
    """The type of a shift's result; None for floats and decimals."""
    if operand in _TO_INT:
        return E.I4
    return None if operand in FLOATS or operand is DECIMAL else operand


def wrap(code: E, value: int) -> int:
    """The value modulo the type's size."""
    bits = BITS[code]
    value &= (1 << bits) - 1
    return value - (1 << bits) if code in SIGNED and value >> (bits - 1) else value


def single(value: float) -> float:
    """Rounded to float."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def overflow() -> Thrown:
    """The error of checked arithmetic."""
    return Thrown("System.OverflowException", "Arithmetic operation resulted in an overflow.")


def _too_large() -> Thrown:
    return Thrown("System.OverflowException", "Value was either too large or too small for a Decimal.")


def _divided_by_zero() -> Thrown:
    return Thrown("System.DivideByZeroException", "Attempted to divide by zero.")


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise _divided_by_zero()
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _float_divide(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _float_remainder(left: float, right: float) -> float:
    return math.fmod(left, right) if right != 0 and math.isfinite(left) and not math.isnan(right) else math.nan


# decimals: 96 bits of digits, a scale of 0 to 28, rounding half to even


def fit_decimal(value: Decimal) -> Decimal:
    """The nearest System.Decimal with the scale that .NET gives it. Raises `Thrown` when it is too large."""
    if not value.is_finite():
        raise _too_large()
    for scale in range(min(max(_scale(value), 0), _MAX_SCALE), -1, -1):
        magnitude = abs(int(value.scaleb(scale, _CONTEXT).to_integral_value(decimal.ROUND_HALF_EVEN)))
        if magnitude < _DECIMAL_LIMIT:
            return Decimal((value.as_tuple().sign, tuple(map(int, str(magnitude))), -scale))
    raise _too_large()


def _decimal_product(left: Decimal, right: Decimal) -> Decimal:
    product = fit_decimal(_CONTEXT.multiply(left, right))
    # Only of factors of up to 32 bits has a zero the scale of both.
    return product if product or _magnitude(left) | _magnitude(right) < 1 << 32 else Decimal(0)


def decimal_quotient(left: Decimal, right: Decimal) -> Decimal:
    """`left / right`. Raises `Thrown`."""
    if not right:
        raise _divided_by_zero()
    quotient = fit_decimal(_CONTEXT.divide(left, right))
    # What has a remainder at the scale of the operands is divided on as far as there is room, then loses its zeros.
    if _scale(quotient) > max(_scale(left) - _scale(right), 0) or (left and not quotient):
        quotient = fit_decimal(quotient.normalize(_CONTEXT))
    return quotient


def _decimal_remainder(left: Decimal, right: Decimal) -> Decimal:
    """With the sign of `left`."""
    if not right:
        raise _divided_by_zero()
    return left if left.copy_abs() < right.copy_abs() else fit_decimal(_CONTEXT.remainder(left, right))


def _magnitude(value: Decimal) -> int:
    return int(value.copy_abs().scaleb(_scale(value), _CONTEXT))


def _scale(value: Decimal) -> int:
    return -int(value.as_tuple().exponent)


def _decimal_of_float(value: float, *, single: bool) -> Decimal:
    """Of 7 or 15 significant digits."""
    if not math.isfinite(value):
        raise _too_large()
    rounded = decimal.Context(prec=7 if single else 15, rounding=decimal.ROUND_HALF_EVEN).create_decimal(value)
    return fit_decimal(rounded.normalize(_CONTEXT))


_PLAIN: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_INTEGER: dict[str, Callable[[int, int], int]] = {
    **_PLAIN, "/": _divide, "%": lambda left, right: left - right * _divide(left, right),
    "&": operator.and_, "|": operator.or_, "^": operator.xor,
}  # fmt: skip
_FLOAT: dict[str, Callable[[float, float], float]] = {**_PLAIN, "/": _float_divide, "%": _float_remainder}
_DECIMAL: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": lambda left, right: fit_decimal(_CONTEXT.add(left, right)),
    "-": lambda left, right: fit_decimal(_CONTEXT.subtract(left, right)),
    "*": _decimal_product,
    "/": decimal_quotient,
    "%": _decimal_remainder,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def binary(operator: str, code: E, *, checked: bool = False) -> Callable[[Any, Any], Any] | None:
    """The function of an arithmetic operator on two values of one promoted type; None when it is not defined."""
    if code is DECIMAL:
        return _DECIMAL.get(operator)
    if code in FLOATS:
        plain = _FLOAT.get(operator)
        if plain is None or code is E.R8:
            return plain
        return lambda left, right: single(plain(left, right))
    exact = _INTEGER.get(operator)
    if exact is None:
        return None
    low, high = _limits(code)
    refuses = checked or operator in "/%"  # int.MinValue / -1 overflows in any context

    def apply(left: int, right: int) -> int:
        result = exact(left, right)
        if low <= result <= high and not (operator == "%" and right == -1 and left == low):
            return result
        if refuses:
            raise overflow()
        return wrap(code, result)

    return apply


def shift(operator: str, code: E) -> Callable[[int, int], int]:
    """The function of <<, >> or >>> on a value of the (promoted) type; the count is masked, as C# does."""
    bits, mask = BITS[code], BITS[code] - 1
    if operator == "<<":
        return lambda value, count: wrap(code, value << (count & mask))
    if operator == ">>":
        return lambda value, count: value >> (count & mask)
    return lambda value, count: wrap(code, (value & ((1 << bits) - 1)) >> (count & mask))


def negate(code: E, *, checked: bool = False) -> Callable[[Any], Any]:
    """The function of unary minus on a value of the (promoted) type."""
    if code is DECIMAL:
        return lambda value: value.copy_negate()
    if code in FLOATS:
        return lambda value: -value

    def apply(value: int) -> int:
        if checked and not fits(-value, code):
            raise overflow()
        return wrap(code, -value)

    return apply


def convert(source: E, target: E, *, checked: bool = False, saturates: bool = True) -> Callable[[Any], Any]:
    """The function of an explicit or implicit numeric conversion.

    Out of range and unchecked, integers wrap, and floats saturate, or become what x64 makes of them: see
    `Environment.saturates`.
    """
    if source is target:
        return lambda value: value
    if target is DECIMAL:
        return Decimal if source not in FLOATS else lambda value: _decimal_of_float(value, single=source is E.R4)
    if target in FLOATS:
        if target is E.R8:
            return float
        return lambda value: single(_rounded_once(value))
    return _to_integer(source, target, checked=checked, saturates=saturates)


def _rounded_once(value: Any) -> float:
    """A number as the double from which rounding to float gives the right float, also for 64-bit integers."""
    result = float(value)
    if isinstance(value, int) and abs(value) >= 1 << 53 and int(result) != value:
        bits = struct.unpack("<q", struct.pack("<d", result))[0]
        if not bits & 1:  # round to odd: the double's rounding must not decide the float's tie
            away = abs(int(result)) < abs(value)
            result = struct.unpack("<d", struct.pack("<q", bits + 1 if away else bits - 1))[0]
    return result


def _to_integer(source: E, target: E, *, checked: bool, saturates: bool) -> Callable[[Any], int]:
    if source not in FLOATS and source is not DECIMAL:

        def narrow(value: int) -> int:
            if checked and not fits(value, target):
                raise overflow()
            return wrap(target, value)

        return narrow
    always_checked = checked or source is DECIMAL

    def truncate(value: Any) -> int:
        if isinstance(value, float) and not math.isfinite(value):
            if always_checked:
                raise overflow()
            whole = 0 if math.isnan(value) and saturates else -(1 << 70) if value < 0 else 1 << 70
        else:
            whole = int(value)
        if fits(whole, target):
            return whole
        if always_checked:
            raise overflow()
        return _out_of_range(whole, target, saturates=saturates)

    return truncate


def _out_of_range(value: int, target: E, *, saturates: bool) -> int:
    """Small types go by way of int, as the JIT converts; on x64 uint by way of long, and a great ulong less half."""
    if BITS[target] < 32:
        return wrap(target, _out_of_range(value, E.I4, saturates=saturates))
    low, high = _limits(target if saturates or target is E.I4 else E.I8)
    if saturates:
        return min(max(value, low), high)
    half = 1 << 63 if value > high and target in (E.U8, E.U) else 0
    return wrap(target, half + (value - half if low <= value - half <= high else low))
