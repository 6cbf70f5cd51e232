"""Collections that keep their items side by side in one array: lists, stacks, queues, segments, priority queues."""

from __future__ import annotations

from dap_dotnet.runtime.model import Value
from dap_dotnet.values.collections.items import Collection, Item
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import integer, is_array, read_known
from dap_dotnet.values.tuple_names import Names, of_field


class Slots:
    """Items in an array: `count` of them, from position `start` on; around the array's end, or downwards."""

    def __init__(
        self,
        program: Program,
        array: Value,
        count: int,
        path: str,
        *,
        start: int = 0,
        step: int = 1,
        names: Names = (),
    ) -> None:
        """`path` follows the collection's expression and takes the item's position for `{}`; `names`: of the items."""
        self._program = program
        self._array = array
        self.count = count
        self._path = path
        self._start = start
        self._step = step
        self._names = names

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        count = min(count, self.count - start)
        if count <= 0 or self._array.handle is None or not self._array.length:
            return []
        length = self._array.length
        first = (self._start + self._step * start) % length
        if self._step < 0:
            values = self._read(first - count + 1, count)[::-1]
        else:
            values = self._read(first, min(count, length - first))
            values += self._read(0, count - len(values))
        is_indexer = self._path == "[{}]"
        return [
            Item(
                value,
                self._path.format(number if is_indexer else (self._start + self._step * number) % length),
                names=self._names,
            )
            for number, value in enumerate(values, start)
        ]

    def _read(self, start: int, count: int) -> list[Value]:
        assert self._array.handle is not None
        return self._program.debuggee.elements(self._array.handle, start, count) if count > 0 else []


class Empty:
    """A collection without items, and one that was never made (`default` of a value type)."""

    count = 0

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        return []


def _slots(
    program: Program, value: Value, array_name: str, count_name: str, path: str, *, names: Names = ()
) -> Slots | None:
    read = read_known(program, value, (array_name, count_name))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or not is_array(read[0]) or not 0 <= count <= read[0].length:
        return None
    return Slots(program, read[0], count, path, names=names)


def read_list(program: Program, value: Value) -> Collection | None:
    """List<T>, ArrayList."""
    return _slots(program, value, "_items", "_size", "[{}]")


def read_stack(program: Program, value: Value) -> Collection | None:
    """Stack<T>: the last one pushed comes first."""
    found = read_known(program, value, ("_array", "_size"))
    count = integer(found[1]) if found is not None else None
    if found is None or count is None or not is_array(found[0]) or not 0 <= count <= found[0].length:
        return None
    return Slots(program, found[0], count, "._array[{}]", start=count - 1, step=-1) if count else Empty()


def read_queue(program: Program, value: Value) -> Collection | None:
    """Queue<T>: a ring."""
    found = read_known(program, value, ("_array", "_size", "_head"))
    if found is None or not is_array(found[0]):
        return None
    count, head = integer(found[1]), integer(found[2])
    if count is None or head is None or not 0 <= count <= found[0].length or not 0 <= head <= found[0].length:
        return None
    return Slots(program, found[0], count, "._array[{}]", start=head)


def read_priority_queue(program: Program, value: Value) -> Collection | None:
    """PriorityQueue<TElement, TPriority>: pairs, in the order of its heap."""
    return _slots(program, value, "_nodes", "_size", "._nodes[{}]", names=of_field(program, value.type, "_nodes"))


def read_array_builder(program: Program, value: Value) -> Collection | None:
    """ImmutableArray<T>.Builder."""
    return _slots(program, value, "_elements", "_count", "[{}]")


def read_grouping(program: Program, value: Value) -> Collection | None:
    """A group of a lookup."""
    return _slots(program, value, "_elements", "_count", "._elements[{}]")


def read_segment(program: Program, value: Value) -> Collection | None:
    """ArraySegment<T>."""
    return _part(program, value, ("_array", "_offset", "_count"))


def read_memory(program: Program, value: Value) -> Collection | None:
    """Memory<T> and ReadOnlyMemory<T> over arrays."""
    return _part(program, value, ("_object", "_index", "_length"))


def _part(program: Program, value: Value, names: tuple[str, str, str]) -> Collection | None:
    found = read_known(program, value, names)
    if found is None:
        return None
    start, count = integer(found[1]), integer(found[2])
    if found[0].is_null and start == count == 0:
        return Empty()
    if (
        start is None
        or count is None
        or not is_array(found[0])
        or start < 0
        or not 0 <= count <= found[0].length - start
    ):
        return None  # the highest bit of Memory's index marks memory that is no array
    return Slots(program, found[0], count, f".{names[0]}[{{}}]", start=start) if count else Empty()


def read_immutable_array(program: Program, value: Value) -> Collection | None:
    """ImmutableArray<T>; the default one has no array."""
    found = read_known(program, value, ("array",))
    if found is None or (not found[0].is_null and not is_array(found[0])):
        return None
    return Slots(program, found[0], found[0].length, ".array[{}]") if not found[0].is_null else None
