"""What structures and tables are declared with: Records annotated with construct types, indices included.

A row class is a Record (a named tuple) whose annotations carry a construct type each, such as
``Annotated[StringOffset, STRING]``. From that one declaration come the construct ``Struct`` (:func:`declared_struct`),
which can parse and build rows given ``sizes=IndexSizes(...)``, and the :class:`RowLayout`, the quick way by ``struct``
and ``memoryview``. Structures without indices (headers) are a :class:`FixedStruct` each, which is a construct Struct
that parses to the Record.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, Generic, TypeVar

from construct import Array, Bytes, BytesInteger, Construct, Container, FormatField, Struct
from construct.core import stream_read

from .errors import MalformedError
from .handles import Token
from .records import Record

R = TypeVar("R")

LARGE_TABLE_ROWS = 0x10000
"""A table with this many rows or more is referred to with four bytes (II.24.2.6)."""


class IndexSizes(Record):
    """What decides how wide the indices of a metadata image are.

    ``row_counts`` has 64 entries. In a Portable PDB those of the type-system tables are the referenced ones from
    the #Pdb stream. ``minimal_delta`` is set by an empty #JTD stream: every index is then four bytes wide.
    """

    string: int
    guid: int
    blob: int
    row_counts: tuple[int, ...]
    minimal_delta: bool = False


class _Index(Construct):  # type: ignore[misc]  # construct has no types
    """An unsigned integer of two or four bytes; which, the sizes say."""

    def width(self, sizes: IndexSizes) -> int:
        raise NotImplementedError

    def decode(self, raw: int) -> int:
        return raw

    def encode(self, value: int) -> int:
        return value

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        width = self.width(context._params.sizes)
        raw = int(BytesInteger(width, swapped=True)._parse(stream, context, path))
        return self.decode(raw)

    def _build(self, obj: int, stream: Any, context: Any, path: str) -> int:
        width = self.width(context._params.sizes)
        BytesInteger(width, swapped=True)._build(self.encode(obj), stream, context, path)
        return obj


class HeapIndex(_Index):
    """An offset into #Strings or #Blob, or an index into #GUID."""

    def __init__(self, heap: str) -> None:
        super().__init__()
        self.heap = heap

    def width(self, sizes: IndexSizes) -> int:
        """Two bytes or four, by the HeapSizes flags."""
        return int(getattr(sizes, self.heap))


class TableIndex(_Index):
    """A row id of one table. ``pointer`` is the table that stands between (FieldPtr and the like) in #- images."""

    def __init__(self, table: int, pointer: int | None = None) -> None:
        super().__init__()
        self.table = table
        self.pointer = pointer

    def width(self, sizes: IndexSizes) -> int:
        """Two bytes or four, by the row count."""
        if sizes.minimal_delta or sizes.row_counts[self.table] >= LARGE_TABLE_ROWS:
            return 4
        return 4 if self.pointer is not None and sizes.row_counts[self.pointer] >= LARGE_TABLE_ROWS else 2


class CodedIndex(_Index):
    """A row of one of several tables (II.24.2.6): the table in the low ``tag_bits``, the row id above them.

    Parses to a token. A tag without a table is a MalformedError.
    """

    def __init__(self, coded_name: str, tag_bits: int, tables: Sequence[int | None]) -> None:
        super().__init__()
        self.coded_name = coded_name
        self.tag_bits = tag_bits
        self.tables = tuple(tables)
        self._bases = [None if table is None else table << 24 for table in tables]
        self._bases += [None] * ((1 << tag_bits) - len(tables))
        known = [table for table in tables if table is not None]
        self._counts = itemgetter(*known, known[0])  # one more, so that it always gives a tuple
        self.mask = (1 << tag_bits) - 1

    def width(self, sizes: IndexSizes) -> int:
        """Two bytes when every table named has fewer than 2**(16 - tag_bits) rows."""
        most = max(self._counts(sizes.row_counts))
        return 2 if most < LARGE_TABLE_ROWS >> self.tag_bits and not sizes.minimal_delta else 4

    def decode(self, raw: int) -> int:
        """The token of a raw value."""
        base = self._bases[raw & self.mask]
        row_id = raw >> self.tag_bits
        if base is None or row_id > 0xFFFFFF:
            raise MalformedError(f"0x{raw:x} is not a {self.coded_name} index (II.24.2.6)")
        return Token(base | row_id)

    def encode(self, value: int) -> int:
        """The raw value of a token; ValueError when its table cannot be referred to."""
        return (value & 0xFFFFFF) << self.tag_bits | self.tables.index(value >> 24)


