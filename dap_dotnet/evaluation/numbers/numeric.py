"""Arithmetic of C# numbers: promotions, wrap-around, checked overflow, IEEE rules. Pure.

Types are named by their element types; VALUETYPE is decimal (the only value type that is a number). Values are
Python's: int (a char is its UTF-16 unit), float, Decimal.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import Any

from dap_dotnet.errors import Thrown
from dap_dotnet.evaluation.numbers import decimals
from dap_dotnet.runtime.model import ElementType as E

DECIMAL = E.VALUETYPE
BITS = {
    E.CHAR: 16, E.I1: 8, E.U1: 8, E.I2: 16, E.U2: 16, E.I4: 32, E.U4: 32, E.I8: 64, E.U8: 64, E.I: 64, E.U: 64,
}  # fmt: skip
SIGNED = frozenset({E.I1, E.I2, E.I4, E.I8, E.I})
FLOATS = frozenset({E.R4, E.R8})
_TO_INT = frozenset({E.CHAR, E.I1, E.U1, E.I2, E.U2, E.I4})
_NAMES = {
    E.CHAR: "char", E.I1: "sbyte", E.U1: "byte", E.I2: "short", E.U2: "ushort", E.I4: "int", E.U4: "uint",
    E.I8: "long", E.U8: "ulong", E.I: "nint", E.U: "nuint", E.R4: "float", E.R8: "double", DECIMAL: "decimal",
}  # fmt: skip

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
"""The predefined arithmetic operators' operand types, those preferred first."""


def widens(source: E, target: E) -> bool:
    """Whether there is an implicit numeric conversion, or none is needed."""
    return source is target or target in _WIDER[source]


def fits(value: int, target: E) -> bool:
    """Whether an integer is in the range of an integer type."""
    bits = BITS.get(target)
    if bits is None:
        return False
    return -(1 << (bits - 1)) <= value < 1 << (bits - 1) if target in SIGNED else 0 <= value < 1 << bits


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
    best = [
        target
        for target in usable
        if all(_better(target, other, (left, right)) for other in usable if other is not target)
    ]
    return best[0] if len(best) == 1 else None


_SIGNED_OVER = {
    E.I4: (E.U4, E.U8, E.U), E.I8: (E.U8,), E.I: (E.U,),
}  # fmt: skip


def _better(target: E, other: E, sources: tuple[E, E]) -> bool:
    """Whether an operator over `target` is better than one over `other`: no operand is worse off, one is better off."""
    at_all = False
    for source in sources:
        if _conversion_better(source, target, other):
            at_all = True
        elif _conversion_better(source, other, target):
            return False
    return at_all


def _conversion_better(source: E, target: E, other: E) -> bool:
    if source is target:
        return True
    if source is other:
        return False
    if widens(target, other) and not widens(other, target):
        return True
    return other in _SIGNED_OVER.get(target, ())


def unary_type(operator: str, operand: E) -> E | None:
    """The type of +x, -x or ~x; None when the operator is not defined."""
    if operand in _TO_INT:
        return E.I4
    if operator == "~":
        return None if operand in FLOATS or operand is DECIMAL else operand
    if operator == "-":
        return {E.U4: E.I8, E.U8: None, E.U: None}.get(operand, operand)
    return operand


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
        rounded: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    return rounded


def overflow() -> Thrown:
    """The error of checked arithmetic."""
    return Thrown("System.OverflowException", "Arithmetic operation resulted in an overflow.")


def _divided_by_zero() -> Thrown:
    return Thrown("System.DivideByZeroException", "Attempted to divide by zero.")


def _divide(left: int, right: int) -> int:
    if right == 0:
        raise _divided_by_zero()
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    if right == 0:
        raise _divided_by_zero()
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _float_divide(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _float_remainder(left: float, right: float) -> float:
    if right == 0 or math.isinf(left) or math.isnan(left) or math.isnan(right):
        return math.nan
    return math.fmod(left, right)


_INTEGER: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divide,
    "%": _remainder,
    "&": lambda left, right: left & right,
    "|": lambda left, right: left | right,
    "^": lambda left, right: left ^ right,
}
_FLOAT: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _float_divide,
    "%": _float_remainder,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda left, right: bool(left == right),
    "!=": lambda left, right: bool(left != right),
    "<": lambda left, right: bool(left < right),
    "<=": lambda left, right: bool(left <= right),
    ">": lambda left, right: bool(left > right),
    ">=": lambda left, right: bool(left >= right),
}


