"""System.Data: the rows of a table, and the cells of a row by their columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from dap_dotnet.runtime.model import Value
from dap_dotnet.values import primitives
from dap_dotnet.values.collections.array_backed import read_list
from dap_dotnet.values.collections.items import MOST_VISITED, Collection, Item
from dap_dotnet.values.collections.specialized import read_bit_array
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, integer, is_array, read_known

_STORAGES = frozenset(
    f"System.Data.Common.{kind}Storage"
    for kind in (
        "Boolean", "Byte", "Char", "DateTime", "DateTimeOffset", "Decimal", "Double", "Int16", "Int32", "Int64",
        "Object", "SByte", "Single", "String", "TimeSpan", "UInt16", "UInt32", "UInt64",
    )
)  # fmt: skip
"""Those that keep the value of a row in an array, and DBNull as null or as a bit."""
_NIL = 0
_MOST_DEPTH = 64
"""A red-black tree with as many rows as there can be is not as deep."""
_MOST_SHOWN = 8
"""Cells in the text of a row."""


class Rows:
    """The rows of a table: nodes of a red-black tree, each of which knows the size of its subtree."""

    def __init__(self, program: Program, pages: Value, root: int, count: int, path: str) -> None:
        """`path` follows the expression of the collection, with `{}` for the number of the row."""
        self._program = program
        self._pages = pages
        self._root = root
        self._path = path
        self._slots: dict[int, Value | None] = {}
        self.count = count
        self.table_name = ""
        """Of a table; empty for its rows alone."""

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        count = min(count, self.count - start)
        rows = islice(self._from(start), count) if count > 0 else ()
        return [Item(row, self._path.format(number)) for number, row in enumerate(rows, start)]

    def _from(self, position: int) -> Iterator[Value]:
        """The rows from a position on, in their order. Ends where the tree is not as it should be."""
        waiting: list[tuple[Value, int]] = []
        node_id = self._root
        for _ in range(_MOST_DEPTH):
            node = self._node(node_id) if node_id != _NIL else None
            if node is None:
                return
            left, right, row = node
            before = self._size(left)
            if position > before:
                position -= before + 1
                node_id = right
                continue
            waiting.append((row, right))
            if position == before:
                break
            node_id = left
        else:
            return
        for _ in range(MOST_VISITED):
            if not waiting or len(waiting) > _MOST_DEPTH:
                return
            row, node_id = waiting.pop()
            yield row
            while node_id != _NIL and len(waiting) <= _MOST_DEPTH:
                node = self._node(node_id)
                if node is None:
                    return
                node_id, right, row = node
                waiting.append((row, right))

    def _read(self, node_id: int, names: tuple[str, ...]) -> list[Value] | None:
        page = node_id >> 16
        if page not in self._slots:
            self._slots[page] = self._slots_of(page)
        slots = self._slots[page]
        slot = node_id & 0xFFFF
        if slots is None or slots.handle is None or slot >= slots.length:
            return None
        return read_known(self._program, self._program.debuggee.elements(slots.handle, slot, 1)[0], names)

    def _slots_of(self, page: int) -> Value | None:
        if self._pages.handle is None or not 0 <= page < self._pages.length:
            return None
        found = read_known(self._program, self._program.debuggee.elements(self._pages.handle, page, 1)[0], ("_slots",))
        return found[0] if found is not None and is_array(found[0]) else None

    def _node(self, node_id: int) -> tuple[int, int, Value] | None:
        read = self._read(node_id, ("_leftId", "_rightId", "_keyOfNode"))
        left, right = (integer(read[0]), integer(read[1])) if read is not None else (None, None)
        return (left, right, read[2]) if read is not None and left is not None and right is not None else None

    def _size(self, node_id: int) -> int:
        read = self._read(node_id, ("_subTreeSize",)) if node_id != _NIL else None
        return (integer(read[0]) or 0) if read is not None else 0


class Cells:
    """What a row has in its columns, each by the column's name."""

    def __init__(self, program: Program, columns: Collection, record: int) -> None:
        self._program = program
        self._columns = columns
        self._record = record
        self.count = columns.count

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        found: list[Item] = []
        for column in self._columns.page(start, count):
            read = read_known(self._program, column.value, ("_columnName", "_storage"))
            if read is None or read[0].text is None:
                return found
            value = _stored(self._program, read[1], self._record)
            found.append(Item(value, f"[{primitives.quote(read[0].text)}]", read[0]))
        return found

    def text(self, show: Callable[[Value], str]) -> str:
        """`{ Name = "Ann", Age = 42 }`."""
        shown = [f"{cell.key.text} = {show(cell.value)}" for cell in self.page(0, _MOST_SHOWN) if cell.key is not None]
        more = ", …" if self.count > _MOST_SHOWN else ""
        return f"{{ {', '.join(shown)}{more} }}" if shown else "{ }"


def _stored(program: Program, storage: Value, record: int) -> Value:
    """What a column has for a record; a value with `error` where its storage is another than those that are known."""
    unknown = Value(None, None, storage.element_type, error="not known; evaluate the row's indexer")
    known = storage.type is not None and definition_name(program, program.debuggee.type_info(storage.type))
    read = read_known(program, storage, ("_values", "_dbNullBits", "_nullValue")) if known in _STORAGES else None
    if read is None or not is_array(read[0]) or read[0].handle is None or not 0 <= record < read[0].length:
        return unknown
    value = program.debuggee.elements(read[0].handle, record, 1)[0]
    if value.is_null:
        return read[2]
    if value.is_reference and known in ("System.Data.Common.StringStorage", "System.Data.Common.ObjectStorage"):
        return value
    bits = read_bit_array(program, read[1]) if not read[1].is_null else None
    bit = bits.page(record, 1) if bits is not None else []
    if not bit:
        return unknown
    return read[2] if bit[0].value.raw[0] else value


def read_table(program: Program, value: Value) -> Collection | None:
    """DataTable: its rows."""
    read = read_known(program, value, ("_rowCollection", "_tableName"))
    rows = _rows(program, read[0], ".Rows[{}]") if read is not None and not read[0].is_null else None
    if read is not None and rows is not None:
        rows.table_name = read[1].text or ""
    return rows


def read_rows(program: Program, value: Value) -> Collection | None:
    """DataRowCollection."""
    return _rows(program, value, "[{}]")


def _rows(program: Program, rows: Value, path: str) -> Rows | None:
    tree = read_known(program, rows, ("_list",))
    read = read_known(program, tree[0], ("_pageTable", "root", "_inUseNodeCount")) if tree is not None else None
    root, in_use = (integer(read[1]), integer(read[2])) if read is not None else (None, None)
    if read is None or root is None or in_use is None or not is_array(read[0]) or in_use < 1:
        return None
    return Rows(program, read[0], root, in_use - 1, path)


def read_row(program: Program, value: Value) -> Collection | None:
    """DataRow: the cells of its current version, or of the edit under way; None for a row that is deleted."""
    read = read_known(program, value, ("_columns", "_tempRecord", "_newRecord"))
    columns = read_known(program, read[0], ("_list",)) if read is not None else None
    edited, current = (integer(read[1]), integer(read[2])) if read is not None else (None, None)
    if columns is None or edited is None or current is None:
        return None
    record = edited if edited >= 0 else current
    listed = read_list(program, columns[0]) if record >= 0 else None
    return Cells(program, listed, record) if listed is not None else None