def declared_struct(row_type: type[Any]) -> Any:
    """The construct Struct of a row class; parse with ``sizes=``."""
    return Struct(*_fields_of(row_type))


def _fields_of(record: type[Any]) -> list[Any]:
    return [name / hint.__metadata__[0] for name, hint in record.__annotations__.items()]


_FORMAT_OF_WIDTH = {1: "B", 2: "H", 4: "I", 8: "Q"}


class RowLayout:
    """The quick way to decode the rows of one table, derived from its declaration for given sizes.

    ``key`` is the column by which the specification wants the rows sorted; None if it wants no order.
    """

    __slots__ = ("coded", "columns", "key", "kinds", "names", "row_type", "size", "unpacker")

    def __init__(self, row_type: type[Any], sizes: IndexSizes, key: str | None = None) -> None:
        self.row_type = row_type
        self.key = key
        self.names: tuple[str, ...] = row_type._fields
        self.kinds: list[Any] = [hint.__metadata__[0] for hint in row_type.__annotations__.values()]
        self.columns: dict[str, tuple[int, int, CodedIndex | None]] = {}
        self.coded: list[tuple[int, CodedIndex]] = []
        formats = ["<"]
        offset = 0
        for number, (name, kind) in enumerate(zip(self.names, self.kinds, strict=False)):
            width, code = format_of(kind, sizes)
            coded = kind if isinstance(kind, CodedIndex) else None
            if coded is not None:
                self.coded.append((number, coded))
            self.columns[name] = (offset, width, coded)
            formats.append(code)
            offset += width
        self.size = offset
        self.unpacker = struct.Struct("".join(formats))


def format_of(kind: Any, sizes: IndexSizes | None) -> tuple[int, str]:
    """Width and ``struct`` code of one declared field; indices need the sizes.

    TypeError for what the quick way would read otherwise than construct does: only little-endian integers and floats,
    Bytes of fixed size, and the indices of metadata are known.
    """
    if isinstance(kind, _Index):
        if sizes is None:
            raise TypeError(f"{type(kind).__name__} has no width without the sizes of an image")
        width = kind.width(sizes)
        return width, _FORMAT_OF_WIDTH[width]
    if type(kind) is FormatField:
        order, code = str(kind.fmtstr)[0], str(kind.fmtstr)[1:]
        if order != "<" and kind.length > 1:
            raise TypeError(f"{kind} is not little-endian")
        return kind.length, code
    if type(kind) is Bytes and isinstance(kind.length, int):
        return kind.length, f"{kind.length}s"
    raise TypeError(f"the quick way does not know how to read {kind}")


class FixedStruct(Struct, Generic[R]):  # type: ignore[misc]  # construct has no types
    """The construct Struct of a Record whose fields are all of fixed size; parses to that class.

    Parsing is construct's own but for the fields: they are read at once, by a ``struct`` derived from them. What else
    construct does with a Struct needs its members, which are made then: a program that only reads goes without.
    """

    def __init__(self, record: type[R]) -> None:
        Construct.__init__(self)
        self.record = record
        codes = [format_of(hint.__metadata__[0], None)[1] for hint in record.__annotations__.values()]
        self.unpacker = struct.Struct("<" + "".join(codes))
        self.size = self.unpacker.size
        self._make: Callable[[tuple[Any, ...]], R] = partial(tuple.__new__, record)  # type: ignore[type-var]

    @cached_property
    def subcons(self) -> list[Any]:
        """The members, by construct's name for them."""
        return _fields_of(self.record)

    @cached_property
    def _subcons(self) -> Any:
        return Container((member.name, member) for member in self.subcons)

    def _parse(self, stream: Any, context: Any, path: str) -> R:
        return self._make(self.unpacker.unpack(stream_read(stream, self.size, path)))

    def at(self, data: Any, position: int) -> R:
        """The quick way: as :meth:`parse` at a position of bytes or of a map, which must have all the bytes."""
        return self._make(self.unpacker.unpack_from(data, position))

    def each(self, data: bytes) -> list[R]:
        """Parse an array of them that fills the data."""
        parsed: list[R] = Array(len(data) // self.size, self).parse(data)
        return parsed
