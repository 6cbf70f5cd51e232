"""Which collections are known, by the full names of their types; classes derived from them count too."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, TypeId, TypeInfo, Value
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.values.collections import (
    array_backed,
    concurrent,
    consecutive,
    data_tables,
    hash_tries,
    hashed,
    json_documents,
    linked,
    side_by_side,
    specialized,
)
from dap_dotnet.values.collections.items import Collection, Part
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, integer, read_known
from dap_dotnet.values.lineage import lineage, overrides
from dap_dotnet.values.members import has_members

_MAX_WRAPPERS = 8
_STRUCTURES = (ElementType.VALUETYPE, ElementType.GENERICINST)
Reader = Callable[[Program, Value], "Collection | None"]


def known_collection(program: Program, value: Value, depth: int = 0) -> Collection | None:
    """The collection that a value is; None for others, and for one whose fields are not as they should be."""
    if not has_members(value) or value.type is None or depth > _MAX_WRAPPERS:
        return None
    name = known_name(program, value.type)
    try:
        if name is None:
            return consecutive.read_repeated(program, value) if value.element_type in _STRUCTURES else None
        wrapped = _WRAPPERS.get(name)
        return _wrapped(program, value, wrapped, depth) if wrapped is not None else _READERS[name](program, value)
    except DapDotnetError:
        return None


_NAMES: CacheSlot[dict[TypeId, str | None]] = CacheSlot("known collections by their types", lambda _: {})


def known_name(program: Program, type_id: TypeId | None) -> str | None:
    """The full name of the collection that a type is, or is derived from; None for others."""
    module = program.modules.get(program.debuggee.type_info(type_id).module) if type_id is not None else None
    if module is None or type_id is None:
        return _find_name(program, type_id)
    known = module.cached(_NAMES)
    if type_id not in known:
        known[type_id] = _find_name(program, type_id)
    return known[type_id]


def _find_name(program: Program, type_id: TypeId | None) -> str | None:
    for _, info in lineage(program, type_id):
        name = definition_name(program, info)
        if name in _READERS or name in _WRAPPERS:
            return name
        if name == _VIEW or _has_other_items(program, info):
            return None
    return None


_VIEW = "System.Collections.Generic.SortedSet`1+TreeSubSet"
"""What SortedSet.GetViewBetween gives: it brings its fields up to date when it is asked for its count or its items."""


def _has_other_items(program: Program, info: TypeInfo) -> bool:
    """Whether a class overrides Count or GetEnumerator: its items need not be those in the fields of its base.

    So does WebHeaderCollection, whose own fields stay empty.
    """
    return overrides(program, info, "get_Count") or overrides(program, info, "GetEnumerator")


def _wrapped(program: Program, value: Value, field: str, depth: int) -> Collection | None:
    """A collection around another, which may be an array too."""
    read = read_known(program, value, (field,))
    if read is None or read[0].is_null:
        return None
    if read[0].type is not None and program.debuggee.type_info(read[0].type).rank:
        return array_backed.Slots(program, read[0], read[0].length, f".{field}[{{}}]")
    inner = known_collection(program, read[0], depth + 1)
    return linked.Prefixed(inner, f".{field}") if inner is not None else None


def _range(program: Program, value: Value) -> Collection | None:
    """What ArrayList.GetRange gives: a part of another list."""
    read = read_known(program, value, ("_baseList", "_baseIndex", "_baseSize"))
    start, count = (integer(read[1]), integer(read[2])) if read is not None else (None, None)
    inner = known_collection(program, read[0], 1) if read is not None and not read[0].is_null else None
    if inner is None or start is None or count is None or not 0 <= start <= start + count <= inner.count:
        return None
    return Part(linked.Prefixed(inner, "._baseList"), start, count)


_GENERIC = "System.Collections.Generic."
_IMMUTABLE = "System.Collections.Immutable."
_CONCURRENT = "System.Collections.Concurrent."
_MODEL = "System.Collections.ObjectModel."
_READERS: dict[str, Reader] = {
    f"{_GENERIC}List`1": array_backed.read_list,
    "System.Collections.ArrayList": array_backed.read_list,
    f"{_GENERIC}Stack`1": array_backed.read_stack,
    f"{_GENERIC}Queue`1": array_backed.read_queue,
    f"{_GENERIC}PriorityQueue`2": array_backed.read_priority_queue,
    "System.Span`1": consecutive.read_span,
    "System.ReadOnlySpan`1": consecutive.read_span,
    "System.ArraySegment`1": array_backed.read_segment,
    "System.Memory`1": consecutive.read_memory,
    "System.ReadOnlyMemory`1": consecutive.read_memory,
    f"{_IMMUTABLE}ImmutableArray`1": array_backed.read_immutable_array,
    "System.Collections.Stack": array_backed.read_stack,
    "System.Collections.Queue": array_backed.read_queue,
    "System.Collections.SortedList": linked.read_sorted_list,
    f"{_IMMUTABLE}ImmutableArray`1+Builder": array_backed.read_array_builder,
    f"{_IMMUTABLE}ImmutableList`1+Builder": linked.read_immutable_tree,
    f"{_IMMUTABLE}ImmutableDictionary`2": hash_tries.read_hash_trie,
    f"{_IMMUTABLE}ImmutableDictionary`2+Builder": hash_tries.read_hash_trie,
    f"{_IMMUTABLE}ImmutableHashSet`1": hash_tries.read_hash_trie,
    f"{_IMMUTABLE}ImmutableHashSet`1+Builder": hash_tries.read_hash_trie,
    f"{_IMMUTABLE}ImmutableQueue`1": hash_tries.read_immutable_queue,
    f"{_CONCURRENT}ConcurrentQueue`1": concurrent.read_concurrent_queue,
    f"{_CONCURRENT}ConcurrentBag`1": concurrent.read_concurrent_bag,
    "System.Collections.Frozen.FrozenDictionary`2": side_by_side.read_frozen_dictionary,
    "System.Collections.Frozen.FrozenSet`1": side_by_side.read_frozen_set,
    "System.Linq.Lookup`2": side_by_side.read_lookup,
    "System.Linq.Grouping`2": array_backed.read_grouping,
    f"{_GENERIC}OrderedDictionary`2": hashed.read_ordered_dictionary,
    f"{_GENERIC}Dictionary`2+KeyCollection": side_by_side.read_keys,
    f"{_GENERIC}Dictionary`2+ValueCollection": side_by_side.read_values,
    f"{_GENERIC}Dictionary`2": hashed.read_dictionary,
    f"{_GENERIC}HashSet`1": hashed.read_set,
    "System.Collections.Hashtable": linked.read_hash_table,
    "System.Collections.ListDictionaryInternal": linked.read_list_dictionary,
    "System.Collections.Specialized.ListDictionary": linked.read_list_dictionary,
    "System.Collections.BitArray": specialized.read_bit_array,
    "System.Collections.Specialized.NameObjectCollectionBase": specialized.read_name_collection,
    "System.Collections.Specialized.OrderedDictionary": specialized.read_ordered_entries,
    "System.Collections.Specialized.HybridDictionary": specialized.read_hybrid,
    "System.Collections.ArrayList+Range": _range,
    f"{_IMMUTABLE}ImmutableSortedSet`1+Builder": linked.read_immutable_tree,
    f"{_IMMUTABLE}ImmutableSortedDictionary`2+Builder": linked.read_immutable_sorted_dictionary,
    "System.Data.DataTable": data_tables.read_table,
    "System.Data.DataRowCollection": data_tables.read_rows,
    "System.Data.DataRow": data_tables.read_row,
    "System.Dynamic.ExpandoObject": specialized.read_expando,
    json_documents.DOCUMENT: json_documents.read_document,
    json_documents.ELEMENT: json_documents.read_element,
    "System.Text.Json.Nodes.JsonObject": json_documents.read_object,
    "System.Text.Json.Nodes.JsonArray": json_documents.read_array,
    f"{_GENERIC}LinkedList`1": linked.read_linked_list,
    f"{_GENERIC}SortedSet`1": linked.read_sorted_set,
    f"{_GENERIC}SortedDictionary`2": linked.read_sorted_dictionary,
    f"{_GENERIC}SortedList`2": linked.read_sorted_list,
    f"{_CONCURRENT}ConcurrentDictionary`2": linked.read_concurrent_dictionary,
    f"{_CONCURRENT}ConcurrentStack`1": linked.read_concurrent_stack,
    f"{_IMMUTABLE}ImmutableStack`1": linked.read_immutable_stack,
    f"{_IMMUTABLE}ImmutableList`1": linked.read_immutable_tree,
    f"{_IMMUTABLE}ImmutableSortedSet`1": linked.read_immutable_tree,
    f"{_IMMUTABLE}ImmutableSortedDictionary`2": linked.read_immutable_sorted_dictionary,
}
_WRAPPERS = {
    "System.Collections.ArrayList+IListWrapper": "_list",
    "System.Collections.ArrayList+SyncArrayList": "_list",
    "System.Collections.ArrayList+FixedSizeArrayList": "_list",
    "System.Collections.ArrayList+ReadOnlyArrayList": "_list",
    "System.Collections.Hashtable+SyncHashtable": "_table",
    "System.Collections.Queue+SynchronizedQueue": "_q",
    "System.Collections.SortedList+SyncSortedList": "_list",
    "System.Collections.Stack+SyncStack": "_s",
    f"{_GENERIC}PriorityQueue`2+UnorderedItemsCollection": "_queue",
    f"{_MODEL}Collection`1": "items",
    f"{_MODEL}ReadOnlyCollection`1": "list",
    f"{_MODEL}ReadOnlyDictionary`2": "m_dictionary",
    f"{_MODEL}ReadOnlySet`1": "_set",
    f"{_CONCURRENT}BlockingCollection`1": "_collection",
    "System.Collections.Specialized.StringCollection": "data",
    "System.Data.DataColumnCollection": "_list",
    "System.Data.DataTableCollection": "_list",
    "System.Data.ConstraintCollection": "_list",
    "System.Collections.Specialized.StringDictionary": "contents",
}
"""Collections around others, by the field that holds the other one."""
