"""Which tables a metadata image has, how many rows of each, and how its rows are laid out (ECMA-335 II.24.2.6)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from .errors import LimitError
from .source import Region

if TYPE_CHECKING:
    from .schema import RowLayout

TYPE_SYSTEM_TABLES = (1 << 0x2D) - 1
"""The bit vector of the tables of ECMA-335, those of a Portable PDB left out."""

_MAX_ROWS = 0xFFFFFF


class Bits(NamedTuple):
    """Of a bit vector of tables: their numbers, their row counts as stored, and what makes 64 counts of these and 0."""

    tables: tuple[int, ...]
    stored: struct.Struct
    spread: Callable[[tuple[int, ...]], tuple[int, ...]]


@lru_cache(maxsize=256)
def bits(mask: int) -> Bits:
    """Of a bit vector of tables, as ``valid`` in the head of the table stream."""
    tables = tuple([number for number in range(64) if mask >> number & 1])
    places = [tables.index(number) if number in tables else len(tables) for number in range(64)]
    return Bits(tables, struct.Struct(f"<{len(tables)}I"), itemgetter(*places))


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
    tables, stored, _ = bits(mask)
    if position + stored.size > region.size:
        region.bytes_at(position, stored.size, "the row counts")
    found = stored.unpack_from(region.data, region.start + position)
    if found and max(found) > _MAX_ROWS:
        at = next(at for at, count in enumerate(found) if count > _MAX_ROWS)
        rule = f"table 0x{tables[at]:02x} claims {found[at]} rows; a token has room for {_MAX_ROWS}"
        raise region.error(LimitError, rule, position + 4 * at)
    return found
