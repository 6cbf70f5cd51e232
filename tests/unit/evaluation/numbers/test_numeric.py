"""Arithmetic against an oracle of its own: the rules of the C# specification, with ctypes for the sizes."""

from __future__ import annotations

import ctypes
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import numeric
from dap_dotnet.runtime.model import ElementType as E
from dap_dotnet.values import primitives

CTYPES = {
    E.I1: ctypes.c_int8,
    E.U1: ctypes.c_uint8,
    E.I2: ctypes.c_int16,
    E.U2: ctypes.c_uint16,
    E.CHAR: ctypes.c_uint16,
    E.I4: ctypes.c_int32,
    E.U4: ctypes.c_uint32,
    E.I8: ctypes.c_int64,
    E.U8: ctypes.c_uint64,
    E.I: ctypes.c_int64,
    E.U: ctypes.c_uint64,
}
CODES = st.sampled_from(sorted(CTYPES))
INTEGERS = st.integers(-(1 << 65), 1 << 65)


def spec_promotion(left: E, right: E) -> E | None:
    """C# specification 12.4.7.3, for the types that it names."""
    both = {left, right}
    for code in (numeric.DECIMAL,):
        if code in both:
            return None if both & {E.R4, E.R8} else code
    for code in (E.R8, E.R4):
        if code in both:
            return code
    if E.U8 in both:
        return None if both & {E.I1, E.I2, E.I4, E.I8} else E.U8
    if E.I8 in both:
        return E.I8
    if E.U4 in both:
        return E.I8 if both & {E.I1, E.I2, E.I4} else E.U4
    return E.I4


NAMED = [*sorted(set(CTYPES) - {E.I, E.U}), E.R4, E.R8, numeric.DECIMAL]


@pytest.mark.parametrize("left", NAMED)
@pytest.mark.parametrize("right", NAMED)
def test_numeric_promotion_is_that_of_the_specification(left: E, right: E) -> None:
    assert numeric.promote(left, right) == spec_promotion(left, right)


@pytest.mark.parametrize(
    ("left", "right", "constant", "expected"),
    [
        (E.U4, E.I4, 1, E.U4),
        (E.U4, E.I4, -1, E.I8),
        (E.U8, E.I4, 1, E.U8),
        (E.U8, E.I4, -1, None),
        (E.U8, E.I8, 1, E.U8),
        (E.U1, E.I4, 1, E.I4),
        (E.I8, E.I4, 1, E.I8),
        (E.U, E.I4, 1, E.U),
        (E.I, E.I4, -1, E.I),
        (E.R4, E.I4, 1, E.R4),
    ],
)
def test_numeric_constants_convert_by_their_value(left: E, right: E, constant: int, expected: E | None) -> None:
    assert numeric.promote(left, right, None, constant) == expected
    assert numeric.promote(right, left, constant, None) == expected


@given(CODES, INTEGERS)
def test_numeric_wrap_is_the_truncation_of_the_type(code: E, value: int) -> None:
    assert numeric.wrap(code, value) == CTYPES[code](value).value


@given(st.sampled_from([E.I4, E.U4, E.I8, E.U8]), INTEGERS, INTEGERS, st.sampled_from("+-*&|^"))
def test_numeric_integer_operators_wrap(code: E, left: int, right: int, operator: str) -> None:
    left, right = CTYPES[code](left).value, CTYPES[code](right).value
    exact = {
        "+": left + right, "-": left - right, "*": left * right, "&": left & right, "|": left | right, "^": left ^ right
    }[operator]  # fmt: skip
    function = numeric.binary(operator, code)
    assert function is not None
    assert function(left, right) == CTYPES[code](exact).value


@given(st.sampled_from([E.I4, E.U4, E.I8, E.U8]), INTEGERS, INTEGERS, st.sampled_from("+-*"))
def test_numeric_checked_operators_refuse_what_would_wrap(code: E, left: int, right: int, operator: str) -> None:
    left, right = CTYPES[code](left).value, CTYPES[code](right).value
    exact = {"+": left + right, "-": left - right, "*": left * right}[operator]
    function = numeric.binary(operator, code, checked=True)
    assert function is not None
    if CTYPES[code](exact).value == exact:
        assert function(left, right) == exact
    else:
        with pytest.raises(EvaluationError, match="OverflowException"):
            function(left, right)


@given(st.sampled_from([E.I4, E.I8]), INTEGERS, INTEGERS)
def test_numeric_division_truncates_towards_zero(code: E, left: int, right: int) -> None:
    left, right = CTYPES[code](left).value, CTYPES[code](right).value
    divide, remainder = numeric.binary("/", code), numeric.binary("%", code)
    assert divide is not None
    assert remainder is not None
    low = -(1 << (numeric.BITS[code] - 1))
    if right == 0:
        with pytest.raises(EvaluationError, match="DivideByZero"):
            divide(left, right)
    elif left == low and right == -1:
        with pytest.raises(EvaluationError, match="OverflowException"):
            divide(left, right)
    else:
        quotient = divide(left, right)
        assert quotient * right + remainder(left, right) == left
        assert abs(remainder(left, right)) < abs(right)
        assert quotient == 0 or (quotient > 0) == ((left > 0) == (right > 0))


@given(st.sampled_from([E.I4, E.U4, E.I8, E.U8]), INTEGERS, st.integers(-(1 << 31), (1 << 31) - 1))
def test_numeric_shift_counts_are_masked(code: E, value: int, count: int) -> None:
    value = CTYPES[code](value).value
    bits = numeric.BITS[code]
    masked = count & (bits - 1)
    assert numeric.shift("<<", code)(value, count) == CTYPES[code](value << masked).value
    assert numeric.shift(">>", code)(value, count) == value >> masked
    assert numeric.shift(">>>", code)(value, count) == CTYPES[code]((value % (1 << bits)) >> masked).value


