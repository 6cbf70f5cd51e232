"""Handles that all equal things share."""

from __future__ import annotations

import pytest

from dap_dotnet.errors import StaleHandleError
from dap_dotnet.values.handles import HandleTable


def test_equal_things_share_a_handle_until_the_stop_is_over() -> None:
    table: HandleTable[tuple[int, int]] = HandleTable("place")
    first = table.shared((1, 2))
    assert table.shared((1, 2)) == first
    assert table.shared((1, 3)) != first
    assert table.get(first) == (1, 2)
    table.clear()
    with pytest.raises(StaleHandleError):
        table.get(first)
    assert table.shared((1, 2)) > first


def test_what_a_handle_means_may_be_made_when_it_is_first_asked_for() -> None:
    table: HandleTable[list[str]] = HandleTable("variable")
    made: list[list[str]] = []

    def make() -> list[str]:
        made.append(["opened"])
        return made[-1]

    first, second = table.add_later(make), table.add_later(make)
    assert first != second
    assert made == []
    assert table.get(first) is table.get(first)
    assert made == [["opened"]]
    table.clear()
    for handle in (first, second):
        with pytest.raises(StaleHandleError):
            table.get(handle)
    assert made == [["opened"]]
