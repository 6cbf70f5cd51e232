"""The row layouts, made from the declarations of tables_ecma.py and tables_pdb.py when first needed."""

from __future__ import annotations

from typing import Any

from .schema import LARGE_TABLE_ROWS, IndexSizes, RowLayout
from .tables_pdb import ROW_TYPES as PDB_ROW_TYPES
from .tables_pdb import SORTED_BY as PDB_SORTED_BY

FIRST_PDB_TABLE = 0x30
FEW_ROWS = LARGE_TABLE_ROWS >> 5
"""With fewer rows than this in every table, all indices into tables are two bytes: no coded index has a wider tag."""


class Family:
    """The tables of one specification. Images whose indices have the same widths share their layouts."""

    def __init__(self, row_types: dict[Any, type[Any]], sorted_by: dict[Any, str]) -> None:
        self.row_types = row_types
        self.sorted_by = sorted_by
        kinds: dict[int, Any] = {}
        for row_type in row_types.values():
            for hint in row_type.__annotations__.values():
                kind = hint.__metadata__[0]
                if hasattr(kind, "width"):
                    kinds[id(kind)] = kind
        self._kinds = list(kinds.values())
        # With fewer rows than this in every table, the widths of the heaps' indices decide all.
        self._few_rows = LARGE_TABLE_ROWS >> max(getattr(kind, "tag_bits", 0) for kind in self._kinds)
        self._made: dict[tuple[int, ...], dict[int, RowLayout]] = {}

    def layouts(self, sizes: IndexSizes) -> dict[int, RowLayout]:
        """The layouts of all tables of the family, by table number."""
        string, guid, blob, row_counts, minimal_delta = sizes
        if minimal_delta or max(row_counts) >= self._few_rows:
            key = tuple([kind.width(sizes) for kind in self._kinds])
        else:
            key = (string, guid, blob)
        made = self._made.get(key)
        if made is None:
            made = {
                int(number): RowLayout(row_type, sizes, self.sorted_by.get(number))
                for number, row_type in self.row_types.items()
            }
            self._made[key] = made
        return made


PDB_FAMILY = Family(dict(PDB_ROW_TYPES), dict(PDB_SORTED_BY))
_ecma_family: Family | None = None


def ecma_family() -> Family:
    """The tables of ECMA-335; their declarations load when first asked for, since a standalone PDB has none of them."""
    global _ecma_family
    if _ecma_family is None:
        from .tables_ecma import ROW_TYPES, SORTED_BY

        _ecma_family = Family(dict(ROW_TYPES), dict(SORTED_BY))
    return _ecma_family