@given(st.floats(), st.floats(), st.sampled_from("+-*/%"))
def test_numeric_doubles_never_raise_and_follow_ieee(left: float, right: float, operator: str) -> None:
    function = numeric.binary(operator, E.R8)
    assert function is not None
    result = function(left, right)
    if right == 0 and operator == "/":
        expected_nan = left == 0 or math.isnan(left)
        assert math.isnan(result) is expected_nan
        if not expected_nan:
            assert result == math.copysign(math.inf, left) * math.copysign(1, right)
    if right == 0 and operator == "%":
        assert math.isnan(result)


@given(st.floats(width=32), st.floats(width=32), st.sampled_from("+-*/"))
def test_numeric_floats_are_rounded_to_single(left: float, right: float, operator: str) -> None:
    function = numeric.binary(operator, E.R4)
    assert function is not None
    result = function(left, right)
    assert math.isnan(result) or ctypes.c_float(result).value == result


@given(st.floats(), CODES)
def test_numeric_float_to_integer_saturates(value: float, code: E) -> None:
    result = numeric.convert(E.R8, code)(value)
    assert numeric.fits(result, code)
    if math.isnan(value):
        assert result == 0
    elif math.isfinite(value) and numeric.fits(int(value), code):
        assert result == int(value)


@given(st.integers(-(1 << 63), (1 << 64) - 1))
def test_numeric_integer_to_float_rounds_once(value: int) -> None:
    code = E.U8 if value >= 0 else E.I8
    exact = numeric.convert(code, E.R4)(value)
    candidates = [exact, math.nextafter(exact, math.inf), math.nextafter(exact, -math.inf)]
    singles = {ctypes.c_float(candidate).value for candidate in candidates}
    assert abs(Decimal(exact) - value) <= min(abs(Decimal(single) - value) for single in singles)


DECIMALS = st.decimals(-(10**27), 10**27, places=5).map(numeric.fit_decimal)


@given(DECIMALS, DECIMALS, st.sampled_from("+-*/%"))
def test_numeric_decimals_stay_in_range_and_keep_to_the_exact_result(
    left: Decimal, right: Decimal, operator: str
) -> None:
    function = numeric.binary(operator, numeric.DECIMAL)
    assert function is not None
    if operator in "/%" and not right:
        with pytest.raises(EvaluationError, match="DivideByZero"):
            function(left, right)
        return
    if operator in "*/" and abs(left * right if operator == "*" else left / right) >= (1 << 96) - 1:
        with pytest.raises(EvaluationError, match="Overflow"):
            function(left, right)
        return
    result = function(left, right)
    assert primitives.decode_decimal(primitives.pack_decimal(result)) == result
    exponent = result.as_tuple().exponent
    assert isinstance(exponent, int)
    assert -28 <= exponent <= 0
    if operator in "+-":
        assert result == (left + right if operator == "+" else left - right) or abs(result) > 10**22


@pytest.mark.parametrize(
    ("value", "printed"),  # as int, uint, long, ulong and byte by a program on .NET 8, x64
    [
        (1e10, [-2147483648, 1410065408, 10000000000, 10000000000, 0]),
        (-1e10, [-2147483648, 2884901888, -10000000000, 18446744063709551616, 0]),
        (-300.0, [-300, 4294966996, -300, 18446744073709551316, 212]),
        (1.5e19, [-2147483648, 0, -9223372036854775808, 15000000000000000000, 0]),
        (1.9e19, [-2147483648, 0, -9223372036854775808, 0, 0]),
        (-1e19, [-2147483648, 0, -9223372036854775808, 9223372036854775808, 0]),
        (math.nan, [-2147483648, 0, -9223372036854775808, 0, 0]),
        (math.inf, [-2147483648, 0, -9223372036854775808, 0, 0]),
        (-math.inf, [-2147483648, 0, -9223372036854775808, 9223372036854775808, 0]),
        (2147483648.0, [-2147483648, 2147483648, 2147483648, 2147483648, 0]),
    ],
)
def test_numeric_floats_out_of_range_are_what_x64_makes_of_them(value: float, printed: list[int]) -> None:
    codes = (E.I4, E.U4, E.I8, E.U8, E.U1)
    assert [numeric.convert(E.R8, code, saturates=False)(value) for code in codes] == printed


@pytest.mark.parametrize(
    ("left", "operator", "right", "expected"),
    [
        ("1", "/", "3", "0.3333333333333333333333333333"),
        ("2", "/", "3", "0.6666666666666666666666666667"),
        ("10", "/", "3", "3.3333333333333333333333333333"),
        ("10.00", "/", "5", "2.00"),
        ("1", "/", "4", "0.25"),
        ("1.10", "+", "2.2", "3.30"),
        ("1.10", "*", "2.0", "2.200"),
        ("7", "%", "-3", "1"),
        ("-7", "%", "3", "-1"),
        ("356.23", "%", "292627.6437047381561", "356.23"),
        ("5.00", "%", "3", "2.00"),
        ("2.25", "/", "50090", "0.0000449191455380315432222"),
        ("0.0", "/", "-658", "-0.0"),
        ("1.50", "/", "79228162514264337593543950335", "0"),
        ("20.15409641995118503", "*", "0", "0"),
        ("1.50", "*", "0.0", "0.000"),
    ],
)
def test_numeric_decimal_results_have_the_scale_of_dotnet(left: str, operator: str, right: str, expected: str) -> None:
    function = numeric.binary(operator, numeric.DECIMAL)
    assert function is not None
    assert str(function(Decimal(left), Decimal(right))) == expected
