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
