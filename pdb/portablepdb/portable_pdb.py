"""PortablePdb: one opened Portable PDB and the questions that tools ask of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, SupportsIndex, TypeVar

from .binding import BindCandidate, LineBinder
from .blob_reader import BlobReader
from .documents import Document, Documents
from .errors import MalformedError, NoSuchEntryError
from .handles import TableNumber, Token, make_token, row_of, table_of
from .limits import Budgets, Limits
from .method_points import MethodPoints
from .root import MetadataImage
from .scopes import LocalConstant, LocalScope, LocalVariable, ScopeTree, scope_tree, scopes_of_method
from .sequence_points import SequencePoint
from .source import Source, SourceLike

if TYPE_CHECKING:
    from collections.abc import Callable

    from .custom_debug_info import AsyncInfo, HoistedScope
    from .debug_entries import CustomDebugInformation
    from .imports import Import

_V = TypeVar("_V")


class PortablePdb:
    """A Portable PDB. Made by :meth:`open`; a context manager.

    ``documents`` is the sequence of its documents (item 0 is row 1), ``id`` the 20 bytes that name the build, equal to
    Assembly.pdb_id of the assembly that it belongs to, ``image`` its tables and heaps, ``file`` its name in errors.

    Nothing is read before it is asked for. Methods are named by their MethodDef tokens (0x06......), row ids or Method
    objects, documents by row ids or Document objects. Any call may raise PortablePdbError for a damaged file. Not
    thread-safe: caches are filled without locks.
    """

    def __init__(self, image: MetadataImage, source: Source | None = None) -> None:
        if not isinstance(image, MetadataImage):
            raise TypeError("PortablePdb.open opens a path, bytes or a stream")
        self._source = source
        self.image = image
        self.file = image.file
        if image.pdb_id is None:
            raise MalformedError(
                "this is metadata without a #Pdb stream, so not a Portable PDB", file=image.file, offset=0
            )
        self.id: bytes = image.pdb_id
        """The 20 bytes that identify the build: equal to the Assembly.pdb_id of the assembly that it belongs to."""
        self.documents: Documents = Documents(image)
        """The documents in row order; item 0 is row 1."""
        self._method_points = MethodPoints(self.documents)
        self._line_binder: LineBinder | None = None
        self._state_machines: dict[int, int] | None = None

    @classmethod
    def open(
        cls,
        source: SourceLike,
        *,
        name: str | None = None,
        text_errors: str = "strict",
        limits: Limits | None = None,
    ) -> PortablePdb:
        """Open a PDB from a path, bytes or a memory reader; of a PE image with an embedded PDB, that one.

        ``name`` is what errors call the source. ``text_errors="replace"`` reads malformed UTF-8 as U+FFFD, as .NET;
        "strict" raises MalformedError. ``limits`` are budgets for files that are not to be trusted. Raises
        UnreadableError, WindowsPdbError, UnknownFormatError, TruncatedError, MalformedError, LimitError, and
        NoSuchEntryError for an image without an embedded PDB.
        """
        opened = Source.open(source, name)
        try:
            if opened.size is None:
                from .memory import metadata_region

                memory = metadata_region(opened)
                budgets = Budgets(limits, memory.size, memory.file)
                return cls(MetadataImage(memory, text_errors=text_errors, budgets=budgets), opened)
            region = opened.rest()
            budgets = Budgets(limits, region.size, region.file)
            magic = region.data[region.start : region.start + 4]
            if magic[:2] == b"MZ":
                from .debug_directory import DebugDirectory
                from .pe import PeImage

                embedded = DebugDirectory(PeImage(opened)).embedded_pdb(budgets)
                opened.close()
                if embedded is None:
                    raise NoSuchEntryError(
                        "the image has no embedded PDB; Assembly.find_pdb looks for one beside it", file=opened.name
                    )
                return cls(MetadataImage(embedded, text_errors=text_errors, budgets=budgets))
            if magic == b"MPDB":
                from .debug_directory import inflate_embedded

                image = MetadataImage(inflate_embedded(region, budgets), text_errors=text_errors, budgets=budgets)
                opened.close()
                return cls(image)
            return cls(MetadataImage(region, text_errors=text_errors, budgets=budgets), opened)
        except BaseException:
            opened.close()
            raise

    def close(self) -> None:
        """Give the file back. Reading what is not in memory by then is a ValueError, as with a closed file."""
        if self._source is not None:
            self._source.close()

    def __enter__(self) -> PortablePdb:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<PortablePdb {self.file!r} id={self.id.hex()}>"

    @property
    def entry_point(self) -> Token | None:
        """The MethodDef token of the entry point; None if there is none."""
        token = self.image.pdb_entry_point
        return Token(token) if token & 0xFFFFFF else None

    @property
    def method_count(self) -> int:
        """Rows of MethodDebugInformation: the methods of the assembly."""
        return self.image.table(TableNumber.METHOD_DEBUG_INFORMATION).row_count

    @property
    def methods(self) -> list[Token]:
        """The tokens of all methods of the assembly, also of those without points, in row order."""
        return [make_token(TableNumber.METHOD_DEF, row_id) for row_id in range(1, self.method_count + 1)]

    # Documents

    def documents_matching(self, path: str | os.PathLike[str], *, ignore_case: bool = False) -> list[Document]:
        r"""Documents that a path may mean, best first rule that finds any:

        1. the names equal to ``path`` (``\`` read as ``/``, nothing else normalised);
        2. the names that are the same path after resolving ``.``, ``..`` and doubled separators;
        3. the names sharing the longest run of whole parts with ``path``, counted from the end; at least the
           file name must agree. Several may share it: ``a/x.cs`` and ``b/x.cs`` for ``x.cs``.

        ``ignore_case`` compares case-folded: pass what the file system of ``path`` does.
        """
        return self.documents.matching(_text(path), ignore_case)

    def documents_ending_with(self, suffix: str | os.PathLike[str]) -> list[Document]:
        r"""Documents whose name, ``\`` read as ``/``, equals ``suffix`` or ends with ``/`` and it. Case matters."""
        return self.documents.ending_with(_text(suffix))

    # Sequence points

    def sequence_points(self, method: int) -> Sequence[SequencePoint]:
        """The points of a method by rising IL offset, hidden ones included; () if it has none.

        Raises NoSuchEntryError for a method that the PDB lacks, MalformedError or TruncatedError for a bad blob.
        """
        return self._method_points.of_row(self._method_row(method))

    def all_sequence_points(self) -> Iterator[tuple[Token, Sequence[SequencePoint]]]:
        """(method token, points) of every method that has points, in row order. Nothing is cached.

        A method whose blob is malformed raises, as :meth:`sequence_points` does.
        """
        return self._method_points.every()

    def point_at(self, method: int, il_offset: int) -> SequencePoint | None:
        """The last point at or before an IL offset, hidden ones included; None before the first or without points."""
        _require_offset(il_offset)
        found = None
        for point in self.sequence_points(method):
            if point.il_offset > il_offset:
                break
            found = point
        return found

    def visible_point_at(self, method: int, il_offset: int) -> SequencePoint | None:
        """The last point at or before an IL offset that is not hidden; None if there is none."""
        _require_offset(il_offset)
        found = None
        for point in self.sequence_points(method):
            if point.il_offset > il_offset:
                break
            if not point.is_hidden:
                found = point
        return found

    def local_signature(self, method: int) -> Token | None:
        """The StandAloneSig token of a method's locals, from the points blob; None without locals or blob."""
        return self._method_points.local_signature(self._method_row(method))

    # Documents to methods, lines to offsets

    def methods_of_document(self, document: SupportsIndex) -> list[Token]:
        """The methods with points in a document, in row order, also those whose document column is nil or another."""
        row_id = self.documents.row_id_of(document)
        return [make_token(TableNumber.METHOD_DEF, row) for row in self._method_points.rows_of_document(row_id)]

    def bind(self, document: SupportsIndex, line: int, column: int | None = None) -> list[BindCandidate]:
        """Where a breakpoint on a line (1-based; column 1-based or None) of a document goes; see binding.py.

        The tightest method comes first. A line inside a statement that begins above means that statement; one without
        code moves to the next statement of the same innermost method; outside any method, and for a column past the
        last statement of a line with code, the answer is []. Methods with malformed points are passed over.
        NoSuchEntryError for a document that the PDB does not have.
        """
        if not isinstance(line, int) or line < 1 or (column is not None and not _is_column(column)):
            raise _no_place(line, column)
        document_row = self.documents.row_id_of(document)
        return self._binder().bind(document_row, line, column)

    def bind_flat(self, documents: Iterable[SupportsIndex], line: int, column: int = 0) -> list[BindCandidate]:
        """The plain rule of ``portablepdb bind`` over several documents at once; column 0: none. See binding.py."""
        rows = [self.documents.row_id_of(document) for document in documents]
        return self._binder().bind_flat(rows, line, column)

    def _binder(self) -> LineBinder:
        if self._line_binder is None:
            self._line_binder = LineBinder(self.documents, self._method_points)
        return self._line_binder

    # Scopes

    def scopes(self, method: int) -> list[LocalScope]:
        """The local scopes of a method in table order, outer before inner."""
        return scopes_of_method(self.image, self._method_row(method))

    def scope_tree(self, method: int) -> list[ScopeTree]:
        """The local scopes of a method nested in each other: the outermost ones (usually one), each with its inner."""
        return scope_tree(self.scopes(method))

    def locals_at(self, method: int, il_offset: int) -> list[LocalVariable]:
        """The variables in scope at an IL offset, of the outermost scope first, of the innermost last."""
        _require_offset(il_offset)
        return [variable for scope in self.scopes(method) if scope.covers(il_offset) for variable in scope.variables]

    def constants_at(self, method: int, il_offset: int) -> list[LocalConstant]:
        """The local constants in scope at an IL offset, of the outermost scope first."""
        _require_offset(il_offset)
        return [constant for scope in self.scopes(method) if scope.covers(il_offset) for constant in scope.constants]

    def imports_at(self, method: int, il_offset: int) -> list[list[Import]]:
        """The imports in force at an IL offset: a list for each import scope, the innermost first."""
        from .imports import imports_chain

        innermost = None
        for scope in self.scopes(method):
            if innermost is None or scope.covers(il_offset):
                innermost = scope.import_scope or innermost
        return imports_chain(self.image, innermost)

    # State machines

    def kickoff_method(self, move_next: int) -> Token | None:
        """The iterator or async method that the user wrote, of its MoveNext; None for other methods."""
        table = self.image.table(TableNumber.STATE_MACHINE_METHOD)
        row = table.row_with("move_next_method", self._method_row(move_next))
        return None if row is None else make_token(TableNumber.METHOD_DEF, row.kickoff_method)

    def state_machine_of(self, kickoff: int) -> Token | None:
        """The MoveNext method of an iterator or async method; None for other methods."""
        row_id = self._method_row(kickoff)
        if self._state_machines is None:
            table = self.image.table(TableNumber.STATE_MACHINE_METHOD)
            pairs = zip(table.raw_column("kickoff_method"), table.raw_column("move_next_method"), strict=True)
            self._state_machines = dict(reversed(list(pairs)))
        found = self._state_machines.get(row_id)
        return None if found is None else make_token(TableNumber.METHOD_DEF, found)

    def async_info(self, move_next: int) -> AsyncInfo | None:
        """Catch handler and awaits of an async MoveNext; None for other methods."""
        from .custom_debug_info import decode_async_stepping

        return self._method_info(move_next, "async_stepping", decode_async_stepping)

    def hoisted_scopes(self, move_next: int) -> list[HoistedScope]:
        """IL ranges of the locals hoisted into fields, by the slot number in the field's name; [] if none."""
        from .custom_debug_info import decode_hoisted_scopes

        return self._method_info(move_next, "hoisted_scopes", decode_hoisted_scopes) or []

    # Custom debug information

    def custom_debug_information(self, parent: int | Document | None = None) -> list[CustomDebugInformation]:
        """The entries of one parent (a token or Document; None: all), in row order; values decode when asked for."""
        from .debug_entries import entries

        return entries(self.documents, None if parent is None else _parent_token(parent))

    def custom_value(self, parent: int | Document, kind: str) -> bytes | None:
        """The undecoded value of a parent's first entry of a kind (a name of KINDS); None if it has none.

        ValueError for a kind that KINDS of custom_debug_info does not have.
        """
        from .debug_entries import find_value

        return find_value(self.image, _parent_token(parent), kind)[0]

    def embedded_source(self, document: SupportsIndex) -> bytes | None:
        """The source text's bytes of a document, inflated if need be; None if it is not embedded."""
        from .custom_debug_info import decode_embedded_source

        document_row = self.documents.row_id_of(document)
        parent = make_token(TableNumber.DOCUMENT, document_row)
        limit = self.image.budgets.of("inflated")
        source = self._info(parent, "embedded_source", lambda reader: decode_embedded_source(reader, limit))
        return None if source is None else source.data

    @property
    def source_link(self) -> str | None:
        """The SourceLink JSON text, which source_link.source_url takes; None if the PDB has none."""
        from .custom_debug_info import decode_text

        return self._info(make_token(TableNumber.MODULE, 1), "source_link", decode_text)

    def _method_info(self, method: int, kind: str, decode: Callable[[BlobReader], _V]) -> _V | None:
        return self._info(make_token(TableNumber.METHOD_DEF, self._method_row(method)), kind, decode)

    def _info(self, parent: int, kind: str, decode: Callable[[BlobReader], _V]) -> _V | None:
        from .debug_entries import find_value

        value, origin = find_value(self.image, parent, kind)
        return None if value is None else decode(BlobReader(value, origin, self.file))

    def _method_row(self, method: int) -> int:
        try:
            row_id = row_of(method)
        except TypeError:
            raise TypeError(
                f"a Method, its token or row id is wanted, not {type(method).__name__}"
                " (Metadata.find_method finds a method by its name)"
            ) from None
        if not 0 < row_id <= self.method_count or table_of(method) not in (0, TableNumber.METHOD_DEF):
            shown = f"0x{method:08x}" if method >= 0 else method
            raise NoSuchEntryError(
                f"{shown} is not a method of this PDB, which has {self.method_count}", file=self.file
            )
        return row_id


def _parent_token(parent: int | Document) -> int:
    if isinstance(parent, Document):
        return make_token(TableNumber.DOCUMENT, parent.row_id)
    if not isinstance(parent, int):
        raise TypeError(f"a token, an object or a Document is wanted, not {type(parent).__name__}")
    return parent


def _is_column(column: object) -> bool:
    return isinstance(column, int) and column > 0


def _no_place(line: object, column: object) -> Exception:
    if not isinstance(line, int) or not isinstance(column, (int, type(None))):
        return TypeError(f"a line and a column are ints, not {type(line).__name__} and {type(column).__name__}")
    return ValueError(f"lines and columns are counted from 1; line {line}, column {column} is no place")


def _require_offset(il_offset: object) -> None:
    if not isinstance(il_offset, int) or il_offset < 0:
        raise (ValueError if isinstance(il_offset, int) else TypeError)(
            f"an IL offset is an int from 0 on, not {il_offset!r}"
        )


def _text(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    if not isinstance(text, str):
        raise TypeError(f"a path as str is wanted, not {type(text).__name__}: names of documents are text")
    return text
