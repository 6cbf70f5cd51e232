"""Numbers as text in a culture: the expected texts are what .NET 3.1 to 10 print."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from dap_dotnet.runtime.model import ElementType as E
from dap_dotnet.values.number_formats import (
    CURRENCY_NEGATIVE,
    CURRENCY_POSITIVE,
    INVARIANT,
    NUMBER_NEGATIVE,
    PERCENT_NEGATIVE,
    PERCENT_POSITIVE,
    Notation,
    NumberFormat,
    number_text,
)

ODD = NumberFormat(
    "~", "plus", "nope", "inf", "ninf",
    Notation(NUMBER_NEGATIVE[4], places=3, point=",,", separator="'", group_sizes=(1, 2, 0)),
    Notation(CURRENCY_NEGATIVE[12], CURRENCY_POSITIVE[3], "E-n", 1, "$", "_", (4,)),
    Notation(PERCENT_NEGATIVE[7], PERCENT_POSITIVE[3], "pct", 0, ";", "|", (2,)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "value", "format_text", "text"),
    [
        (E.R8, 2.25, "F1", "2.2"),  # binary numbers round to even, decimal ones away from zero
        (E.R8, 2.35, "F1", "2.4"),
        (E.R8, 0.5, "F0", "0"),
        (E.R8, 8.5, "N0", "8"),
        (E.R8, 12.5, "E1", "1.2E+001"),
        (E.R8, 2.5, "G1", "2"),
        (E.R8, 0.045, "P0", "4 %"),
        (E.R4, 0.25, "F1", "0.2"),
        (E.VALUETYPE, Decimal("2.25"), "F1", "2.3"),
        (E.VALUETYPE, Decimal("1.25"), "E1", "1.3E+000"),
        (E.VALUETYPE, Decimal("1.25"), "G2", "1.3"),
        (E.I4, 125, "E1", "1.3E+002"),
        (E.R8, -1.0, "C", "(¤1.00)"),
        (E.I4, -1234567, "C0", "(¤1,234,567)"),
        (E.VALUETYPE, Decimal("-1234567.891"), "C", "(¤1,234,567.89)"),
        (E.VALUETYPE, Decimal("-0.001"), "C", "¤0.00"),
        (E.R8, -0.001, "C", "(¤0.00)"),
        (E.R8, -0.25, "P1", "-25.0 %"),
        (E.R8, 1e22, "P0", "1,000,000,000,000,000,000,000,000 %"),
        (E.R8, 1e30, "P0", "100,000,000,000,000,001,988,462,483,865,600 %"),
        (E.R8, 1e23, "F0", "99999999999999991611392"),
        (E.VALUETYPE, Decimal("79228162514264337593543950335"), "P0", "7,922,816,251,426,433,759,354,395,033,500 %"),
        (E.VALUETYPE, Decimal("-79228162514264337593543950335"), "", "-79228162514264337593543950335"),
        (E.VALUETYPE, Decimal("1.50"), "", "1.50"),
        (E.VALUETYPE, Decimal("1.50"), "G0", "1.5"),
        (E.R8, 0.1, "G30", "0.100000000000000005551115123126"),
        (E.R8, 1e-5, "G1", "1E-05"),
        (E.R8, 1e20, "g", "1e+20"),
        (E.R8, -0.0, "", "-0"),
        (E.R8, -0.4, "N0", "-0"),
        (E.I4, -5, "D3", "-005"),
        (E.I4, -1, "x", "ffffffff"),
        (E.I1, -1, "X4", "00FF"),
        (E.CHAR, ord("c"), "N2", "c"),
    ],
)
def test_number_text_of_the_invariant_culture(code: E, value: Any, format_text: str, text: str) -> None:
    assert number_text(code, value, format_text, lambda: INVARIANT) == text


@pytest.mark.parametrize(
    ("code", "value", "format_text", "text"),
    [
        (E.R8, -1234567.891, "", "~1234567,,891"),
        (E.R8, -1234567.891, "N", "1234'56'7,,891 ~"),
        (E.R8, 1e20, "", "1Eplus20"),
        (E.R8, 1e-5, "r", "1e~05"),
        (E.R8, -1.5, "E2", "~1,,50Eplus000"),
        (E.R8, float("nan"), "N2", "nope"),
        (E.R8, float("-inf"), "", "ninf"),
        (E.I4, -5, "D3", "~005"),
        (E.I4, 5, "F", "5,,000"),
        (E.I4, -15, "C", "E-n ~15$0"),
        (E.I4, 123456, "C0", "12_3456 E-n"),
        (E.R8, 0.256, "P", "pct 26"),
        (E.R8, -123.45, "P1", "~pct 1|23|45;0"),
    ],
)
def test_number_text_of_a_culture_has_its_signs_separators_and_patterns(
    code: E, value: Any, format_text: str, text: str
) -> None:
    assert number_text(code, value, format_text, lambda: ODD) == text


@pytest.mark.parametrize(
    ("code", "value", "format_text"),
    [
        (E.R8, 1.5, "0.00"),
        (E.R8, 1.5, "F2\n"),
        (E.I4, 1, "F100"),
        (E.R8, 1.5, "D"),
        (E.R8, float("nan"), "X"),
        (E.VALUETYPE, Decimal(1), "R"),
        (E.I4, 1, "R"),
        (E.I4, 1, "B"),
        (E.R8, 1.5, "R3"),
        (E.R8, 1.5, "G0"),
    ],
)
def test_number_text_leaves_custom_invalid_and_varying_formats_to_the_program(
    code: E, value: Any, format_text: str
) -> None:
    assert number_text(code, value, format_text, lambda: INVARIANT) is None


@pytest.mark.parametrize(
    ("code", "value", "format_text"),
    [(E.I4, 42, ""), (E.I8, 42, "D5"), (E.I4, -42, "X"), (E.R8, 3.0, ""), (E.VALUETYPE, Decimal(7), "G")],
)
def test_number_text_asks_for_no_culture_where_there_are_only_digits(code: E, value: Any, format_text: str) -> None:
    assert number_text(code, value, format_text, pytest.fail) == number_text(
        code, value, format_text, lambda: INVARIANT
    )


@pytest.mark.parametrize(("value", "format_text"), [(-1, ""), (1, "N0"), (1, "C0"), (1, "F"), (1.5, ""), (1.0, "E1")])
def test_number_text_is_not_known_without_the_culture_that_it_needs(value: Any, format_text: str) -> None:
    code = E.R8 if isinstance(value, float) else E.I4
    assert number_text(code, value, format_text, lambda: None) is None
