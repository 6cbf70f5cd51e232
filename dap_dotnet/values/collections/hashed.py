"""Collections in arrays of entries, some of which may be free: dictionaries, sets, hash tables."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values.collections.array_backed import Empty
from dap_dotnet.values.collections.items import MOST_VISITED, Collection, Item
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import find_known_field, integer, is_array, read_known
from dap_dotnet.values.members import DeclaredField, read_fields
from dap_dotnet.values.primitives import quote

_BATCH = 256


class _Shape(Struct, frozen=True):
    """The fields of an entry, and what marks a free one."""

    array: str
    key: str | None
    value: str
    mark: str
    least: int
    """The mark of an entry in use is at least this."""


_DICTIONARY = _Shape("_entries", "key", "value", "next", -1)
_KEYS = _Shape("_entries", None, "key", "next", -1)
_VALUES = _Shape("_entries", None, "value", "next", -1)
_ORDERED = _Shape("_entries", "Key", "Value", "Next", -(1 << 31))
_SET = _Shape("_entries", None, "Value", "Next", -1)
_OLD_SET = _Shape("_slots", None, "value", "hashCode", 0)
"""HashSet<T> before .NET 5."""


class Entries:
    """Entries of an array; without free ones among them, a page is where its number says."""

    def __init__(self, program: Program, array: Value, used: int, count: int, shape: _Shape) -> None:
        """`used` entries of the array were ever in use, `count` are now."""
        self._program = program
        self._array = array
        self._used = used
        self.count = count
        self._shape = shape
        self._fields: tuple[TypeId | None, list[DeclaredField]] | None = None

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        count = min(count, self.count - start)
        items: list[Item] = []
        if self._used == self.count:
            return self._items(start, count)
        skipped = 0
        for first in range(0, min(self._used, MOST_VISITED), _BATCH):
            for item in self._items(first, min(_BATCH, self._used - first)):
                if skipped < start:
                    skipped += 1
                elif len(items) < count:
                    items.append(item)
            if len(items) >= count:
                break
        return items

    def _items(self, first: int, count: int) -> list[Item]:
        if count <= 0 or self._array.handle is None:
            return []
        found = []
        for position, entry in enumerate(self._program.debuggee.elements(self._array.handle, first, count), first):
            item = self._item(position, entry)
            if item is not None:
                found.append(item)
        return found

    def _item(self, position: int, entry: Value) -> Item | None:
        """The item of an entry; None for a free one, and for what cannot be read."""
        shape = self._shape
        if self._fields is None or self._fields[0] != entry.type:
            names = [shape.mark, shape.value, *([shape.key] if shape.key else [])]
            known = [find_known_field(self._program, entry.type, name) for name in names]
            self._fields = entry.type, [one for one in known if one is not None]
        wanted = self._fields[1]
        if len(wanted) != (3 if shape.key else 2):
            return None
        read = [value for _, value in read_fields(self._program, entry, wanted)]
        mark = integer(read[0]) if read else None
        if mark is None or mark < shape.least:
            return None
        path = f".{shape.array}[{position}].{shape.value}"
        if shape.key is None:
            return Item(read[1], path)
        literal = _literal(read[2])
        return Item(read[1], f"[{literal}]" if literal is not None else path, read[2])


def _literal(key: Value) -> str | None:
    """A key as a C# literal, where it has one that is sure to mean it."""
    if key.is_null or key.is_boxed or key.error is not None:
        return None
    if key.element_type is ElementType.STRING and key.text is not None and key.text.isascii():
        return quote(key.text) if len(key.text) == key.length else None
    number = integer(key) if key.element_type is ElementType.I4 else None
    return str(number) if number is not None else None


def read_dictionary(program: Program, value: Value) -> Collection | None:
    """Dictionary<TKey, TValue>."""
    return _entries(program, value, ("_entries", "_count", "_freeCount"), _DICTIONARY)


def read_dictionary_keys(program: Program, value: Value) -> Collection | None:
    """The keys of a Dictionary<TKey, TValue>."""
    return _entries(program, value, ("_entries", "_count", "_freeCount"), _KEYS)


def read_dictionary_values(program: Program, value: Value) -> Collection | None:
    """The values of a Dictionary<TKey, TValue>."""
    return _entries(program, value, ("_entries", "_count", "_freeCount"), _VALUES)


def read_ordered_dictionary(program: Program, value: Value) -> Collection | None:
    """OrderedDictionary<TKey, TValue> since .NET 9: no entry is ever free."""
    read = read_known(program, value, ("_entries", "_count"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None:
        return None
    if count == 0:
        return Empty()
    if not is_array(read[0]) or not 0 <= count <= read[0].length:
        return None
    return Entries(program, read[0], count, count, _ORDERED)


def read_set(program: Program, value: Value) -> Collection | None:
    """HashSet<T>."""
    found = _entries(program, value, ("_entries", "_count", "_freeCount"), _SET)
    if found is not None:
        return found
    read = read_known(program, value, ("_slots", "_lastIndex", "_count"))
    if read is None:
        return None
    used, count = integer(read[1]), integer(read[2])
    if read[0].is_null and count == 0:
        return Empty()
    if used is None or count is None or not is_array(read[0]) or not 0 <= count <= used <= read[0].length:
        return None
    return Entries(program, read[0], used, count, _OLD_SET)


def _entries(program: Program, value: Value, names: tuple[str, str, str], shape: _Shape) -> Collection | None:
    read = read_known(program, value, names)
    if read is None:
        return None
    used, free = integer(read[1]), integer(read[2])
    if read[0].is_null and used == 0:
        return Empty()
    if used is None or free is None or not is_array(read[0]) or not 0 <= free <= used <= read[0].length:
        return None
    return Entries(program, read[0], used, used - free, shape)
