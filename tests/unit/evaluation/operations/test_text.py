"""Numbers as text: what .NET prints for its standard formats (the expected texts are what .NET 3.1 to 10 print)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from dap_dotnet.evaluation.operations.text import number_text
from dap_dotnet.runtime.model import ElementType as E


@pytest.mark.parametrize(
    ("code", "value", "format_text", "text"),
    [
        (E.R8, 2.25, "F1", "2.2"),
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
    ],
)
def test_text_rounds_binary_numbers_to_even_and_decimal_ones_away_from_zero(
    code: E, value: float | Decimal, format_text: str, text: str
) -> None:
    assert number_text(code, value, format_text) == text
