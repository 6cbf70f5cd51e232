"""Collections of System.Collections.Specialized and System.Dynamic, and BitArray."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.runtime.model import ElementType, Value
from dap_dotnet.values.collections.array_backed import Empty, read_list
from dap_dotnet.values.collections.items import Collection, Item
from dap_dotnet.values.collections.linked import Prefixed, Walked, read_hash_table, read_list_dictionary
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, integer, is_array, read_known

_BITS = {ElementType.U1: 8, ElementType.I4: 32}
_MOST_MEMBERS = 10_000


class _Bits:
    """Truth values in an array of numbers, the lowest bit first."""

    def __init__(self, program: Program, array: Value, count: int, bits: int) -> None:
        self._program = program
        self._array = array
        self._bits = bits
        self.count = count

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        end = min(start + count, self.count)
        if end <= start or self._array.handle is None:
            return []
        first = start // self._bits
        last = (end - 1) // self._bits
        raw = b"".join(one.raw for one in self._program.debuggee.elements(self._array.handle, first, last - first + 1))
        number = int.from_bytes(raw, "little") >> (start - first * self._bits)
        found = []
        for place in range(end - start):
            value = Value(None, None, ElementType.BOOLEAN, raw=bytes([number >> place & 1]))
            found.append(Item(value, f"[{start + place}]"))
        return found


def read_bit_array(program: Program, value: Value) -> Collection | None:
    """BitArray: of int, from .NET 10 of byte."""
    read = read_known(program, value, ("m_array|_array", "m_length|_bitLength"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or count < 0 or not is_array(read[0]) or read[0].handle is None:
        return None
    if count == 0:
        return Empty()
    first = program.debuggee.elements(read[0].handle, 0, 1)
    bits = _BITS.get(first[0].element_type) if first else None
    return _Bits(program, read[0], count, bits) if bits is not None and count <= read[0].length * bits else None


def _entries(program: Program, value: Value, field: str, names: tuple[str, str]) -> Collection | None:
    """Pairs of a key and a value that an ArrayList has as objects; a list that was never made is empty."""
    read = read_known(program, value, (field,))
    if read is None:
        return None
    if read[0].is_null:
        return Empty()
    inner = read_list(program, read[0])
    if inner is None:
        return None
    key_name, value_name = names

    def walk() -> Iterator[Item]:
        for number, entry in enumerate(inner.page(0, inner.count)):
            pair = read_known(program, entry.value, (key_name, value_name))
            if pair is None:
                return
            yield Item(pair[1], f".{field}[{number}].{value_name.strip('_').capitalize()}", pair[0])

    return Walked(inner.count, walk)


def read_name_collection(program: Program, value: Value) -> Collection | None:
    """NameValueCollection, whose values are lists, and others derived from NameObjectCollectionBase."""
    return _entries(program, value, "_entriesArray", ("Key", "Value"))


def read_ordered_entries(program: Program, value: Value) -> Collection | None:
    """The OrderedDictionary without type arguments."""
    return _entries(program, value, "_objectsArray", ("_key", "_value"))


def read_hybrid(program: Program, value: Value) -> Collection | None:
    """HybridDictionary: a list until it has many entries."""
    for field, reader in (("hashtable", read_hash_table), ("list", read_list_dictionary)):
        read = read_known(program, value, (field,))
        if read is None:
            return None
        if not read[0].is_null:
            inner = reader(program, read[0])
            return Prefixed(inner, f".{field}") if inner is not None else None
    return Empty()


def read_expando(program: Program, value: Value) -> Collection | None:
    """ExpandoObject: its members by name. Those that were removed have a mark in their place."""
    data = read_known(program, value, ("_data",))
    read = read_known(program, data[0], ("Class", "_dataArray")) if data is not None else None
    keys = read_known(program, read[0], ("_keys",)) if read is not None else None
    if read is None or keys is None or not is_array(keys[0]) or not is_array(read[1]):
        return None
    names, held = keys[0], read[1]
    if names.length > min(held.length, _MOST_MEMBERS) or names.handle is None or held.handle is None:
        return None
    read_names = program.debuggee.elements(names.handle, 0, names.length)
    values = program.debuggee.elements(held.handle, 0, names.length)
    found = [
        Item(one, f".{name.text}" if (name.text or "").isidentifier() else None, name)
        for name, one in zip(read_names, values, strict=True)
        if not _is_removed(program, one)
    ]
    return Walked(len(found), lambda: iter(found))


def _is_removed(program: Program, member: Value) -> bool:
    if member.is_null or member.is_boxed or member.type is None or member.element_type is ElementType.STRING:
        return False
    return definition_name(program, program.debuggee.type_info(member.type)) == "System.Object"
