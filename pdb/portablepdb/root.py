"""The metadata root, its streams and the table stream (ECMA-335 II.24.2)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import LimitError, MalformedError, NoSuchEntryError, TruncatedError, UnknownFormatError, WindowsPdbError
from .heaps import BlobHeap, GuidHeap, StringHeap, UserStringHeap
from .limits import Budget, Budgets
from .source import Region
from .tables import Table

if TYPE_CHECKING:
    from .root_structs import PdbStream, StreamHeader, TableStream
    from .schema import FixedStruct

_TYPE_SYSTEM_TABLES = (1 << 0x2D) - 1
_EXTRA_DATA = 0x40  # HeapSizes bit: four more bytes after the row counts (old compilers, #- images)
_MAX_ROWS = 0xFFFFFF
_LONGEST_NAME = 32
_KNOWN_STREAMS = {name.encode(): name for name in ("#~", "#-", "#Strings", "#US", "#GUID", "#Blob", "#Pdb", "#JTD")}
_HEADERS = 512

_LOOKS_LIKE = (
    (b"\x1f\x8b", "it is a gzip file: unpack it first"),
    (b"PK\x03\x04", "it is a zip archive (a .nupkg or .snupkg is one): unpack it first"),
    (b"MSCF", "it is a cabinet file, as symbol servers store compressed PDBs (.pd_): unpack it first"),
    (b"MZ", "it is a PE image, not a standalone PDB; open it as an assembly"),
    (b"\x7fELF", "it is an ELF file"),
)


class Stream(NamedTuple):
    """One stream header (II.24.2.2): its name, and its place from the beginning of the root."""

    name: str
    offset: int
    size: int


class _Directory(NamedTuple):
    """The stream headers as one image had them, offsets and sizes left out: most images of one compiler agree."""

    unpack_from: Callable[[bytes, int], tuple[Any, ...]]
    size: int
    raw_names: tuple[bytes, ...]
    names: tuple[str, ...]


# By the length of the version string and the number of streams. Headers that differ are read one by one.
_directories: dict[tuple[int, int], _Directory] = {}
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

    strings: StringHeap
    blobs: BlobHeap
    guids: GuidHeap
    user_strings: UserStringHeap
    streams: list[Stream]
    text_budget: Budget
    referenced_tables: tuple[int, ...] = ()
    referenced_rows: tuple[int, ...] | None = None
    pdb_id: bytes | None = None
    pdb_entry_point = 0

    def __init__(self, region: Region, *, text_errors: str = "strict", budgets: Budgets | None = None) -> None:
        """Read the headers in ``region``. ``text_errors`` says what malformed UTF-8 is: "strict" or "replace".

        ``budgets`` are those of the file around the region; None: the defaults for the region's size.
        """
        structs, family = _declarations or _load_declarations()
        self.region = region
        self.file = region.file
        self.text_errors = text_errors
        self.budgets = budgets or Budgets(None, region.size, region.file)
        # The headers of any image but a crafted one lie in this piece: bytes are quicker than the map.
        start = region.start
        piece = region.data[start : min(start + _HEADERS, region.end)]
        if piece[:4] != b"BSJB":
            raise _wrong_magic(region)
        if len(piece) < structs.METADATA_ROOT.size:
            raise region.error(TruncatedError, "the file ends inside the metadata root")
        root = structs.METADATA_ROOT.at(piece, 0)
        self.major_version, self.minor_version = root.major_version, root.minor_version
        version_length = root.version_length
        position = structs.METADATA_ROOT.size + version_length
        if position + 4 > len(piece):
            piece = region.bytes_at(0, position + 4, "the metadata version string")
        self._version = piece[structs.METADATA_ROOT.size : position]
        count = structs.METADATA_ROOT_TAIL.at(piece, position).stream_count
        by_name = self._usual_streams(version_length, count, piece, position + 4)
        if by_name is None:
            self.streams = self._read_streams(position + 4, count, structs.STREAM_HEADER, piece)
            by_name = {name: (offset, size) for name, offset, size in reversed(self.streams)}
            self._remember_directory(version_length, piece, position + 4)
        self._by_name = by_name
        self.is_minimal_delta = "#JTD" in self._by_name
        if "#Pdb" in self._by_name:
            self._read_pdb_stream(structs.PDB_STREAM)
        self._read_table_stream(structs.TABLE_STREAM, family)
        self._tables: dict[int, Table[Any]] = {}

    def __getattr__(self, name: str) -> Any:
        # Heaps are made when first asked for: opening stays cheap, and afterwards they are plain attributes.
        if name == "strings":
            heap: Any = StringHeap(self._heap("#Strings"), self.text_errors, self.text_budget)
        elif name == "text_budget":
            heap = self.budgets.begin("text")
        elif name == "blobs":
            heap = BlobHeap(self._heap("#Blob"))
        elif name == "guids":
            heap = GuidHeap(self._heap("#GUID"))
        elif name == "user_strings":
            heap = UserStringHeap(self._heap("#US"))
        elif name == "streams":
            heap = [Stream(name, *place) for name, place in self._by_name.items()]
        else:
            raise AttributeError(name)
        setattr(self, name, heap)
        return heap

    @property
    def version(self) -> str:
        """The version string (II.24.2.1), as "v4.0.30319"."""
        return self._version.split(b"\0", 1)[0].decode("utf-8", "replace")

    def stream(self, name: str) -> Region | None:
        """The bytes of a stream by its name; None if there is none."""
        header = self._by_name.get(name)
        if header is None:
            return None
        # The headers were checked when they were read, so this cannot leave the region.
        region = self.region
        offset, size = header
        return Region(region.data, region.start + offset, size, region.origin + offset, region.file)

    def table(self, number: int) -> Table[Any]:
        """The table of a number (empty when the image lacks it). NoSuchEntryError: no specification has the number."""
        table = self._tables.get(number)
        if table is None:
            table = self._tables[number] = self._make_table(number)
        return table

    def _heap(self, name: str) -> Region:
        return self.stream(name) or Region(b"", 0, 0, self.region.origin, self.file)

    def _usual_streams(
        self, version_length: int, count: int, piece: bytes, position: int
    ) -> dict[str, tuple[int, int]] | None:
        """The places of the streams by name, read at once; None when the headers differ from those known."""
        directory = _directories.get((version_length, count))
        if directory is None or position + directory.size > len(piece):
            return None
        values = directory.unpack_from(piece, position)
        offsets, sizes = values[::3], values[1::3]
        if values[2::3] != directory.raw_names or max(map(add, offsets, sizes)) > self.region.size:
            return None  # reading them one by one says what is wrong
        return dict(zip(directory.names, zip(offsets, sizes, strict=True), strict=True))

    def _remember_directory(self, version_length: int, piece: bytes, position: int) -> None:
        """Keep what the headers of this image look like."""
        names = [stream.name for stream in self.streams]
        widths = [(len(name.encode()) // 4 + 1) * 4 for name in names]
        headers = struct.Struct("<" + "".join([f"II{width}s" for width in widths]))
        if len(set(names)) != len(names) or not all(name.encode() in _KNOWN_STREAMS for name in names):
            return
        if names and position + headers.size <= len(piece) and len(_directories) < _MOST_DIRECTORIES:
            values = headers.unpack_from(piece, position)
            if values[::3] == tuple([stream.offset for stream in self.streams]):
                key = version_length, len(names)
                _directories[key] = _Directory(headers.unpack_from, headers.size, values[2::3], tuple(names))

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
            offset, size = header.at(piece, at)
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

    def _read_pdb_stream(self, declared: FixedStruct[PdbStream]) -> None:
        region = self.stream("#Pdb")
        assert region is not None
        if region.size < 32:
            region.bytes_at(0, 32, "the #Pdb stream")
        head = declared.at(region.data, region.start)
        self.pdb_id, self.pdb_entry_point, mask = head.id, head.entry_point, head.referenced_tables
        if mask & ~_TYPE_SYSTEM_TABLES:
            raise region.error(MalformedError, f"#Pdb refers to tables 0x{mask:x} that are not type-system tables", 24)
        self.referenced_tables, self.referenced_rows = _read_row_counts(region, 32, mask)

    def _read_table_stream(self, declared: FixedStruct[TableStream], family: Any) -> None:
        region = self.stream("#~") or self.stream("#-")
        if region is None:
            raise self.region.error(MalformedError, "the metadata has no table stream (#~ or #-)")
        if region.size < 24:
            region.bytes_at(0, 24, "the head of the table stream")
        head = declared.at(region.data, region.start)
        heap_sizes, valid, self.sorted_tables = head.heap_sizes, head.valid, head.sorted
        if valid >> 0x38 or valid >> 0x2D & 7:
            raise region.error(MalformedError, f"the table stream has unknown tables: 0x{valid:x}", 8)
        present, self.row_counts = _read_row_counts(region, 24, valid)
        position = 24 + 4 * len(present) + (4 if heap_sizes & _EXTRA_DATA else 0)
        counts = own_counts = self.row_counts
        if self.referenced_rows is not None:
            counts = self.referenced_rows[: family.FIRST_PDB_TABLE] + counts[family.FIRST_PDB_TABLE :]
        heap_widths = (4 if heap_sizes & 1 else 2, 4 if heap_sizes & 2 else 2, 4 if heap_sizes & 4 else 2)
        self.sizes = family.IndexSizes(*heap_widths, counts, self.is_minimal_delta)
        self._table_region = region
        layouts = family.PDB_FAMILY.layouts(self.sizes)
        if valid & _TYPE_SYSTEM_TABLES:
            # The type-system tables of an image know nothing of the rows that its #Pdb refers to.
            own_sizes = family.IndexSizes(*heap_widths, own_counts, self.is_minimal_delta)
            layouts = {**layouts, **family.ecma_family().layouts(own_sizes)}
        places: dict[int, int] = {}
        for number in present:
            places[number] = position
            position += own_counts[number] * layouts[number].size
        self._layouts, self._places = layouts, places
        if position > region.size:
            raise region.error(
                TruncatedError,
                f"the tables need {position} bytes by their row counts, the table stream has {region.size}",
                24,
            )

    def _make_table(self, number: int) -> Table[Any]:
        layout = self._layouts.get(number)
        if layout is None:
            from .row_layouts import ecma_family

            layout = ecma_family().layouts(self.sizes).get(number)
        if layout is None:
            raise NoSuchEntryError(f"there is no metadata table 0x{number:02x}", file=self.file)
        rows = self.row_counts[number]
        # The row counts were checked against the stream when the headers were read.
        outer, place = self._table_region, self._places.get(number, 0)
        region = Region(outer.data, outer.start + place, rows * layout.size, outer.origin + place, outer.file)
        return Table(number, layout, rows, region, bool(self.sorted_tables >> number & 1))


@lru_cache(maxsize=256)
def _bits(mask: int) -> tuple[tuple[int, ...], struct.Struct, Callable[[tuple[int, ...]], tuple[int, ...]]]:
    """Of a bit vector of tables: their numbers, their row counts as stored, and what makes 64 counts of these and 0."""
    tables = tuple([number for number in range(64) if mask >> number & 1])
    places = [tables.index(number) if number in tables else len(tables) for number in range(64)]
    return tables, struct.Struct(f"<{len(tables)}I"), itemgetter(*places)


def _read_row_counts(region: Region, position: int, mask: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers of the tables in ``mask``; 64 row counts, 0 for the tables that are not there."""
    tables, stored, spread = _bits(mask)
    if position + stored.size > region.size:
        region.bytes_at(position, stored.size, "the row counts")
    found = stored.unpack_from(region.data, region.start + position)
    if found and max(found) > _MAX_ROWS:
        at = next(at for at, count in enumerate(found) if count > _MAX_ROWS)
        rule = f"table 0x{tables[at]:02x} claims {found[at]} rows; a token has room for {_MAX_ROWS}"
        raise region.error(LimitError, rule, position + 4 * at)
    return tables, spread((*found, 0))


def _wrong_magic(region: Region) -> UnknownFormatError:
    head = region.bytes_at(0, min(32, region.size), "the first bytes")
    if head.startswith((b"Microsoft C/C++ MSF", b"Microsoft C/C++ program database")):
        rule = (
            "this is a Windows PDB, not a portable one: build with <DebugType>portable</DebugType>"
            " (csc -debug:portable), or convert it with the Pdb2Pdb tool of dotnet/symreader-converter"
        )
        return WindowsPdbError(rule, file=region.file, offset=region.origin)
    words = next((text for magic, text in _LOOKS_LIKE if head.startswith(magic)), None)
    if words is None:
        words = "the file is empty" if not head else f"it begins with {head[:4].hex(' ')}, metadata with 42 53 4a 42"
    rule = f"not a Portable PDB or metadata: {words}"
    return UnknownFormatError(rule, file=region.file, offset=region.origin)
