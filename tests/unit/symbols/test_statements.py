"""Which statement of a method an IL offset is in."""

from __future__ import annotations

from collections import namedtuple

import pytest

from dap_dotnet.symbols.statements import END_OF_METHOD, Statements

Point = namedtuple("Point", "il_offset is_hidden")
Placed = namedtuple("Placed", "il_offset start_line start_column is_hidden document end_line end_column")


def placed(*entries: tuple[int, int, int]) -> list[Placed]:
    """Points with their lines and columns; those of line 0 are hidden."""
    return [Placed(offset, line, column, line == 0, 1, line, column + 1) for offset, line, column in entries]


def points(*entries: tuple[int, bool]) -> list[Point]:
    return [Point(*entry) for entry in entries]


@pytest.mark.parametrize(
    ("il_offset", "expected"),
    [(0, (0, 4)), (3, (0, 4)), (4, (4, 9)), (8, (4, 9)), (9, (9, END_OF_METHOD)), (50, (9, END_OF_METHOD))],
)
def test_range_reaches_to_the_next_statement(il_offset: int, expected: tuple[int, int]) -> None:
    assert Statements(points((0, False), (4, False), (9, False))).range_at(il_offset) == expected


def test_hidden_code_after_a_statement_belongs_to_it() -> None:
    method = points((0, False), (4, True), (9, False))
    assert Statements(method).range_at(1) == (0, 9)
    assert Statements(method).range_at(5) == (0, 9)


def test_hidden_code_at_the_start_reaches_to_the_first_statement() -> None:
    assert Statements(points((0, True), (6, False))).range_at(2) == (0, 6)


def test_order_of_points_does_not_matter() -> None:
    assert Statements(points((9, False), (0, False), (4, False))).range_at(5) == (4, 9)


def test_place_before_any_point_has_no_range() -> None:
    assert Statements(points((5, False))).range_at(2) is None
    assert Statements([]).range_at(2) is None


USING = placed((0, 7, 1), (4, 9, 1), (6, 0, 0), (10, 9, 1))
LOOP = placed((0, 3, 1), (4, 0, 0), (6, 5, 1), (9, 3, 9), (12, 3, 5))


@pytest.mark.parametrize(
    ("method", "il_offset", "statement", "line"),
    [
        (USING, 0, [(0, 4)], [(0, 4)]),
        (USING, 7, [(4, END_OF_METHOD)], [(4, END_OF_METHOD)]),
        (USING, 11, [(4, END_OF_METHOD)], [(4, END_OF_METHOD)]),
        (LOOP, 0, [(0, 6)], [(0, 6), (9, END_OF_METHOD)]),
        (LOOP, 10, [(9, 12)], [(0, 6), (9, END_OF_METHOD)]),
        (LOOP, 7, [(6, 9)], [(6, 9)]),
        ([], 3, [], []),
        (placed((0, 0, 0), (6, 1, 1)), 2, [(0, 6)], [(0, 6)]),
    ],
)
def test_same_piece_of_source_is_left_as_one(method, il_offset, statement, line) -> None:
    assert Statements(method).ranges_at(il_offset) == statement
    assert Statements(method).line_ranges_at(il_offset) == line


def test_point_at_an_offset_may_be_a_hidden_one() -> None:
    statements = Statements(points((2, False), (4, True), (9, False)))
    assert [at and at.il_offset for at in map(statements.point_at, (1, 2, 5, 9))] == [None, 2, 4, 9]
    assert [at and at.il_offset for at in map(statements.visible_at, (1, 2, 5, 9))] == [None, 2, 2, 9]
    assert [statements.begins_at(at) for at in (2, 3, 4, 9, 10)] == [True, False, False, True, False]
