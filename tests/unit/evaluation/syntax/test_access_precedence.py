"""Accesses bind tighter than operators, whatever the grammar makes of `?.`."""

from __future__ import annotations

import re

import pytest

from dap_dotnet.evaluation.syntax.parser import parse


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a && b?.c", "a && (b?.c)"),
        ("1 + b?.c", "1 + (b?.c)"),
        ("1 + b[2]?.c", "1 + (b[2]?.c)"),
        ("-b?.c", "-(b?.c)"),
        ("(int)b?.c", "(int)(b?.c)"),
        ("!a?.b.c!.d", "!(a?.b.c!.d)"),
        ("a ?? b?.c", "a ?? (b?.c)"),
        ("a?.b ?? c?.d", "(a?.b) ?? (c?.d)"),
        ("a - b?.c - d?.e", "a - (b?.c) - (d?.e)"),
        ("x > 0 && b?[0] == 1", "x > 0 && (b?[0]) == 1"),
        ("a || b?.c is 5", "a || (b?.c) is 5"),
        ("a is 1 or 2 && b?.c", "a is 1 or 2 && (b?.c)"),
        ("a is > 3 && b?.c.d(1)?[2] == 3", "a is > 3 && (b?.c.d(1)?[2]) == 3"),
        ("a is not null && -b?.c.e()?.f > 2", "a is not null && -(b?.c.e()?.f) > 2"),
        ("a + b?.c is 5", "(a + (b?.c)) is 5"),
        ("a || b?.c is int", "a || ((b?.c) is int)"),
        ("a + b * c?.d + e?.f * g < 3 == h?.i", "a + b * (c?.d) + (e?.f) * g < 3 == (h?.i)"),
        ("a ?? b?.c as string ?? d", "a ?? (((b?.c) as string) ?? d)"),
        ("a ? b + c?.d : e - f?.g", "a ? b + (c?.d) : e - (f?.g)"),
        ("a is X && b?.c == 1 || c?.d(e?.f) == 2", "a is X && (b?.c) == 1 || (c?.d((e?.f))) == 2"),
    ],
)
def test_an_access_applies_to_the_operand_before_it(text: str, meaning: str) -> None:
    assert _bare(repr(parse(text))) == _bare(repr(parse(meaning)))


def test_parentheses_widen_the_target_of_an_access() -> None:
    assert parse("(a ?? b)?.c") != parse("a ?? b?.c")


def _bare(shown: str) -> str:
    """A tree without the nodes that only say that there were parentheses, and without its source."""
    shown = re.sub(r", (?:(?:text|receiver)='[^']*'|at=Place\([^)]*\))", "", shown)
    mark = "Parenthesized(inner="
    while mark in shown:
        start = shown.index(mark)
        depth, end = 1, start + len(mark)
        while depth:
            depth += {"(": 1, ")": -1}.get(shown[end], 0)
            end += 1
        shown = shown[:start] + shown[start + len(mark) : end - 1] + shown[end:]
    return shown
