"""Collections of two arrays side by side, keys and values: frozen dictionaries; and parts of dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dap_dotnet.runtime.model import Value
from dap_dotnet.values.collections.array_backed import Slots
from dap_dotnet.values.collections.hashed import read_dictionary_keys, read_dictionary_values
from dap_dotnet.values.collections.items import Collection, Item
from dap_dotnet.values.collections.linked import Prefixed, SideBySide, Walked
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import integer, is_array, read_known

_HASH_CODES = "<HashCodes>k__BackingField"


def read_frozen_dictionary(program: Program, value: Value) -> Collection | None:
    """FrozenDictionary<TKey, TValue>, of which each kind of key has a class; ints are their own hash codes."""
    read = read_known(program, value, ("_keys", "_values"))
    if read is None:
        read = read_known(program, value, ("_hashTable", "_values"))
        codes = read_known(program, read[0], (_HASH_CODES,)) if read is not None else None
        if read is None or codes is None:
            return None
        read = [codes[0], read[1]]
    if not is_array(read[0]) or not is_array(read[1]) or read[0].length != read[1].length:
        return None
    return SideBySide(program, read[0], read[1], read[0].length, "._values")


def read_frozen_set(program: Program, value: Value) -> Collection | None:
    """FrozenSet<T>."""
    read = read_known(program, value, ("_items",))
    path = "._items[{}]"
    if read is None:
        table = read_known(program, value, ("_hashTable",))
        read = read_known(program, table[0], (_HASH_CODES,)) if table is not None else None
        path = "._hashTable.HashCodes[{}]"
    return Slots(program, read[0], read[0].length, path) if read is not None and is_array(read[0]) else None


def read_keys(program: Program, value: Value) -> Collection | None:
    """Dictionary<TKey, TValue>.Keys."""
    return _of_dictionary(program, value, read_dictionary_keys)


def read_values(program: Program, value: Value) -> Collection | None:
    """Dictionary<TKey, TValue>.Values."""
    return _of_dictionary(program, value, read_dictionary_values)


def _of_dictionary(
    program: Program, part: Value, read_part: Callable[[Program, Value], Collection | None]
) -> Collection | None:
    read = read_known(program, part, ("_dictionary",))
    inner = read_part(program, read[0]) if read is not None and not read[0].is_null else None
    return Prefixed(inner, "._dictionary") if inner is not None else None


def read_lookup(program: Program, value: Value) -> Collection | None:
    """Lookup<TKey, TElement>: groups in a ring, in the order of their first elements."""
    read = read_known(program, value, ("_lastGrouping", "_count"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or count < 0:
        return None

    def walk() -> Iterator[Item]:
        path = "._lastGrouping"
        group = read[0]
        for _ in range(count):
            found = read_known(program, group, ("_next",)) if not group.is_null else None
            key = read_known(program, found[0], ("_key",)) if found is not None else None
            if found is None or key is None:
                return
            group, path = found[0], f"{path}._next"
            yield Item(group, path, key[0])

    return Walked(count, walk)
