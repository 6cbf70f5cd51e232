"""Local scopes, variables and constants (Portable PDB 1.0, tables 0x32 to 0x34)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from .errors import LimitError, MalformedError
from .handles import BlobOffset, RowId, TableNumber, Token, make_token
from .records import Record

if TYPE_CHECKING:
    from .constants import ConstantValue
    from .imports import ImportScope
    from .root import MetadataImage

T = TableNumber

_HIDDEN = 1


class LocalVariable(Record):
    """A named local. ``slot`` is the IL local index; hidden ones are compiler-made."""

    slot: int
    name: str
    is_debugger_hidden: bool


class LocalConstant:
    """A named local constant; its value is decoded when asked for."""

    __slots__ = ("_image", "_signature", "name", "row_id")

    def __init__(self, image: MetadataImage, row_id: int, name: str, signature: BlobOffset) -> None:
        self._image = image
        self._signature = signature
        self.row_id = RowId(row_id)
        self.name = name

    def __repr__(self) -> str:
        return f"<LocalConstant {self.name!r}>"

    @property
    def signature(self) -> bytes:
        """The bytes of the constant's signature: type, then value."""
        return self._image.blobs[self._signature]

    @property
    def decoded(self) -> ConstantValue:
        """Type and value. Raises MalformedError."""
        from .constants import decode_constant

        blobs = self._image.blobs
        return decode_constant(self.signature, blobs.file_offset(self._signature), self._image.file)

    @property
    def value(self) -> Any:
        """The value in Python's terms: int, float, str, bool, Decimal, ticks of a DateTime as int, or None."""
        return self.decoded.value


class LocalScope:
    """A range of IL of one method, ``start_offset`` to ``end_offset`` (exclusive), with its names.

    ``method`` is the method's token: a PDB has no more of it, Metadata.method gives the object.
    """

    __slots__ = ("_image", "_row", "end_offset", "method", "row_id", "start_offset")

    def __init__(self, image: MetadataImage, row_id: int, row: Any) -> None:
        self._image = image
        self._row = row
        self.row_id = RowId(row_id)
        self.method: Token = make_token(TableNumber.METHOD_DEF, row.method)
        self.start_offset: int = row.start_offset
        self.end_offset: int = row.start_offset + row.length

    def __repr__(self) -> str:
        return f"<LocalScope {self.row_id} IL_{self.start_offset:04x}..IL_{self.end_offset:04x}>"

    @property
    def import_scope(self) -> ImportScope | None:
        """The imports in force in it; None where the row names none, as nested scopes may. Raises NoSuchEntryError."""
        from .imports import ImportScope

        row_id = self._row.import_scope
        return ImportScope(self._image, row_id) if row_id else None

    @property
    def variables(self) -> list[LocalVariable]:
        """The variables declared in this scope (not in nested ones), in row order."""
        return [
            LocalVariable(slot, name, bool(attributes & _HIDDEN))
            for _, (slot, attributes, name) in self.variable_rows()
        ]

    def variable_rows(self) -> list[tuple[RowId, tuple[int, int, str]]]:
        """The variables as (row id, (slot, attributes, name))."""
        table = self._image.table(TableNumber.LOCAL_VARIABLE)
        strings = self._image.strings
        found = []
        for row_id in self._run("variable_list", self._row.variable_list, table.row_count):
            attributes, slot, name = table.row(row_id)
            found.append((RowId(row_id), (slot, attributes, strings[name])))
        return found

    @property
    def constants(self) -> list[LocalConstant]:
        """The constants declared in this scope (not in nested ones), in row order."""
        table = self._image.table(TableNumber.LOCAL_CONSTANT)
        found = []
        for row_id in self._run("constant_list", self._row.constant_list, table.row_count):
            row = table.row(row_id)
            found.append(LocalConstant(self._image, row_id, self._image.strings[row.name], row.signature))
        return found

    def _run(self, column: str, first: int, target_rows: int) -> range:
        """As run_of, which also says what is wrong; the usual case without looking at the own row again."""
        scopes = self._image.table(T.LOCAL_SCOPE)
        end = scopes.value(self.row_id + 1, column) if self.row_id < scopes.row_count else target_rows + 1
        if 0 < first <= end <= target_rows + 1:
            return range(first, end)
        return run_of(self._image, T.LOCAL_SCOPE, self.row_id, column, target_rows)

    def covers(self, il_offset: int) -> bool:
        """Whether an IL offset lies in the scope."""
        return self.start_offset <= il_offset < self.end_offset


