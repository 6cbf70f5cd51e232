"""The rows of a DataTable: nodes of a tree that another thread may have been changing."""

from __future__ import annotations

from typing import Any, cast

import pytest

from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values.collections.data_tables import Rows

_PAGES = Value(None, None, ElementType.SZARRAY)


class _Tree(Rows):
    """Nodes by number: (left, right, the size of the subtree)."""

    def __init__(self, nodes: dict[int, tuple[int, int, int]], root: int, count: int) -> None:
        super().__init__(cast(Any, None), _PAGES, root, count, "[{}]")
        self.nodes = nodes
        self.reads = 0

    def _node(self, node_id: int) -> tuple[int, int, Value] | None:
        self.reads += 1
        node = self.nodes.get(node_id)
        row = Value(None, None, ElementType.I4, raw=node_id.to_bytes(4, "little"))
        return (node[0], node[1], row) if node is not None else None

    def _size(self, node_id: int) -> int:
        return self.nodes[node_id][2] if node_id in self.nodes else 0

    def numbers(self, start: int, count: int) -> list[int]:
        return [int.from_bytes(item.value.raw, "little") for item in self.page(start, count)]


def _balanced(first: int, last: int, nodes: dict[int, tuple[int, int, int]]) -> int:
    """Numbers in order; returns the root."""
    if first > last:
        return 0
    middle = (first + last) // 2
    nodes[middle] = (
        _balanced(first, middle - 1, nodes),
        _balanced(middle + 1, last, nodes),
        last - first + 1,
    )
    return middle


@pytest.mark.parametrize("size", [0, 1, 2, 3, 10, 100])
def test_rows_come_in_order_from_every_position(size: int) -> None:
    nodes: dict[int, tuple[int, int, int]] = {}
    tree = _Tree(nodes, _balanced(1, size, nodes), size)
    for start in range(size + 2):
        for count in (0, 1, 3, size):
            assert tree.numbers(start, count) == list(range(1, size + 1))[start : start + count]


def test_a_page_far_behind_does_not_read_what_is_before_it() -> None:
    nodes: dict[int, tuple[int, int, int]] = {}
    tree = _Tree(nodes, _balanced(1, 100_000, nodes), 100_000)
    assert tree.numbers(99_000, 5) == list(range(99_001, 99_006))
    assert tree.reads < 50


@pytest.mark.parametrize(
    "nodes",
    [
        {1: (1, 0, 5)},  # its own child
        {1: (0, 1, 5)},
        {1: (2, 2, 0), 2: (1, 1, 0)},
        {1: (2, 3, 9)},  # children that are not there
        {},
    ],
)
def test_a_torn_tree_ends(nodes: dict[int, tuple[int, int, int]]) -> None:
    for start in (0, 3, 1_000_000):
        tree = _Tree(nodes, 1, 2_000_000)
        assert len(tree.numbers(start, 100)) <= 100
        assert tree.reads < 1_000
