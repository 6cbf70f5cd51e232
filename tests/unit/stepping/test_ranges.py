"""The IL range that a step has to leave."""

from __future__ import annotations

from collections import namedtuple

import pytest

from dap_dotnet.stepping.ranges import END_OF_METHOD, statement_range

Point = namedtuple("Point", "il_offset is_hidden")


def points(*entries: tuple[int, bool]) -> list[Point]:
    return [Point(*entry) for entry in entries]


@pytest.mark.parametrize(
    ("il_offset", "expected"),
    [(0, (0, 4)), (3, (0, 4)), (4, (4, 9)), (8, (4, 9)), (9, (9, END_OF_METHOD)), (50, (9, END_OF_METHOD))],
)
def test_range_reaches_to_the_next_statement(il_offset: int, expected: tuple[int, int]) -> None:
    assert statement_range(points((0, False), (4, False), (9, False)), il_offset) == expected


def test_hidden_code_after_a_statement_belongs_to_it() -> None:
    method = points((0, False), (4, True), (9, False))
    assert statement_range(method, 1) == (0, 9)
    assert statement_range(method, 5) == (0, 9)


def test_hidden_code_at_the_start_reaches_to_the_first_statement() -> None:
    assert statement_range(points((0, True), (6, False)), 2) == (0, 6)


def test_order_of_points_does_not_matter() -> None:
    assert statement_range(points((9, False), (0, False), (4, False)), 5) == (4, 9)


def test_place_before_any_point_has_no_range() -> None:
    assert statement_range(points((5, False)), 2) is None
    assert statement_range([], 2) is None