class ScopeTree(Record):
    """A scope and the scopes directly in it, in table order."""

    scope: LocalScope
    children: list[ScopeTree]


def scope_tree(scopes: list[LocalScope]) -> list[ScopeTree]:
    """Nest the scopes of one method, which come outer before inner."""
    roots: list[ScopeTree] = []
    open_: list[ScopeTree] = []
    for scope in scopes:
        while (open_ and scope.end_offset > open_[-1].scope.end_offset) or (
            open_ and not open_[-1].scope.covers(scope.start_offset)
        ):
            open_.pop()
        tree = ScopeTree(scope, [])
        (open_[-1].children if open_ else roots).append(tree)
        open_.append(tree)
    return roots


def run_of(image: MetadataImage, table_number: int, row_id: int, column: str, target_rows: int) -> range:
    """The row ids of a list column: from this row's value up to the next row's (II.22, "run").

    A value of 0 is an empty run (F# writes it for scopes without constants).
    Raises MalformedError when the run leaves the target table.
    """
    table = image.table(table_number)
    first = table.value(row_id, column)
    end = table.value(row_id + 1, column) if row_id < table.row_count else target_rows + 1
    if first >= end or first == 0:
        return range(0)
    if end > target_rows + 1:
        raise table.region.error(
            MalformedError,
            f"row {row_id} of {table.name}: its {column} {first}..{end - 1} leaves the {target_rows} rows of the table",
            (row_id - 1) * table.row_size,
        )
    return range(first, end)


def check_runs(image: MetadataImage, table_number: int, column: str, target: int) -> None:
    """Refuse a list column whose runs overlap so much that walking all of them would hardly end.

    Runs of a sound image do not overlap: each begins where the one before ends. LimitError otherwise.
    """
    table = image.table(table_number)
    starts = table.raw_column(column)
    rows = image.row_counts[target]
    total = sum([end - start for start, end in pairwise([*starts, rows + 1]) if end > start])
    if total > 4 * rows + 1000:
        raise table.region.error(
            LimitError, f"the runs of {table.name}.{column} cover {total} rows of a table of {rows}"
        )


def scopes_of_method(image: MetadataImage, method_row: int) -> list[LocalScope]:
    """The scopes of a method in table order: outer before inner.

    MalformedError when their lists of variables or constants overlap: together they then have more than the tables.
    """
    table = image.table(TableNumber.LOCAL_SCOPE)
    row_ids = table.rows_with("method", method_row)
    rows = [table.row(row_id) for row_id in row_ids]
    variables = constants = 0
    for row in rows:
        if 0 < row.variable_list < variables or 0 < row.constant_list < constants:  # lists that go back may overlap
            _check_overlap(image, row_ids[-1], "variable_list", [row.variable_list for row in rows], T.LOCAL_VARIABLE)
            _check_overlap(image, row_ids[-1], "constant_list", [row.constant_list for row in rows], T.LOCAL_CONSTANT)
            break
        variables, constants = row.variable_list, row.constant_list
    return [LocalScope(image, row_id, row) for row_id, row in zip(row_ids, rows, strict=True)]


def _check_overlap(image: MetadataImage, last_row: int, column: str, starts: list[int], target: TableNumber) -> None:
    """Refuse scopes of one method that list a row more than once: walking them could take forever."""
    count = image.row_counts[target]
    total = sum([end - start for start, end in pairwise(starts) if end > start > 0])
    if total + len(run_of(image, T.LOCAL_SCOPE, last_row, column, count)) > count:
        table = image.table(T.LOCAL_SCOPE)
        rule = f"scopes of one method overlap: by their {column} they list more than the {count} rows there are"
        raise table.region.error(MalformedError, rule, (last_row - 1) * table.row_size)
