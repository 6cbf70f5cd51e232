"""Lines inside a statement of several lines mean that statement."""

from __future__ import annotations

import pytest

from portablepdb import LimitError, Limits, PortablePdb

from .encoder import visible
from .maker import Maker


def places(pdb: PortablePdb, line: int, column: int | None = None) -> list[tuple[int, int, int]]:
    return [(int(hit.method), hit.point.start_line, hit.point.start_column) for hit in pdb.bind(1, line, column)]


def test_line_inside_a_statement_means_it_and_not_the_next_one():
    maker = Maker()
    maker.document("/a.cs")
    maker.method([visible(0, 5, 5, 5, 6), visible(1, 6, 9, 8, 16), visible(9, 9, 9, 9, 20), visible(20, 12, 5, 12, 6)])
    with maker.open() as pdb:
        assert places(pdb, 7) == places(pdb, 8) == places(pdb, 7, 30) == [(0x06000001, 6, 9)]
        assert places(pdb, 9) == [(0x06000001, 9, 9)]
        assert places(pdb, 10) == places(pdb, 11) == [(0x06000001, 12, 5)]


def test_innermost_statement_around_the_line_is_meant():
    maker = Maker()
    maker.document("/a.cs")
    maker.method(
        [visible(0, 5, 9, 12, 10), visible(4, 6, 13, 9, 14), visible(8, 6, 13, 9, 14), visible(9, 13, 5, 13, 6)]
    )
    with maker.open() as pdb:
        assert [hit.point.il_offset for hit in pdb.bind(1, 8)] == [4, 8]
        assert [hit.point.il_offset for hit in pdb.bind(1, 11)] == [0]


def test_lambda_inside_a_statement_comes_before_the_statement():
    maker = Maker()
    maker.document("/a.cs")
    maker.method([visible(0, 5, 9, 12, 10), visible(9, 13, 5, 13, 6)])
    maker.method([visible(0, 7, 13, 7, 20), visible(5, 9, 13, 9, 20)])
    with maker.open() as pdb:
        assert places(pdb, 7) == [(0x06000002, 7, 13)]
        assert places(pdb, 8) == [(0x06000002, 9, 13)]
        assert places(pdb, 6) == places(pdb, 11) == [(0x06000001, 5, 9)]


def test_initializer_of_several_lines_is_meant_in_every_constructor():
    maker = Maker()
    maker.document("/a.cs")
    for first in (10, 20):
        maker.method([visible(0, 3, 5, 5, 8), visible(6, first, 5, first, 15), visible(9, first + 2, 5, first + 2, 6)])
    with maker.open() as pdb:
        assert places(pdb, 4) == [(0x06000001, 3, 5), (0x06000002, 3, 5)]


def test_statement_that_thousands_of_methods_share_spends_the_budget():
    maker = Maker()
    maker.document("/a.cs")
    for _ in range(20):
        maker.method([visible(0, 3, 5, 5, 8)])
    with (
        PortablePdb.open(maker.data(), limits=Limits(hits=10)) as pdb,
        pytest.raises(LimitError, match="the budget of 10 for hits"),
    ):
        pdb.bind(1, 4)


def test_column_past_the_last_statement_of_a_line_has_none():
    maker = Maker()
    maker.document("/a.cs")
    maker.method([visible(0, 5, 5, 5, 6), visible(4, 8, 5, 8, 6)])
    with maker.open() as pdb:
        assert places(pdb, 5, 3) == [(0x06000001, 5, 5)]
        assert places(pdb, 5, 30) == []
        assert places(pdb, 6, 30) == [(0x06000001, 8, 5)]
