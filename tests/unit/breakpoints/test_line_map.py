"""Which lines of an edited source are still the same."""

from __future__ import annotations

import random

import pytest

from dap_dotnet.breakpoints.lines.line_map import LineMap
from dap_dotnet.symbols.spans import Span

RUNS = [
    "using System;",
    "",
    "void A()",
    "{",
    "    Go();",
    "    return;",
    "}",
    "void B()",
    "{",
    "    Stay();",
    "    return;",
    "}",
]


def edited(*changes: tuple[int, int, list[str]]) -> list[str]:
    """The text with the lines from one index to another replaced, from the last change to the first."""
    lines = list(RUNS)
    for start, end, new in sorted(changes, reverse=True):
        lines[start:end] = new
    return lines


def test_lines_around_an_insertion_keep_their_meaning() -> None:
    lines = LineMap(RUNS, edited((4, 4, ["    New();", "    More();"])))
    assert [lines.now(number) for number in range(1, 13)] == [1, 2, 3, 4, *range(7, 15)]
    assert [lines.before(number) for number in (4, 5, 6, 7, 14)] == [4, None, None, 5, 12]


def test_a_changed_line_is_gone_and_a_span_with_it() -> None:
    lines = LineMap(RUNS, edited((4, 5, ["    Went();"])))
    assert (lines.now(5), lines.before(5), lines.now(6)) == (None, None, 6)
    assert lines.span_now(Span(4, 1, 6, 9)) is None
    assert lines.span_now(Span(10, 5, 11, 9)) == Span(10, 5, 11, 9)


def test_lines_that_are_several_times_there_are_the_same_only_beside_a_line_that_is_there_once() -> None:
    both = edited((4, 5, ["    First();"]), (9, 10, ["    Other();"]))
    lines = LineMap(RUNS, both)
    assert [lines.now(number) for number in (6, 7, 8, 9)] == [6, 7, 8, 9]  # `void B()` is there once
    apart = LineMap(["a", "x", "}", "y", "}", "z", "b"], ["a", "u", "}", "v", "}", "w", "b"])
    assert [apart.now(number) for number in range(1, 8)] == [1, *[None] * 5, 7]


def test_a_span_that_was_torn_apart_is_gone() -> None:
    lines = LineMap(RUNS, edited((5, 5, ["    Between();"])))
    assert lines.span_now(Span(5, 5, 6, 9)) is None
    assert lines.span_now(Span(6, 5, 7, 2)) == Span(7, 5, 8, 2)


def test_what_is_around_an_insertion_is_in_pieces() -> None:
    lines = LineMap(RUNS, edited((5, 5, ["    Between();"])))
    assert lines.pieces_now(Span(4, 1, 7, 2)) == [Span(4, 1, 6, 1), Span(7, 1, 8, 2)]
    assert lines.pieces_now(Span(5, 5, 5, 10)) == [Span(5, 5, 5, 10)]
    assert LineMap(RUNS, edited((4, 5, []))).pieces_now(Span(5, 5, 5, 10)) == []


def test_no_text_and_huge_changes() -> None:
    assert LineMap(RUNS, []).now(1) is None
    huge = LineMap(
        [f"old {number}" for number in range(5_000)] + ["end"], [f"new {number}" for number in range(5_000)] + ["end"]
    )
    assert (huge.now(1), huge.now(5_001)) == (None, 5_001)


@pytest.mark.parametrize("seed", range(20))
def test_the_same_line_has_the_same_text_both_ways(seed: int) -> None:
    choose = random.Random(seed)
    runs = [choose.choice(["}", "{", "", f"line {number}"]) for number in range(200)]
    now = list(runs)
    for _ in range(choose.randrange(1, 12)):
        at = choose.randrange(len(now))
        now[at : at + choose.randrange(4)] = [choose.choice(["}", "new"]) for _ in range(choose.randrange(4))]
    lines = LineMap(runs, now)
    found = [(old, lines.now(old)) for old in range(1, len(runs) + 1)]
    pairs = [(old, new) for old, new in found if new is not None]
    assert all(runs[old - 1] == now[new - 1] and lines.before(new) == old for old, new in pairs)
    assert pairs == sorted(pairs, key=lambda pair: pair[1])