def binary(operator: str, code: E, *, checked: bool = False) -> Callable[[Any, Any], Any] | None:
    """The function of an arithmetic operator on two values of one promoted type; None when it is not defined."""
    if code is DECIMAL:
        function = decimals.OPERATIONS.get(operator)
        return None if function is None else _in_decimal(function)
    if code in FLOATS:
        plain = _FLOAT.get(operator)
        if plain is None or code is E.R8:
            return plain
        return lambda left, right: single(plain(left, right))
    return _integer_function(operator, code, checked=checked)


def _integer_function(operator: str, code: E, *, checked: bool) -> Callable[[int, int], int] | None:
    exact = _INTEGER.get(operator)
    if exact is None:
        return None
    low, high = (
        (-(1 << (BITS[code] - 1)), (1 << (BITS[code] - 1)) - 1) if code in SIGNED else (0, (1 << BITS[code]) - 1)
    )
    refuses = checked or operator in "/%"  # int.MinValue / -1 overflows in any context

    def apply(left: int, right: int) -> int:
        result = exact(left, right)
        if low <= result <= high and not (operator == "%" and right == -1 and left == low):
            return result
        if refuses:
            raise overflow()
        return wrap(code, result)

    return apply


def _in_decimal(function: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Decimal, Decimal], Decimal]:
    def apply(left: Decimal, right: Decimal) -> Decimal:
        try:
            return function(left, right)
        except ZeroDivisionError:
            raise _divided_by_zero() from None
        except OverflowError as error:
            raise Thrown("System.OverflowException", str(error)) from None

    return apply


def shift(operator: str, code: E) -> Callable[[int, int], int]:
    """The function of <<, >> or >>> on a value of the (promoted) type; the count is masked, as C# does."""
    bits = BITS[code]
    mask = bits - 1
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


def convert(source: E, target: E, *, checked: bool = False) -> Callable[[Any], Any]:
    """The function of an explicit or implicit numeric conversion.

    Out of range and unchecked, integers wrap, and floats saturate as .NET 9 and later do on every processor (C#
    leaves it open).
    """
    if source is target:
        return lambda value: value
    if target is DECIMAL:
        return _to_decimal(source)
    if target in FLOATS:
        if target is E.R8:
            return float
        return lambda value: single(_rounded_once(value))
    return _to_integer(source, target, checked=checked)


def _rounded_once(value: Any) -> float:
    """A number as the double from which rounding to float gives the right float, also for 64-bit integers."""
    result = float(value)
    if isinstance(value, int) and abs(value) >= 1 << 53 and int(result) != value:
        bits = struct.unpack("<q", struct.pack("<d", result))[0]
        if not bits & 1:  # round to odd: the double's rounding must not decide the float's tie
            away = abs(int(result)) < abs(value)
            result = struct.unpack("<d", struct.pack("<q", bits + 1 if away else bits - 1))[0]
    return result


def _to_decimal(source: E) -> Callable[[Any], Decimal]:
    if source not in FLOATS:
        return Decimal

    def apply(value: float) -> Decimal:
        try:
            return decimals.from_float(value, single=source is E.R4)
        except OverflowError as error:
            raise Thrown("System.OverflowException", str(error)) from None

    return apply


def _to_integer(source: E, target: E, *, checked: bool) -> Callable[[Any], int]:
    if source not in FLOATS and source is not DECIMAL:
        if not checked:
            return lambda value: wrap(target, value)

        def narrow(value: int) -> int:
            if not fits(value, target):
                raise overflow()
            return value

        return narrow
    always_checked = checked or source is DECIMAL

    def truncate(value: Any) -> int:
        if isinstance(value, float) and not math.isfinite(value):
            if always_checked:
                raise overflow()
            whole = 0 if math.isnan(value) else (1 << 70 if value > 0 else -(1 << 70))
        else:
            whole = int(value)
        if fits(whole, target):
            return whole
        if always_checked:
            text = f"Value was either too large or too small for {_NAMES[target]}."
            raise Thrown("System.OverflowException", text)
        return _saturated(whole, target)

    return truncate


def _saturated(value: int, target: E) -> int:
    """Small types go by way of int, as the JIT converts."""
    if BITS[target] < 32:
        return wrap(target, _saturated(value, E.I4))
    bits = BITS[target]
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if target in SIGNED else (0, (1 << bits) - 1)
    return min(max(value, low), high)
