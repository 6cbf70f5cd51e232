"""ImmutableDictionary<TKey, TValue> and ImmutableHashSet<T>: trees of buckets; ImmutableQueue<T>: two stacks."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.runtime.model import Value
from dap_dotnet.values.collections.items import Collection, Item
from dap_dotnet.values.collections.linked import Walked, nodes_in_order, opened_pair, read_immutable_stack
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import integer, read_known

_BRANCHES = ("_left", "_right", "_left")
_MOST_ITEMS = 100_000


def read_hash_trie(program: Program, value: Value) -> Collection | None:
    """A dictionary, a set, or a builder of one: each bucket has one item, and those that share its hash code."""
    read = read_known(program, value, ("_root", "_count"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or count < 0:
        return None

    def walk() -> Iterator[Item]:
        for node, path in nodes_in_order(program, read[0], "._root", _BRANCHES):
            bucket = read_known(program, node, ("_value",))
            found = read_known(program, bucket[0], ("_firstValue", "_additionalElements")) if bucket else None
            if found is None:
                return
            yield opened_pair(program, found[0], f"{path}._value._firstValue")
            if not found[1].is_null:
                yield from _others(program, found[1], f"{path}._value._additionalElements")

    return Walked(count, walk)


def _others(program: Program, root: Value, path: str) -> Iterator[Item]:
    for node, place in nodes_in_order(program, root, path, _BRANCHES):
        key = read_known(program, node, ("_key",))
        if key is not None:
            yield opened_pair(program, key[0], f"{place}._key")


def read_immutable_queue(program: Program, value: Value) -> Collection | None:
    """What is taken first is on one stack; what was added last is on top of the other."""
    read = read_known(program, value, ("_forwards", "_backwards"))
    stacks = [read_immutable_stack(program, one) for one in read] if read is not None else [None]
    forwards, backwards = stacks[0], stacks[-1]
    if forwards is None or backwards is None:
        return None

    def walk() -> Iterator[Item]:
        for stack, name, step in ((forwards, "_forwards", 1), (backwards, "_backwards", -1)):
            for item in stack.page(0, min(stack.count, _MOST_ITEMS))[::step]:
                yield Item(item.value, f".{name}{item.path}")

    return Walked(forwards.count + backwards.count, walk)
