"""Which tables a metadata image has, how many rows of each, and how its rows are laid out (ECMA-335 II.24.2.6)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

from .errors import LimitError
from .records import Record
from .source import Region

if TYPE_CHECKING:
    from .root_structs import TableStream
    from .schema import RowLayout

TYPE_SYSTEM_TABLES = (1 << 0x2D) - 1
"""The bit vector of the tables of ECMA-335, those of a Portable PDB left out."""

UNKNOWN_TABLES = 0xFF << 0x38 | 7 << 0x2D
"""The bits of tables that no specification has."""

_EXTRA_DATA = 0x40  # HeapSizes bit: four more bytes after the row counts (old compilers, #- images)
MAX_ROWS = 0xFFFFFF
"""As many rows as a token has room for."""


class Bits(Record):
    """Of a bit vector of tables: their numbers, which of them each is, their counts as stored, what makes 64 counts."""

    tables: tuple[int, ...]
    at: dict[int, int]
    stored: struct.Struct
    spread: Callable[[tuple[int, ...]], tuple[int, ...]]


@lru_cache(maxsize=256)
def bits(mask: int) -> Bits:
    """Of a bit vector of tables, as ``valid`` in the head of the table stream."""
    tables = tuple([number for number in range(64) if mask >> number & 1])
    places = [tables.index(number) if number in tables else len(tables) for number in range(64)]
    at = {number: place for place, number in enumerate(tables)}
    return Bits(tables, at, struct.Struct(f"<{len(tables)}I"), itemgetter(*places))


def spread(mask: int, counts: tuple[int, ...]) -> tuple[int, ...]:
    """64 row counts, 0 for the tables that are not there."""
    return bits(mask).spread((*counts, 0))


def heap_widths(heap_sizes: int) -> tuple[int, int, int]:
    """Bytes of an offset into #Strings, an index into #GUID, an offset into #Blob (II.24.2.6)."""
    return 4 if heap_sizes & 1 else 2, 4 if heap_sizes & 2 else 2, 4 if heap_sizes & 4 else 2


@lru_cache(maxsize=256)
def layouts_of_few_rows(valid: int, heap_sizes: int) -> tuple[dict[int, RowLayout], tuple[int, ...]]:
    """The layouts of tables where no row count makes an index wide, and the row sizes of the tables that are there."""
    from . import row_layouts
    from .schema import IndexSizes

    sizes = IndexSizes(*heap_widths(heap_sizes), (0,) * 64)
    layouts = row_layouts.PDB_FAMILY.layouts(sizes)
    if valid & TYPE_SYSTEM_TABLES:
        layouts = {**layouts, **row_layouts.ecma_family().layouts(sizes)}
    return layouts, tuple([layouts[number].size for number in bits(valid).tables])


def read_row_counts(region: Region, position: int, mask: int) -> tuple[int, ...]:
    """The row counts of the tables in ``mask``."""
    tables, _, stored, _ = bits(mask)
    if position + stored.size > region.size:
        region.bytes_at(position, stored.size, "the row counts")
    found = stored.unpack_from(region.data, region.start + position)
    if found and max(found) > MAX_ROWS:
        at = next(at for at, count in enumerate(found) if count > MAX_ROWS)
        rule = f"table 0x{tables[at]:02x} claims {found[at]} rows; a token has room for {MAX_ROWS}"
        raise region.error(LimitError, rule, position + 4 * at)
    return found


class TableStreamHead(Record):
    """The head of a table stream and what follows from it."""

    head: TableStream
    stored: struct.Struct
    """The row counts as stored."""
    first_table: int
    """Where in the stream the rows begin."""
    layouts: dict[int, RowLayout]
    """As :func:`layouts_of_few_rows`; what comes of an unknown table is not to be used."""
    row_sizes: tuple[int, ...]


@lru_cache(maxsize=256)
def table_stream_head(raw: bytes) -> TableStreamHead:
    """The head of a table stream, parsed by construct.

    Images that a compiler makes of like programs have it in common, so that it is kept by its bytes.
    """
    from .root_structs import TABLE_STREAM

    head = TABLE_STREAM.parse(raw)
    stored = bits(head.valid).stored
    first_table = TABLE_STREAM.size + stored.size + (4 if head.heap_sizes & _EXTRA_DATA else 0)
    known = () if head.valid & UNKNOWN_TABLES else layouts_of_few_rows(head.valid, head.heap_sizes & 7)
    return TableStreamHead(head, stored, first_table, *known or ({}, ()))


@lru_cache(maxsize=256)
def pdb_stream_format(mask: bytes) -> struct.Struct | None:
    """The quick way to read a #Pdb stream whose bit vector of referenced tables is ``mask``, as stored: all of it.

    None if these are no type-system tables.
    """
    from .root_structs import PDB_STREAM

    tables = bits(int.from_bytes(mask, "little")).tables
    known = all(TYPE_SYSTEM_TABLES >> number & 1 for number in tables)
    return struct.Struct(f"{PDB_STREAM.unpacker.format}{len(tables)}I") if known else None
