"""The metadata root, its streams and the table stream (ECMA-335 II.24.2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from operator import add, mul
from typing import TYPE_CHECKING, Any

from .errors import MalformedError, NoSuchEntryError, TruncatedError
from .foreign_files import not_metadata
from .heaps import BlobHeap, GuidHeap, StringHeap, UserStringHeap
from .limits import Budget, Budgets
from .records import Record
from .row_counts import (
    MAX_ROWS,
    TYPE_SYSTEM_TABLES,
    UNKNOWN_TABLES,
    bits,
    heap_widths,
    pdb_stream_format,
    read_row_counts,
    spread,
    table_stream_head,
)
from .source import Region
from .tables import Table

if TYPE_CHECKING:
    from .root_structs import MetadataRoot, StreamHeader
    from .schema import FixedStruct, IndexSizes, RowLayout

_LONGEST_NAME = 32
_KNOWN_STREAMS = {name.encode(): name for name in ("#~", "#-", "#Strings", "#US", "#GUID", "#Blob", "#Pdb", "#JTD")}
_HEADERS = 512


class Stream(Record):
    """One stream header (II.24.2.2): its name, and its place from the beginning of the root."""

    name: str
    offset: int
    size: int


class _Directory(Record):
    """What the images of one compiler have in common: all but the offsets and sizes of the streams."""

    root: MetadataRoot
    version: bytes
    headers: FixedStruct[Any]
    raw_names: tuple[bytes, ...]
    at: dict[str, int]
    """By the name of a stream, where among the values its offset is; its size follows."""


# By the bytes before the stream headers, where the version string takes twelve. Others are read one by one.
_directories: dict[bytes, _Directory] = {}
_USUAL_HEAD = 32
_MOST_DIRECTORIES = 64
_declarations: tuple[Any, Any] | None = None


def _load_declarations() -> tuple[Any, Any]:
    """root_structs.py and row_layouts.py, when first needed: they need construct, which takes long to import."""
    global _declarations
    from . import root_structs, row_layouts

    _declarations = root_structs, row_layouts
    return _declarations


class MetadataImage:
    """Metadata at the level of streams, heaps and tables: of an assembly, a standalone PDB or an EnC delta.

    Nothing is decoded but the headers; tables and heaps come when asked for.
    """

    __slots__ = (
        "__weakref__",
        "_counts",
        "_heap_sizes",
        "_is_usual",
        "_layouts",
        "_most_referenced",
        "_referenced_counts",
        "_referenced_mask",
        "_root",
        "_stream_at",
        "_stream_places",
        "_table_places",
        "_table_stream",
        "_tables",
        "_valid",
        "_version",
        "blobs",
        "budgets",
        "file",
        "guids",
        "is_minimal_delta",
        "pdb_entry_point",
        "pdb_id",
        "referenced_rows",
        "region",
        "row_counts",
        "sizes",
        "sorted_tables",
        "streams",
        "strings",
        "text_budget",
        "text_errors",
        "user_strings",
    )

    strings: StringHeap
    blobs: BlobHeap
    guids: GuidHeap
    user_strings: UserStringHeap
    streams: list[Stream]
    text_budget: Budget
    row_counts: tuple[int, ...]
    """The rows of each table by its number, 64 of them."""
    referenced_rows: tuple[int, ...] | None
    """The rows of the type-system tables of the assembly that a PDB belongs to, 64 of them; None without #Pdb."""
    sizes: IndexSizes
    pdb_id: bytes | None
    pdb_entry_point: int
    _root: MetadataRoot
    _version: bytes
    _stream_at: dict[str, int]
    _stream_places: Sequence[int]
    _referenced_mask: int
    _referenced_counts: Sequence[int]
    _most_referenced: int

    def __init__(self, region: Region, *, text_errors: str = "strict", budgets: Budgets | None = None) -> None:
        """Read the headers in ``region``. ``text_errors`` says what malformed UTF-8 is: "strict" or "replace".

        ``budgets`` are those of the file around the region; None: the defaults for the region's size.
        """
        structs, family = _declarations or _load_declarations()
        self.region = region
        self.file = region.file
        if text_errors not in ("strict", "replace"):
            raise ValueError(f"text_errors is 'strict' or 'replace', not {text_errors!r}")
        self.text_errors = text_errors
        self.budgets = budgets or Budgets(None, region.size, region.file)
        self._is_usual = self._read_usual_root()
        if not self._is_usual:
            self._read_root(structs)
        self.is_minimal_delta = "#JTD" in self._stream_at
        if "#Pdb" in self._stream_at:
            self._read_pdb_stream(structs)
        else:
            self.pdb_id = None
            self.pdb_entry_point = self._referenced_mask = self._most_referenced = 0
            self._referenced_counts = ()
        self._read_table_stream(structs, family)
        self._tables: dict[int, Table[Any]] = {}
        self.blobs = BlobHeap(self._heap("#Blob"))

    def __getattr__(self, name: str) -> Any:
        # Heaps and the like are made when first asked for: opening stays cheap, and then they are plain attributes.
        if name == "strings":
            heap: Any = StringHeap(self._heap("#Strings"), self.text_errors, self.text_budget)
        elif name == "text_budget":
            heap = self.budgets.begin("text")
        elif name == "guids":
            heap = GuidHeap(self._heap("#GUID"))
        elif name == "user_strings":
            heap = UserStringHeap(self._heap("#US"))
        elif name == "streams":
            places = self._stream_places
            heap = [Stream(name, places[at], places[at + 1]) for name, at in self._stream_at.items()]
        elif name == "row_counts":
            heap = spread(self._valid, self._counts)
        elif name == "referenced_rows":
            heap = None if self.pdb_id is None else spread(self._referenced_mask, tuple(self._referenced_counts))
        elif name == "sizes":
            heap = self._make_sizes()
        else:
            raise AttributeError(name)
        setattr(self, name, heap)
        return heap

    @property
    def major_version(self) -> int:
        """The major version in the metadata root: 1."""
        return self._root.major_version

    @property
    def minor_version(self) -> int:
        """The minor version in the metadata root: 1."""
        return self._root.minor_version

    @property
    def referenced_tables(self) -> tuple[int, ...]:
        """The numbers of the type-system tables that #Pdb refers to; () without #Pdb."""
        return bits(self._referenced_mask).tables

    @property
    def version(self) -> str:
        """The version string (II.24.2.1), as "v4.0.30319"."""
        return self._version.split(b"\0", 1)[0].decode("utf-8", "replace")

    def stream(self, name: str) -> Region | None:
        """The bytes of a stream by its name; None if there is none."""
        at = self._stream_at.get(name)
        if at is None:
            return None
        # The headers were checked when they were read, so this cannot leave the region.
        region = self.region
        offset = self._stream_places[at]
        return Region(
            region.data, region.start + offset, self._stream_places[at + 1], region.origin + offset, self.file
        )

    def table(self, number: int) -> Table[Any]:
        """The table of a number (empty when the image lacks it). NoSuchEntryError: no specification has the number."""
        table = self._tables.get(number)
        if table is None:
            table = self._tables[number] = self._make_table(number)
        return table

    def _heap(self, name: str) -> Region:
        return self.stream(name) or Region(b"", 0, 0, self.region.origin, self.file)

    def _read_usual_root(self) -> bool:
        """Read the root at once; False when it differs from those known: reading it piece by piece says how."""
        region = self.region
        data, start = region.data, region.start
        known = _directories.get(data[start : start + _USUAL_HEAD])
        if known is None or region.size < _USUAL_HEAD + known.headers.size:
            return False
        values = known.headers.unpacker.unpack_from(data, start + _USUAL_HEAD)
        if values[2::3] != known.raw_names or max(map(add, values[::3], values[1::3])) > region.size:
            return False
        self._root, self._version, self._stream_at, self._stream_places = known.root, known.version, known.at, values
        return True

    def _read_root(self, structs: Any) -> None:
        """Read the root by its parts."""
        region = self.region
        # The headers of any image but a crafted one lie in this piece: bytes are quicker than the map.
        piece = region.data[region.start : min(region.start + _HEADERS, region.end)]
        if piece[:4] != b"BSJB":
            raise not_metadata(region)
        head = structs.METADATA_ROOT.size
        if len(piece) < head:
            raise region.error(TruncatedError, "the file ends inside the metadata root")
        self._root = root = structs.METADATA_ROOT.parse(piece)
        position = head + root.version_length
        if position + 4 > len(piece):
            piece = region.bytes_at(0, position + 4, "the metadata version string")
        self._version = piece[head:position]
        count = structs.METADATA_ROOT_TAIL.parse(piece[position:]).stream_count
        position += structs.METADATA_ROOT_TAIL.size
        self.streams = self._read_streams(position, count, structs.STREAM_HEADER, piece)
        if position == _USUAL_HEAD:
            self._remember_directory(structs, piece)
        self._stream_places = [value for _, offset, size in self.streams for value in (offset, size)]
        self._stream_at = {stream.name: 2 * number for number, stream in reversed([*enumerate(self.streams)])}

    def _remember_directory(self, structs: Any, piece: bytes) -> None:
        """Keep what the headers of this image look like."""
        names = [stream.name for stream in self.streams]
        if len(set(names)) != len(names) or not all(name.encode() in _KNOWN_STREAMS for name in names):
            return
        headers = structs.stream_headers(tuple([(len(name) // 4 + 1) * 4 for name in names]))
        if names and _USUAL_HEAD + headers.size <= len(piece) and len(_directories) < _MOST_DIRECTORIES:
            values = headers.at(piece, _USUAL_HEAD)
            if values[::3] == tuple([stream.offset for stream in self.streams]):
                at = {name: 3 * number for number, name in enumerate(names)}
                known = _Directory(self._root, self._version, headers, values[2::3], at)
                _directories[piece[:_USUAL_HEAD]] = known

    def _read_streams(self, position: int, count: int, header: FixedStruct[StreamHeader], piece: bytes) -> list[Stream]:
        region = self.region
        base = 0
        streams = []
        for _ in range(count):
            at = position - base
            if at + 8 + _LONGEST_NAME > len(piece):
                base, at = position, 0
                piece = region.bytes_at(position, min(_HEADERS, region.size - position), "a stream header")
                if len(piece) < 8:
                    raise region.error(TruncatedError, "the metadata ends inside a stream header", position)
            offset, size = header.parse(piece[at:])
            end = piece.find(0, at + 8, at + 8 + _LONGEST_NAME)
            if end < 0:
                raise region.error(MalformedError, "a stream name is longer than 31 bytes (II.24.2.2)", position + 8)
            name = piece[at + 8 : end]
            if offset + size > region.size:
                raise region.error(
                    TruncatedError,
                    f"stream {name.decode('utf-8', 'replace')} (offset {offset}, {size} bytes) ends past the metadata"
                    f" of {region.size} bytes; the file is cut short or damaged",
                    position,
                )
            streams.append(Stream(_KNOWN_STREAMS.get(name) or name.decode("utf-8", "replace"), offset, size))
            position += 8 + ((end - at - 8) // 4 + 1) * 4
        return streams

    def _read_pdb_stream(self, structs: Any) -> None:
        region = self.region
        declared = structs.PDB_STREAM
        at = self._stream_at["#Pdb"]
        start, size = region.start + self._stream_places[at], self._stream_places[at + 1]
        if self._is_usual and size >= declared.size:
            stored = pdb_stream_format(region.data[start + declared.size - 8 : start + declared.size])
            if stored is not None and stored.size <= size:
                self.pdb_id, self.pdb_entry_point, self._referenced_mask, *counts = stored.unpack_from(
                    region.data, start
                )
                self._referenced_counts = counts
                self._most_referenced = max(counts) if counts else 0
                if self._most_referenced <= MAX_ROWS:
                    return
        region = region.part(self._stream_places[at], size, "the #Pdb stream")
        self.pdb_id, self.pdb_entry_point, mask = declared.parse(region.bytes_at(0, declared.size, "the #Pdb stream"))
        if mask & ~TYPE_SYSTEM_TABLES:
            raise region.error(MalformedError, f"#Pdb refers to tables 0x{mask:x} that are not type-system tables", 24)
        self._referenced_mask = mask
        self._referenced_counts = read_row_counts(region, declared.size, mask)
        self._most_referenced = max(self._referenced_counts, default=0)

    def _read_table_stream(self, structs: Any, family: Any) -> None:
        places, at = self._stream_places, self._stream_at.get("#~", self._stream_at.get("#-"))
        if at is None:
            raise self.region.error(MalformedError, "the metadata has no table stream (#~ or #-)")
        self._table_stream = offset = places[at]
        region, size = self.region, places[at + 1]
        start, declared = region.start + offset, structs.TABLE_STREAM.size
        if size < declared:
            region.part(offset, size, "").bytes_at(0, declared, "the head of the table stream")
        head, stored, first_table, layouts, row_sizes = table_stream_head(region.data[start : start + declared])
        _, _, _, self._heap_sizes, _, valid, self.sorted_tables = head
        self._valid = valid
        if valid & UNKNOWN_TABLES:
            rule = f"the table stream has unknown tables: 0x{valid:x}"
            raise region.error(MalformedError, rule, offset + 8)
        if first_table > size:
            read_row_counts(region.part(offset, size, "the table stream"), declared, valid)
        self._counts = counts = stored.unpack_from(region.data, start + declared)
        if (
            max(counts, default=0) >= family.FEW_ROWS
            or self._most_referenced >= family.FEW_ROWS
            or self.is_minimal_delta
        ):
            read_row_counts(region.part(offset, size, "the table stream"), declared, valid)
            layouts = self._make_layouts(family)
            row_sizes = tuple([layouts[number].size for number in bits(valid).tables])
        self._layouts = layouts
        # Where each table begins, and where the last one ends.
        self._table_places = [*accumulate(map(mul, counts, row_sizes), initial=first_table)]
        if self._table_places[-1] > size:
            raise region.error(
                TruncatedError,
                f"the tables need {self._table_places[-1]} bytes by their row counts, the table stream has {size}",
                offset + 24,
            )

    def _make_sizes(self) -> IndexSizes:
        """The sizes that the indices of the PDB's tables have; in an assembly they are those of all tables."""
        from .row_layouts import FIRST_PDB_TABLE
        from .schema import IndexSizes

        counts = self.row_counts
        if self.referenced_rows is not None:
            counts = self.referenced_rows[:FIRST_PDB_TABLE] + counts[FIRST_PDB_TABLE:]
        return IndexSizes(*heap_widths(self._heap_sizes), counts, self.is_minimal_delta)

    def _make_layouts(self, family: Any) -> dict[int, RowLayout]:
        layouts: dict[int, RowLayout] = family.PDB_FAMILY.layouts(self.sizes)
        if self._valid & TYPE_SYSTEM_TABLES:
            # The type-system tables of an image know nothing of the rows that its #Pdb refers to.
            own_sizes = self.sizes._replace(row_counts=self.row_counts)
            layouts = {**layouts, **family.ecma_family().layouts(own_sizes)}
        return layouts

    def _make_table(self, number: int) -> Table[Any]:
        layout = self._layouts.get(number)
        if layout is None:
            from .row_layouts import ecma_family

            layout = ecma_family().layouts(self.sizes).get(number)
        if layout is None:
            raise NoSuchEntryError(f"there is no metadata table 0x{number:02x}", file=self.file)
        # The row counts were checked against the stream when the headers were read.
        rows = place = 0
        if self._valid >> number & 1:
            at = bits(self._valid).at[number]
            rows, place = self._counts[at], self._table_stream + self._table_places[at]
        return Table(number, layout, rows, self.region, place, declared_sorted=bool(self.sorted_tables >> number & 1))
