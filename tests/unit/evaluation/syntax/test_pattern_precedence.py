"""`is` binds tighter than what follows its pattern; the grammar has it the other way round."""

from __future__ import annotations

import pytest

from dap_dotnet.evaluation.syntax.parser import parse


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("n is T && y", "(n is T) && y"),
        ("n is not null && y", "(n is not null) && y"),
        ("n is null || y && z", "(n is null) || (y && z)"),
        ("n is null && y || z", "((n is null) && y) || z"),
        ("a && n is T && y || z", "((a && (n is T)) && y) || z"),
        ("a || n is T && y", "a || ((n is T) && y)"),
        ("a && n is T || y", "(a && (n is T)) || y"),
        ("n is > 5 and < 9 && m", "(n is > 5 and < 9) && m"),
        ("n is 1 or 2 && m", "(n is 1 or 2) && m"),
        ("n is 3 == true", "(n is 3) == true"),
        ("n is 1 + 2 && y", "(n is 1 + 2) && y"),
        ("n is 7 && m is null && k is not 3 || z", "(((n is 7) && (m is null)) && (k is not 3)) || z"),
        ("n is A.B && y > 3", "(n is A.B) && (y > 3)"),
        ("n is [1, ..] && y", "(n is [1, ..]) && y"),
        ("n is [1, .. var r] && r", "(n is [1, .. var r]) && r"),
        ("n is [2, ..] || m == 1", "(n is [2, ..]) || (m == 1)"),
        ("n is [] && y", "(n is []) && y"),
        ("n is string s && s.Length == 3", "(n is string s) && (s.Length == 3)"),
    ],
)
def test_operators_after_a_pattern_are_not_part_of_it(text: str, meaning: str) -> None:
    assert parse(text) == parse(meaning)
