"""Joins over the metadata tables (ECMA-335 II.22): who declares, encloses and owns what, and the names of types.

Tokens and row ids come in and go out here; members.py makes objects of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import signatures as sig
from .blob_reader import BlobReader
from .errors import LimitError, MalformedError, NoSuchEntryError
from .handles import TableNumber, Token, make_token, row_of, table_of
from .limits import OVERHEAD, Budget
from .scopes import run_of
from .signature_text import NameOf, type_text
from .token_checks import require_row, require_token, shown, wrong_table

if TYPE_CHECKING:
    from .il import MethodBody
    from .pe import PeImage
    from .root import MetadataImage

T = TableNumber

EnumResolver = Callable[[str], "int | None"]
"""Gives the element type (II.23.1.16, 0x02 to 0x0b) behind an enum of another assembly; None if it does not know it.

The name is a serialized type name: ``Ns.Outer+Kind, Assembly``, with or without the assembly's version and key.
"""

_MAX_NESTING = 64
_LONGEST_NAME = 1 << 18  # in characters, of one type
_LONGEST_SIGNATURE = 1 << 16
_SEARCHES_BEFORE_INDEX = 20_000  # rows looked at: making the index costs as much as a dozen searches

# For each table that others list rows of: the column of the list, the pointer table of #- images, its column.
_LISTS: dict[int, tuple[str, TableNumber, str]] = {
    T.FIELD: ("field_list", T.FIELD_PTR, "field"),
    T.METHOD_DEF: ("method_list", T.METHOD_PTR, "method"),
    T.PARAM: ("param_list", T.PARAM_PTR, "param"),
    T.PROPERTY: ("property_list", T.PROPERTY_PTR, "property"),
    T.EVENT: ("event_list", T.EVENT_PTR, "event"),
}
_TYPES = (T.TYPE_DEF,)
_LISTED_BY: dict[int, TableNumber] = {
    T.FIELD: T.TYPE_DEF,
    T.METHOD_DEF: T.TYPE_DEF,
    T.PROPERTY: T.PROPERTY_MAP,
    T.EVENT: T.EVENT_MAP,
}


class MetadataIndex:
    """The tables of an assembly's metadata, looked up by token. Names are kept once decoded.

    A token of a wrong table or a row that does not exist is a NoSuchEntryError. Not thread-safe.
    """

    def __init__(self, image: MetadataImage, pe: PeImage | None = None) -> None:
        self.image = image
        self.pe = pe
        self.file = image.file
        self.resolve_enum: EnumResolver | None = None
        """Asked for enums of other assemblies when attributes are decoded."""
        self._type_names: dict[int, str] = {}
        self._name_depth = 0
        self._by_name: dict[str, list[int]] | None = None
        self._name_searches = 0
        self._named_methods: dict[int, dict[str, list[Token]]] = {}
        self.kickoffs: dict[int, dict[str, Token]] = {}
        """By type: the methods that start its state machines, by the full name of the machine; see display_names.py."""
        self._endless: set[int] = set()  # types whose names cannot be made
        self._signature_budget: Budget | None = None
        self._starts: dict[int, list[int]] = {}
        self._maps: dict[int, dict[int, int]] = {}
        self._nested: dict[int, list[Token]] | None = None

    def object_of(self, token: int) -> Token:
        """The object of a token, which is a Token too; the token alone of a nil one, and of tables without objects.

        NoSuchEntryError for a row that does not exist. The objects are those of Metadata.
        """
        return Token(token)

    # Types

    def type_name(self, token: int) -> str:
        """The full name of a TypeDef or TypeRef, ``Ns.Outer+Inner`1``; of a TypeSpec its signature as text.

        LimitError when types are nested in a cycle.
        """
        name = self._type_names.get(token)
        if name is None:
            if token in self._endless:
                raise self._nests_too_deep(token)
            if self._name_depth > _MAX_NESTING:
                self._note_endless(token)
                raise self._nests_too_deep(token)
            self._name_depth += 1
            try:
                name = self._make_type_name(token)
                if len(name) > _LONGEST_NAME:
                    raise LimitError(f"the name of type 0x{token:08x} has {len(name)} characters", file=self.file)
                self.image.text_budget.spend(name.__sizeof__() + OVERHEAD)
                self._type_names[token] = name
            except LimitError:
                if self._name_depth == 1:
                    self._endless.add(token)
                raise
            finally:
                self._name_depth -= 1
        return name

    def _nests_too_deep(self, token: int) -> LimitError:
        return LimitError(f"the name of type 0x{token:08x} is too long, nests too deep, or in a cycle", file=self.file)

    def _note_endless(self, token: int) -> None:
        """Remember the types around one that nest too deep, so that each of them is found out only once."""
        chain: dict[int, None] = {}
        current: int | None = token
        types = self.image.row_counts[T.TYPE_DEF]
        while current is not None and current not in chain and table_of(current) == T.TYPE_DEF:
            if row_of(current) > types:
                break
            chain[current] = None
            current = self.enclosing_type_token(current)
        tokens = list(chain)
        self._endless.update(tokens if current in chain else tokens[: max(len(tokens) - _MAX_NESTING, 0)])

    @property
    def assembly_name(self) -> str | None:
        """The simple name of the assembly; None for a netmodule."""
        table = self.image.table(T.ASSEMBLY)
        return self.image.strings[table.row(1).name] if table.row_count else None

    def assembly_of(self, token: int) -> str | None:
        """The simple name of the assembly that a TypeRef refers to; None where it names none."""
        for _ in range(_MAX_NESTING):
            if table_of(token) != T.TYPE_REF:
                break
            token = self.row(token, T.TYPE_REF).resolution_scope
        if table_of(token) != T.ASSEMBLY_REF or not row_of(token):
            return None
        return self.image.strings[self.row(token, T.ASSEMBLY_REF).name]

    def find_type_token(self, full_name: str) -> Token | None:
        """The TypeDef of a full name (``Ns.Outer+Inner`1``; the first, if several); None if the module has none."""
        last = full_name.rsplit("+", 1)[-1]
        for simple in dict.fromkeys((last.rsplit(".", 1)[-1], last)):
            for token in self.type_tokens_named(simple):
                if self.type_name(token) == full_name:
                    return token
        return None

    def type_tokens_named(self, name: str) -> list[Token]:
        """The TypeDefs with a simple name (without namespace and enclosing types), in row order."""
        return [make_token(T.TYPE_DEF, row_id) for row_id in self._types_named(name)]

    def method_tokens_named(self, type_token: int, name: str) -> list[Token]:
        """The methods of a TypeDef that have a name, in order."""
        by_name = self._named_methods.get(type_token)
        if by_name is None:
            require_row(self.image, type_token, _TYPES)
            by_name = self._named_methods[type_token] = {}
            table, strings = self.image.table(T.METHOD_DEF), self.image.strings
            for row_id in self.method_rows(type_token):
                named = strings[table.value(row_id, "name")]
                by_name.setdefault(named, []).append(make_token(T.METHOD_DEF, row_id))
        return by_name.get(name, [])

    def enclosing_type_token(self, token: int) -> Token | None:
        """The TypeDef that a TypeDef is nested in; None at top level."""
        require_row(self.image, token, _TYPES)
        row = self.image.table(T.NESTED_CLASS).row_with("nested_class", row_of(token))
        return make_token(T.TYPE_DEF, row.enclosing_class) if row is not None and row.enclosing_class else None

    def nested_type_tokens(self, token: int) -> list[Token]:
        """The TypeDefs nested directly in one, in the order of the NestedClass rows."""
        require_row(self.image, token, _TYPES)
        if self._nested is None:
            nested: dict[int, list[Token]] = {}
            table = self.image.table(T.NESTED_CLASS)
            pairs = zip(table.raw_column("nested_class"), table.raw_column("enclosing_class"), strict=True)
            for inner, outer in pairs:
                nested.setdefault(outer, []).append(make_token(T.TYPE_DEF, inner))
            self._nested = nested
        return self._nested.get(row_of(token), [])

    # Members

    def declaring_type_token(self, token: int) -> Token:
        """The TypeDef that has a MethodDef, Field, Property or Event. NoSuchEntryError when no type has it."""
        require_token(token)
        number = table_of(token)
        if number not in _LISTED_BY:
            raise NoSuchEntryError(f"{shown(token)} is not a method, field, property or event", file=self.file)
        column, pointers, pointer_column = _LISTS[number]
        position = row_of(token)
        if not 0 < position <= self.image.row_counts[number]:
            self.image.table(number).row(position)  # raises
        if self.image.row_counts[pointers]:
            if pointers not in self._maps:
                order = self.image.table(pointers).raw_column(pointer_column)
                self._maps[pointers] = {target: number for number, target in enumerate(order, 1)}
            position = self._maps[pointers].get(position, 0)  # type: ignore[assignment]
        lists = _LISTED_BY[number]
        starts = self._starts.get(pointers)
        if starts is None:
            starts = self._starts[pointers] = self.image.table(lists).raw_column(column)
        row_id = bisect_right(starts, position)
        if not row_id or not position:
            raise NoSuchEntryError(f"no type has 0x{token:08x}", file=self.file)
        if lists != T.TYPE_DEF:
            row_id = self.image.table(lists).value(row_id, "parent")
        return make_token(T.TYPE_DEF, row_id)

    def marshalling_of(self, token: int) -> bytes | None:
        """The marshalling descriptor of a Field or Param; None if it has none."""
        row = self.image.table(T.FIELD_MARSHAL).row_with("parent", token)
        return None if row is None else self.image.blobs[row.native_type]

    def accessor_tokens(self, association: int, semantics: int) -> list[Token]:
        """The methods of a Property or Event with a semantics bit (II.23.1.12), in row order."""
        table = self.image.table(T.METHOD_SEMANTICS)
        found = []
        for row_id in table.rows_with("association", association):
            row = table.row(row_id)
            if row.semantics & semantics:
                found.append(make_token(T.METHOD_DEF, row.method))
        return found

    def accessor_token(self, association: int, semantics: int) -> Token | None:
        """As :meth:`accessors`, the last one as SRM takes it; None if there is none."""
        found = self.accessor_tokens(association, semantics)
        return found[-1] if found else None

    def method_body(self, token: int) -> MethodBody | None:
        """The IL body of a MethodDef; None without one. MalformedError when the image has no PE around it."""
        from .il import read_body

        row = self.row(token, T.METHOD_DEF)
        if not row.rva or row.impl_flags & 3:
            return None
        if self.pe is None:
            raise MalformedError("metadata alone has no method bodies", file=self.file)
        return read_body(self.pe, row.rva)

    def blob(self, offset: int) -> BlobReader:
        """A reader over a blob that knows where in the file it is."""
        blobs = self.image.blobs
        return BlobReader(blobs[offset], blobs.file_offset(offset), self.file)

    def signature_blob(self, offset: int) -> BlobReader:
        """As :meth:`blob`, of a signature: LimitError for one that is too long to be true."""
        reader = self.blob(offset)
        if reader.remaining > _LONGEST_SIGNATURE:
            raise reader.error(LimitError, f"a signature has {reader.remaining} bytes")
        if self._signature_budget is not None:
            self._signature_budget.spend(reader.remaining)
        return reader

    @contextmanager
    def metered(self, budget: Budget) -> Iterator[None]:
        """While it lasts, signatures are paid for: for queries that may decode one many times."""
        before, self._signature_budget = self._signature_budget, budget
        try:
            yield
        finally:
            self._signature_budget = before

    def _bounded_names(self) -> NameOf:
        """type_name for the parts of one name, which together are no longer than a name may be."""
        left = _LONGEST_NAME

        def name_of(token: int) -> str:
            nonlocal left
            name = self.type_name(token)
            left -= len(name)
            if left < 0:
                raise LimitError(f"a type's name has more than {_LONGEST_NAME} characters", file=self.file)
            return name

        return name_of

    # Rows behind the lists

    def field_rows(self, token: int) -> Sequence[int]:
        """The Field row ids of a TypeDef."""
        require_row(self.image, token, _TYPES)
        return self._run(T.TYPE_DEF, row_of(token), T.FIELD)

    def method_rows(self, token: int) -> Sequence[int]:
        """The MethodDef row ids of a TypeDef."""
        require_row(self.image, token, _TYPES)
        return self._run(T.TYPE_DEF, row_of(token), T.METHOD_DEF)

    def property_rows(self, token: int) -> Sequence[int]:
        """The Property row ids of a TypeDef."""
        require_row(self.image, token, _TYPES)
        return self._mapped(token, T.PROPERTY_MAP, T.PROPERTY)

    def event_rows(self, token: int) -> Sequence[int]:
        """The Event row ids of a TypeDef."""
        require_row(self.image, token, _TYPES)
        return self._mapped(token, T.EVENT_MAP, T.EVENT)

    def parameter_rows(self, token: int) -> Sequence[int]:
        """The Param row ids of a MethodDef."""
        require_row(self.image, token, (T.METHOD_DEF,))
        return self._run(T.METHOD_DEF, row_of(token), T.PARAM)

    def _run(self, owner: int, row_id: int, target: int) -> Sequence[int]:
        column, pointers, pointer_column = _LISTS[target]
        counts = self.image.row_counts
        if not counts[pointers]:
            return run_of(self.image, owner, row_id, column, counts[target])
        run = run_of(self.image, owner, row_id, column, counts[pointers])
        table = self.image.table(pointers)
        return [table.value(row, pointer_column) for row in run]

    def _mapped(self, token: int, map_table: int, target: int) -> Sequence[int]:
        parents = self._maps.get(map_table)
        if parents is None:
            parents = {}
            for number, parent in enumerate(self.image.table(map_table).raw_column("parent"), 1):
                parents.setdefault(parent, number)
            self._maps[map_table] = parents
        row_id = parents.get(row_of(token))
        return () if row_id is None else self._run(map_table, row_id, target)

    def row(self, token: int, table: TableNumber) -> Any:
        """The typed row of a token of one table."""
        try:
            if token >> 24 != table:
                raise wrong_table(self.image, token, (table,))
        except TypeError:
            require_token(token)
            raise
        return self.image.table(table).row(row_of(token))

    def _types_named(self, name: str) -> list[int]:
        """The TypeDef rows of a simple name. The heap is searched at first; an index is made when that was not all."""
        if self._by_name is None:
            names = self.image.table(T.TYPE_DEF).raw_column("name")
            self._name_searches += len(names)
            if self._name_searches <= _SEARCHES_BEFORE_INDEX:
                offsets = self._offsets_of(name)
                return [row_id for row_id, offset in enumerate(names, 1) if offset in offsets] if offsets else []
            strings = self.image.strings
            self._by_name = {}
            for row_id, offset in enumerate(names, 1):
                self._by_name.setdefault(strings[offset], []).append(row_id)
        return self._by_name.get(name, [])

    def _offsets_of(self, name: str) -> set[int]:
        heap = self.image.strings.region
        needle = name.encode("utf-8", "surrogatepass") + b"\0"
        offsets = set()
        position = heap.data.find(needle, heap.start, heap.end)
        while position >= 0:
            offsets.add(position - heap.start)
            position = heap.data.find(needle, position + 1, heap.end)
        return offsets

    def _make_type_name(self, token: int) -> str:
        require_token(token)
        table = table_of(token)
        strings = self.image.strings
        if table == T.TYPE_DEF:
            row = self.row(token, T.TYPE_DEF)
            outer = self.enclosing_type_token(token)
        elif table == T.TYPE_REF:
            row = self.row(token, T.TYPE_REF)
            scope = row.resolution_scope
            outer = scope if table_of(scope) == T.TYPE_REF and row_of(scope) else None
        elif table == T.TYPE_SPEC:
            row = self.row(token, T.TYPE_SPEC)
            return type_text(sig.decode_type(self.signature_blob(row.signature)), self._bounded_names())
        else:
            raise NoSuchEntryError(f"{shown(token)} is not a type", file=self.file)
        namespace, name = strings[row.namespace], strings[row.name]
        full = f"{namespace}.{name}" if namespace else name
        return f"{self.type_name(outer)}+{full}" if outer is not None else full
