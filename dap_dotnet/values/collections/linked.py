"""Collections of nodes: linked lists, trees, and chains of buckets. Nodes are visited up to the page's end only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from msgspec import structs

from dap_dotnet.runtime.model import Value
from dap_dotnet.values.collections.items import MOST_VISITED, Collection, Item
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, integer, is_array, read_known

_MOST_DEPTH = 128
_BUCKETS_AT_ONCE = 1000
_PAIR = "System.Collections.Generic.KeyValuePair`2"

Walk = Callable[[], Iterator[Item]]


class Walked:
    """Items that are met on a walk, which starts anew for each page."""

    def __init__(self, count: int, walk: Walk) -> None:
        self.count = count
        self._walk = walk

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        count = min(count, self.count - start)
        return list(islice(self._walk(), start, start + count)) if count > 0 else []


def _chain(program: Program, first: Value, first_path: str, item: str, following: str) -> Iterator[Item]:
    node, path = first, first_path
    for _ in range(MOST_VISITED):
        read = read_known(program, node, (item, following)) if not node.is_null else None
        if read is None:
            return
        yield Item(read[0], f"{path}.{item}")
        node, path = read[1], f"{path}.{following}"


def read_linked_list(program: Program, value: Value) -> Collection | None:
    """LinkedList<T>."""
    read = read_known(program, value, ("head", "count"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or count < 0:
        return None
    return Walked(count, lambda: _chain(program, read[0], ".head", "item", "next"))


def read_list_dictionary(program: Program, value: Value) -> Collection | None:
    """ListDictionary, and the one that an exception's Data is."""
    read = read_known(program, value, ("head", "count"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or count < 0:
        return None

    def walk() -> Iterator[Item]:
        node, path = read[0], ".head"
        for _ in range(min(count, MOST_VISITED)):
            found = read_known(program, node, ("key", "value", "next")) if not node.is_null else None
            if found is None:
                return
            yield Item(found[1], f"{path}.value", found[0])
            node, path = found[2], f"{path}.next"

    return Walked(count, walk)


def read_concurrent_stack(program: Program, value: Value) -> Collection | None:
    """ConcurrentStack<T> has no count: its nodes are counted."""
    read = read_known(program, value, ("_head",))
    return _counted(lambda: _chain(program, read[0], "._head", "_value", "_next")) if read is not None else None


def read_immutable_stack(program: Program, value: Value) -> Collection | None:
    """ImmutableStack<T>: the empty one has no tail."""
    if read_known(program, value, ("_head", "_tail")) is None:
        return None

    def walk() -> Iterator[Item]:
        node, path = value, ""
        for _ in range(MOST_VISITED):
            read = read_known(program, node, ("_head", "_tail"))
            if read is None or read[1].is_null:
                return
            yield Item(read[0], f"{path}._head")
            node, path = read[1], f"{path}._tail"

    return _counted(walk)


def _counted(walk: Walk) -> Collection | None:
    count = sum(1 for _ in islice(walk(), MOST_VISITED))
    return Walked(count, walk) if count < MOST_VISITED else None


def nodes_in_order(
    program: Program, root: Value, path: str, names: tuple[str, str, str]
) -> Iterator[tuple[Value, str]]:
    """Nodes of a binary tree in order; `names` are those of the two branches and of a field of every real node."""
    waiting: list[tuple[Value, str, Value]] = []
    node = root
    for _ in range(MOST_VISITED):
        while not node.is_null and len(waiting) < _MOST_DEPTH:
            read = read_known(program, node, names)
            if read is None or read[2].is_null:
                break
            waiting.append((node, path, read[1]))
            node, path = read[0], f"{path}.{names[0]}"
        if not waiting:
            return
        current, current_path, right = waiting.pop()
        yield current, current_path
        node, path = right, f"{current_path}.{names[1]}"


def read_sorted_set(program: Program, value: Value) -> Collection | None:
    """SortedSet<T>."""
    read = read_known(program, value, ("root", "count"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or count < 0:
        return None

    def walk() -> Iterator[Item]:
        for node, path in nodes_in_order(program, read[0], ".root", ("Left", "Right", "Color")):
            item = read_known(program, node, ("Item",))
            if item is not None:
                yield opened_pair(program, item[0], f"{path}.Item")

    return Walked(count, walk)


def opened_pair(program: Program, item: Value, path: str) -> Item:
    """A pair of a dictionary that keeps its pairs in a set, as key and value."""
    if item.type is not None and definition_name(program, program.debuggee.type_info(item.type)) == _PAIR:
        pair = read_known(program, item, ("key", "value"))
        if pair is not None:
            return Item(pair[1], f"{path}.value", pair[0])
    return Item(item, path)


def read_sorted_dictionary(program: Program, value: Value) -> Collection | None:
    """SortedDictionary<TKey, TValue>: its set has the pairs."""
    return _inside(program, value, "_set", read_sorted_set)


def _inside(
    program: Program, value: Value, name: str, reader: Callable[[Program, Value], Collection | None]
) -> Collection | None:
    read = read_known(program, value, (name,))
    inner = reader(program, read[0]) if read is not None and not read[0].is_null else None
    return Prefixed(inner, f".{name}") if inner is not None else None


class Prefixed:
    """The items of a collection that is in a field of the one that is shown."""

    def __init__(self, inner: Collection, path: str) -> None:
        self._inner = inner
        self._path = path

    @property
    def count(self) -> int:
        """See `Collection`."""
        return self._inner.count

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        return [
            structs.replace(item, path=f"{self._path}{item.path}" if item.path is not None else None)
            for item in self._inner.page(start, count)
        ]


def read_sorted_list(program: Program, value: Value) -> Collection | None:
    """SortedList<TKey, TValue>: two arrays side by side."""
    read = read_known(program, value, ("keys", "values", "_size"))
    count = integer(read[2]) if read is not None else None
    if read is None or count is None or not is_array(read[0]) or not is_array(read[1]):
        return None
    if not 0 <= count <= min(read[0].length, read[1].length):
        return None
    return SideBySide(program, read[0], read[1], count, ".values")


class SideBySide:
    """Keys in one array, their values in another."""

    def __init__(self, program: Program, keys: Value, values: Value, count: int, path: str) -> None:
        """`path` is that of the array of values."""
        self._path = path
        self._program = program
        self._arrays = keys, values
        self.count = count

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        count = min(count, self.count - start)
        if count <= 0:
            return []
        keys, values = (
            self._program.debuggee.elements(array.handle, start, count) if array.handle is not None else []
            for array in self._arrays
        )
        pairs = zip(keys, values, strict=True)
        return [Item(value, f"{self._path}[{number}]", key) for number, (key, value) in enumerate(pairs, start)]


def read_immutable_tree(program: Program, value: Value) -> Collection | None:
    """ImmutableList<T> and ImmutableSortedSet<T>: nodes with a key; empty ones have none."""
    read = read_known(program, value, ("_root",))
    root = read[0] if read is not None and not read[0].is_null else None
    counted = read_known(program, root, ("_count|<Count>k__BackingField",)) if root is not None else None
    count = integer(counted[0]) if counted is not None else None
    if root is None or count is None:
        return None

    def walk() -> Iterator[Item]:
        for node, path in nodes_in_order(program, root, "._root", ("_left", "_right", "_left")):
            key = read_known(program, node, ("_key",))
            if key is not None:
                yield Item(key[0], f"{path}._key")

    return Walked(count, walk)


def read_immutable_sorted_dictionary(program: Program, value: Value) -> Collection | None:
    """ImmutableSortedDictionary<TKey, TValue>."""
    read = read_known(program, value, ("_root", "_count"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None:
        return None

    def walk() -> Iterator[Item]:
        for node, path in nodes_in_order(program, read[0], "._root", ("_left", "_right", "_left")):
            pair = read_known(program, node, ("_key", "_value"))
            if pair is not None:
                yield Item(pair[1], f"{path}._value", pair[0])

    return Walked(count, walk)


def read_concurrent_dictionary(program: Program, value: Value) -> Collection | None:
    """ConcurrentDictionary<TKey, TValue>: chains in buckets, without an order; the counts are those of its locks."""
    tables = read_known(program, value, ("_tables",))
    read = read_known(program, tables[0], ("_buckets", "_countPerLock")) if tables is not None else None
    if read is None or not all(map(is_array, read)) or read[1].handle is None:
        return None
    counts = [integer(one) for one in program.debuggee.elements(read[1].handle, 0, read[1].length)]
    known = [one for one in counts if one is not None]
    return Walked(sum(known), lambda: _buckets(program, read[0])) if len(known) == len(counts) else None


def _buckets(program: Program, buckets: Value) -> Iterator[Item]:
    if buckets.handle is None:
        return
    for position, bucket in enumerate(program.debuggee.elements(buckets.handle, 0, min(buckets.length, MOST_VISITED))):
        node, path = bucket, f"._tables._buckets[{position}]"
        if not node.is_reference:  # since .NET 8 in a struct of its own
            inner = read_known(program, node, ("_node",))
            if inner is None:
                return
            node, path = inner[0], f"{path}._node"
        for _ in range(MOST_VISITED):
            read = read_known(program, node, ("_key", "_value", "_next")) if not node.is_null else None
            if read is None:
                break
            yield Item(read[1], f"{path}._value", read[0])
            node, path = read[2], f"{path}._next"


def read_hash_table(program: Program, value: Value) -> Collection | None:
    """Hashtable: buckets whose key is null or the table itself are free. It enumerates from the last one down."""
    read = read_known(program, value, ("_buckets", "_count"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or not is_array(read[0]) or not 0 <= count <= read[0].length:
        return None
    buckets = read[0]

    def walk() -> Iterator[Item]:
        for end in range(buckets.length, max(buckets.length - MOST_VISITED, 0), -_BUCKETS_AT_ONCE):
            first = max(end - _BUCKETS_AT_ONCE, 0)
            found = program.debuggee.elements(buckets.handle, first, end - first) if buckets.handle else []
            for position, bucket in reversed(list(enumerate(found, first))):
                pair = read_known(program, bucket, ("key", "val"))
                if pair is not None and not pair[0].is_null and pair[0].address != buckets.address:
                    yield Item(pair[1], f"._buckets[{position}].val", pair[0])

    return Walked(count, walk)
