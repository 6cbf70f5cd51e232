"""ConcurrentQueue<T> and ConcurrentBag<T>: rings of slots, linked to one another."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.runtime.model import Value
from dap_dotnet.values.collections.items import Collection, Item
from dap_dotnet.values.collections.linked import Walked
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import integer, is_array, read_known

_BATCH = 256
_MOST_SEGMENTS = 4096


def read_concurrent_queue(program: Program, value: Value) -> Collection | None:
    """The segments from the first to the last; a slot that is just being filled is not an item yet."""
    segments = list(_segments(program, value))
    ranges = [_range(program, segment) for segment, _ in segments]
    known = [one for one in ranges if one is not None]
    if not segments or len(known) != len(ranges):
        return None

    def walk() -> Iterator[Item]:
        for (segment, path), (head, tail) in zip(segments, known, strict=True):
            slots = read_known(program, segment, ("_slots",))
            if slots is not None:
                yield from _items_of_segment(program, slots[0], f"{path}._slots", head, tail)

    return Walked(sum(tail - head for head, tail in known), walk)


def _segments(program: Program, queue: Value) -> Iterator[tuple[Value, str]]:
    read = read_known(program, queue, ("_head",))
    path = "._head"
    for _ in range(_MOST_SEGMENTS):
        if read is None or read[0].is_null:
            return
        segment = read[0]
        yield segment, path
        read = read_known(program, segment, ("_nextSegment",))
        path = f"{path}._nextSegment"


def _range(program: Program, segment: Value) -> tuple[int, int] | None:
    """The positions of the first item and after the last one; a closed segment counts twice its length more."""
    read = read_known(program, segment, ("_slots", "_headAndTail", "_frozenForEnqueues"))
    places = read_known(program, read[1], ("Head", "Tail")) if read is not None else None
    if read is None or places is None or not is_array(read[0]) or not read[2].raw:
        return None
    head, tail = integer(places[0]), integer(places[1])
    if head is None or tail is None:
        return None
    tail -= 2 * read[0].length if read[2].raw[0] else 0
    return (head, tail) if 0 <= tail - head <= read[0].length else None


def _items_of_segment(program: Program, slots: Value, path: str, head: int, tail: int) -> Iterator[Item]:
    if slots.handle is None or not slots.length:
        return
    position = head
    while position < tail:
        place = position % slots.length
        count = min(tail - position, slots.length - place, _BATCH)
        for number, slot in enumerate(program.debuggee.elements(slots.handle, place, count)):
            read = read_known(program, slot, ("Item", "SequenceNumber"))
            if read is not None and integer(read[1]) == position + number + 1:
                yield Item(read[0], f"{path}[{place + number}].Item")
        position += count


def read_concurrent_bag(program: Program, value: Value) -> Collection | None:
    """Each thread's queue, the last one added first, as the bag itself enumerates them."""
    read = read_known(program, value, ("_workStealingQueues",))
    if read is None:
        return None
    queue, path = read[0], "._workStealingQueues"
    parts: list[tuple[Value, str, int, int]] = []
    for _ in range(_MOST_SEGMENTS):
        if queue.is_null:
            break
        found = read_known(program, queue, ("_array", "_headIndex", "_tailIndex", "_mask", "_nextQueue"))
        numbers = [integer(one) for one in found[1:4]] if found is not None else [None]
        if found is None or not is_array(found[0]) or None in numbers:
            return None
        head, tail, mask = (number or 0 for number in numbers)
        if not 0 <= tail - head <= found[0].length or mask + 1 != found[0].length:
            return None
        parts.append((found[0], f"{path}._array", head, tail))
        queue, path = found[4], f"{path}._nextQueue"

    def walk() -> Iterator[Item]:
        for array, place, head, tail in parts:
            end = tail
            while end > head and array.handle is not None:
                last = (end - 1) % array.length
                count = min(end - head, last + 1, _BATCH)
                first = last - count + 1
                values = program.debuggee.elements(array.handle, first, count)
                for number in range(count - 1, -1, -1):
                    yield Item(values[number], f"{place}[{first + number}]")
                end -= count

    return Walked(sum(tail - head for _, _, head, tail in parts), walk)
