"""A metadata table: rows on demand, a column of the whole table in one pass, binary search (ECMA-335 II.22)."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from .errors import MalformedError, NoSuchEntryError, PortablePdbError
from .handles import TableNumber
from .source import Region

if TYPE_CHECKING:
    from .schema import RowLayout

R = TypeVar("R")

_CAST_OF_WIDTH: dict[int, Literal["B", "H", "I"]] = {1: "B", 2: "H", 4: "I"}


_SEARCHES_BEFORE_KEYS = 100

_NONZERO = bytes([0] + [1] * 255)
_NO_ROWS = range(0)
_new: Any = tuple.__new__  # quicker than _make of a NamedTuple, which does the same


class Table(Generic[R]):
    """The rows of one table. Row ids are 1-based; iterating gives the rows in order."""

    __slots__ = (
        "_data",
        "_first",
        "_keys",
        "_outer",
        "_place",
        "_searches",
        "_sorted_pairs",
        "declared_sorted",
        "layout",
        "number",
        "row_count",
        "row_size",
    )

    def __init__(
        self, number: int, layout: RowLayout, row_count: int, outer: Region, place: int, *, declared_sorted: bool
    ) -> None:
        """The rows begin at ``place`` in ``outer``, which has room for all of them."""
        self.number = number
        self.layout = layout
        self.row_count = row_count
        self.row_size = layout.size
        self.declared_sorted = declared_sorted
        self._outer = outer
        self._place = place
        self._data = outer.data
        self._first = outer.start + place
        self._sorted_pairs: dict[str, tuple[list[int], list[int]]] = {}
        self._searches = 0
        self._keys: array[int] | None = None

    def __len__(self) -> int:
        return self.row_count

    @property
    def region(self) -> Region:
        """The bytes of all rows."""
        return self._outer.part(self._place, self.row_count * self.row_size, "the rows of a table")

    @property
    def name(self) -> str:
        """The name of the table in the specification's words, as ``MethodDef``."""
        return "".join(part.capitalize() for part in TableNumber(self.number).name.split("_"))

    def row(self, row_id: int) -> R:
        """The row of a 1-based row id, decoded. NoSuchEntryError outside 1..row_count, MalformedError for a bad tag."""
        if not 0 < row_id <= self.row_count:
            raise self._no_row(row_id)
        layout = self.layout
        values: Any = layout.unpacker.unpack_from(self._data, self._first + (row_id - 1) * self.row_size)
        if layout.coded:
            values = self._decoded(values, row_id)
        row: R = _new(layout.row_type, values)
        return row

    def access(self) -> tuple[Any, int, int, Any]:
        """For loops over many rows: (unpack_from, place of the first row, row size, data); coded indices stay coded.

        ``unpack_from(data, place + (row_id - 1) * size)`` gives the stored values; the row ids are not checked.
        """
        return self.layout.unpacker.unpack_from, self._first, self.row_size, self._data

    def stored_rows(self) -> Iterator[tuple[Any, ...]]:
        """The values of each row as stored, in row order: coded indices stay coded."""
        data, first = self._data, self._first
        return self.layout.unpacker.iter_unpack(data[first : first + self.row_count * self.row_size])

    def __iter__(self) -> Iterator[R]:
        layout = self.layout
        row_type = layout.row_type
        view = memoryview(self._data)[self._first : self._first + self.row_count * self.row_size]
        with view:
            for row_id, values in enumerate(layout.unpacker.iter_unpack(view), 1):
                yield _new(row_type, self._decoded(values, row_id) if layout.coded else values)

    def value(self, row_id: int, column: str) -> int:
        """One value of one row, decoded (a coded index becomes a token)."""
        if not 0 < row_id <= self.row_count:
            raise self._no_row(row_id)
        offset, width, coded = self.layout.columns[column]
        begin = self._first + (row_id - 1) * self.row_size + offset
        raw = int.from_bytes(self._data[begin : begin + width], "little")
        if coded is None:
            return raw
        try:
            return coded.decode(raw)
        except PortablePdbError as error:
            raise self.region.error(MalformedError, error.rule, begin - self._first) from None

    def raw_column(self, column: str) -> list[int]:
        """The raw integers of a column, all rows in one pass; item 0 is row 1. Coded indices stay coded."""
        offset, width, _ = self.layout.columns[column]
        if not self.row_count:
            return []
        data = self._data
        end = self._first + self.row_count * self.row_size
        step, rest = divmod(self.row_size, width)
        skip, misaligned = divmod(offset, width)
        with memoryview(data) as view:
            if not rest and not misaligned:
                with (
                    view[self._first : end] as part,
                    part.cast(_CAST_OF_WIDTH[width]) as numbers,
                    numbers[skip::step] as column_view,
                ):
                    return column_view.tolist()
            # A wide column at an odd place: its halves are columns of their own.
            half = 2 if width == 4 and not self.row_size % 2 and not offset % 2 else 1
            parts: list[list[int]] = []
            with view[self._first : end] as part, part.cast(_CAST_OF_WIDTH[half]) as numbers:
                for number in range(width // half):
                    with numbers[offset // half + number :: self.row_size // half] as column_view:
                        parts.append(column_view.tolist())
        if len(parts) == 2:
            bits = half * 8
            return [low | high << bits for low, high in zip(parts[0], parts[1], strict=False)]
        return [a | b << 8 | c << 16 | d << 24 for a, b, c, d in zip(*parts, strict=False)]

    def column(self, column: str) -> list[int]:
        """As :meth:`raw_column`, with coded indices decoded to tokens. MalformedError for a bad tag."""
        raw = self.raw_column(column)
        coded = self.layout.columns[column][2]
        if coded is None:
            return raw
        tables = [None if table is None else table << 24 for table in coded.tables]
        tables += [None] * (coded.mask + 1 - len(tables))
        bits, mask = coded.tag_bits, coded.mask
        try:
            return [tables[value & mask] | value >> bits for value in raw]  # type: ignore[operator]
        except TypeError:
            for row_id in range(1, self.row_count + 1):
                self.value(row_id, column)
            raise

    def rows_with(self, column: str, value: int) -> list[int] | range:
        """The row ids whose column has this (decoded) value, ascending.

        A binary search by the column that the table is sorted by (II.22), where the image declares it sorted: in place
        at first, in a copy of the column when many are asked for; else by an index that is made once.
        """
        if not self.row_count:
            return _NO_ROWS
        coded = self.layout.columns[column][2]
        if coded is not None:
            if value >> 24 not in coded.tables:
                return _NO_ROWS
            value = coded.encode(value)
        if self.declared_sorted and column == self.layout.key:
            if self._keys is None and self._searches < _SEARCHES_BEFORE_KEYS:
                self._searches += 1
                first = self._lower_bound(column, value)
                if first > self.row_count or self._raw(first, column) != value:
                    return _NO_ROWS
                return range(first, self._lower_bound(column, value + 1))
            keys = self._keys
            if keys is None:
                keys = self._keys = array("I", self.raw_column(column))
            at = bisect_left(keys, value)
            if at == len(keys) or keys[at] != value:
                return _NO_ROWS
            return range(at + 1, bisect_right(keys, value, at) + 1)
        if column not in self._sorted_pairs:
            raw = self.raw_column(column)
            order = sorted(range(len(raw)), key=raw.__getitem__)
            self._sorted_pairs[column] = ([raw[i] for i in order], [i + 1 for i in order])
        ordered, row_ids = self._sorted_pairs[column]
        return row_ids[bisect_left(ordered, value) : bisect_right(ordered, value)]

    def row_with(self, column: str, value: int) -> R | None:
        """The first row whose column has this (decoded) value; None if there is none."""
        row_ids = self.rows_with(column, value)
        return self.row(row_ids[0]) if row_ids else None

    def rows_equal(self, column: str, value: int) -> list[int]:
        """The row ids whose raw column has this value, by one scan at the speed of ``bytes.find``; no order needed."""
        offset, width, _ = self.layout.columns[column]
        if value >> width * 8:
            return []
        size = self.row_size
        end = self._first + self.row_count * size
        data = self._data
        wanted = value.to_bytes(width, "little")
        whole = data[self._first : end]
        low = whole[offset::size]
        others = [(whole[offset + n :: size], wanted[n]) for n in range(1, width)]
        others = [(part, byte) for part, byte in others if part.count(byte) != len(part)]
        rows = []
        find = low.find
        byte = wanted[0]
        row = find(byte)
        while row >= 0:
            for part, other in others:
                if part[row] != other:
                    break
            else:
                rows.append(row + 1)
            row = find(byte, row + 1)
        return rows

    def rows_zero_and_not(self, zero: str, other: str) -> list[int]:
        """The row ids whose column ``zero`` is 0 and column ``other`` is not; compared bytewise, without a loop."""
        if not self.row_count:
            return []
        whole = self._data[self._first : self._first + self.row_count * self.row_size]

        def nonzero(column: str) -> int:
            offset, width, _ = self.layout.columns[column]
            flags = 0
            for n in range(width):
                flags |= int.from_bytes(whole[offset + n :: self.row_size].translate(_NONZERO), "big")
            return flags

        flags = (nonzero(other) & ~nonzero(zero)).to_bytes(self.row_count, "big")
        rows = []
        row = flags.find(1)
        while row >= 0:
            rows.append(row + 1)
            row = flags.find(1, row + 1)
        return rows

    def _lower_bound(self, column: str, value: int) -> int:
        offset, width, _ = self.layout.columns[column]
        data, size, start = self._data, self.row_size, self._first + offset
        low, high = 0, self.row_count
        while low < high:
            middle = (low + high) >> 1
            begin = start + middle * size
            if int.from_bytes(data[begin : begin + width], "little") < value:
                low = middle + 1
            else:
                high = middle
        return low + 1

    def _raw(self, row_id: int, column: str) -> int:
        offset, width, _ = self.layout.columns[column]
        begin = self._first + (row_id - 1) * self.row_size + offset
        return int.from_bytes(self._data[begin : begin + width], "little")

    def _decoded(self, values: tuple[Any, ...], row_id: int) -> list[Any]:
        decoded = list(values)
        for number, coded in self.layout.coded:
            try:
                decoded[number] = coded.decode(values[number])
            except PortablePdbError as error:
                raise self.region.error(
                    MalformedError, f"row {row_id} of {self.name}: {error.rule}", (row_id - 1) * self.row_size
                ) from None
        return decoded

    def _no_row(self, row_id: int) -> PortablePdbError:
        return self.region.error(
            NoSuchEntryError, f"row {row_id} of the {self.name} table was asked for; it has {self.row_count}"
        )
