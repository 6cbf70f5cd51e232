"""Hit conditions."""

from __future__ import annotations

import pytest

from dap_dotnet.breakpoints.hit_conditions import parse_hit_condition
from dap_dotnet.errors import UserError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", [3]),
        ("== 3", [3]),
        ("=3", [3]),
        (">= 8", [8, 9, 10]),
        ("> 8", [9, 10]),
        ("< 3", [1, 2]),
        ("<=3", [1, 2, 3]),
        (" % 4 ", [4, 8]),
        ("%1", list(range(1, 11))),
    ],
)
def test_hit_condition_holds_at(text: str, expected: list[int]) -> None:
    rule = parse_hit_condition(text)
    assert [count for count in range(1, 11) if rule.holds(count)] == expected


@pytest.mark.parametrize("text", ["", "x", "-1", "3 4", "=> 3", "% 0", "1.5", "!= 3", "9" * 40, "> "])
def test_text_that_is_no_hit_condition_is_refused_in_words(text: str) -> None:
    with pytest.raises(UserError, match="hit condition") as caught:
        parse_hit_condition(text)
    assert caught.value.code == "INVALID_CONDITION"
