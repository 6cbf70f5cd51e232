"""The debug directory of a PE image (PE/COFF specification with the additions of .NET: PE-COFF.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .blob_reader import BlobReader
from .errors import LimitError, MalformedError, TruncatedError
from .limits import Budgets
from .records import Record
from .source import Region

if TYPE_CHECKING:
    from uuid import UUID

    from .pe import PeImage

CODE_VIEW, REPRODUCIBLE, EMBEDDED_PORTABLE_PDB, PDB_CHECKSUM = 2, 16, 17, 19
PORTABLE_CODE_VIEW_MINOR = 0x504D
_DEBUG_DIRECTORY = 6
_MAX_ENTRIES = 256
_LONGEST_PATH = 1 << 16


class CodeViewEntry(Record):
    """Where the compiler says the PDB is, and which one. ``stamp`` is the second half of a portable PDB's id.

    ``guid_bytes`` are the sixteen bytes as stored; ``is_portable`` is False for a Windows PDB.
    """

    guid_bytes: bytes
    stamp: int
    age: int
    path: str
    is_portable: bool

    @property
    def guid(self) -> UUID:
        """The GUID of the PDB."""
        from uuid import UUID

        return UUID(bytes_le=self.guid_bytes)

    @property
    def pdb_id(self) -> bytes:
        """GUID and stamp: the 20 bytes that a portable PDB carries as its id."""
        return self.guid_bytes + self.stamp.to_bytes(4, "little")


class PdbChecksum(Record):
    """A checksum of the PDB's bytes with the 20 bytes of its id zeroed. ``algorithm`` is as written, like SHA256."""

    algorithm: str
    checksum: bytes


class DebugEntry(Record):
    """One entry of the debug directory; ``rva``, ``pointer`` and ``size`` say where its data is."""

    number: int
    type: int
    major_version: int
    minor_version: int
    stamp: int
    rva: int
    pointer: int
    size: int


def read_entries(pe: PeImage) -> list[DebugEntry]:
    """All entries of the debug directory in order; [] if there is none."""
    from . import pe_structs as structs

    rva, size = pe.directory(_DEBUG_DIRECTORY)
    if not rva:
        return []
    entry_size = structs.DEBUG_DIRECTORY_ENTRY.size
    if size % entry_size:
        raise MalformedError(f"the debug directory has {size} bytes, no multiple of {entry_size}", file=pe.source.name)
    if size > _MAX_ENTRIES * entry_size:
        raise LimitError(f"the debug directory claims {size // entry_size} entries", file=pe.source.name)
    raw = pe.at_rva(rva, size, "the debug directory").whole()
    return [
        DebugEntry(number, e.type, e.major_version, e.minor_version, e.stamp, e.rva, e.pointer, e.size)
        for number, e in enumerate(structs.DEBUG_DIRECTORY_ENTRY.each(raw))
    ]


def entry_data(pe: PeImage, entry: DebugEntry) -> Region:
    """The bytes of an entry."""
    return pe.at_file_offset(entry.pointer, entry.rva, entry.size, f"debug directory entry {entry.number}")


def read_code_view(pe: PeImage, entry: DebugEntry) -> CodeViewEntry:
    """The data of an entry of type 2. MalformedError when it is not an RSDS record."""
    from .pe_structs import RSDS_RECORD

    region = entry_data(pe, entry)
    raw = region.bytes_at(0, min(region.size, RSDS_RECORD.size + _LONGEST_PATH), "the CodeView entry")
    if raw[:4] != b"RSDS" or len(raw) < RSDS_RECORD.size:
        raise region.error(MalformedError, "the CodeView entry is not an RSDS record")
    record = RSDS_RECORD.parse(raw)
    path = raw[RSDS_RECORD.size :].split(b"\0", 1)[0].decode("utf-8", "replace")
    is_portable = entry.minor_version == PORTABLE_CODE_VIEW_MINOR
    return CodeViewEntry(record.guid, entry.stamp, record.age, path, is_portable)


def read_checksum(pe: PeImage, entry: DebugEntry) -> PdbChecksum:
    """The data of an entry of type 19: the algorithm's name, zero, the checksum."""
    region = entry_data(pe, entry)
    name, zero, checksum = region.whole().partition(b"\0")
    if not zero or not name or not checksum:
        raise region.error(MalformedError, "the PdbChecksum entry is not a name and a checksum")
    return PdbChecksum(name.decode("utf-8", "replace"), checksum)


def inflate_embedded(region: Region, budgets: Budgets | None = None) -> Region:
    """The PDB inside an EmbeddedPortablePdb entry: ``MPDB``, the size, a deflate stream."""
    from .custom_debug_info import inflate
    from .pe_structs import EMBEDDED_PDB_HEAD

    raw = region.bytes_at(0, min(EMBEDDED_PDB_HEAD.size, region.size), "the embedded PDB")
    if raw[:4] != b"MPDB":
        raise region.error(MalformedError, "the embedded PDB does not begin with MPDB")
    if len(raw) < EMBEDDED_PDB_HEAD.size:
        raise region.error(TruncatedError, "the embedded PDB ends inside its head")
    head = EMBEDDED_PDB_HEAD.parse(raw)
    packed = region.part(len(raw), region.size - len(raw), "the embedded PDB")
    reader = BlobReader(packed.whole(), packed.origin, packed.file)
    limit = (budgets or Budgets(None, region.size, region.file)).of("inflated")
    data = inflate(reader, head.size, limit, "the embedded PDB")
    return Region(data, 0, len(data), 0, f"{region.file}(embedded PDB)")


class DebugDirectory:
    """The debug directory of one image; read when first asked for."""

    def __init__(self, pe: PeImage) -> None:
        self._pe = pe
        self._entries: list[DebugEntry] | None = None

    @property
    def entries(self) -> list[DebugEntry]:
        """All entries in order; [] if there is no directory."""
        if self._entries is None:
            self._entries = read_entries(self._pe)
        return self._entries

    @property
    def code_view(self) -> CodeViewEntry | None:
        """The CodeView entry, the portable one if there are several; None if there is none."""
        found = [read_code_view(self._pe, entry) for entry in self._of_type(CODE_VIEW)]
        return next((entry for entry in found if entry.is_portable), found[0] if found else None)

    @property
    def pdb_id(self) -> bytes | None:
        """The 20-byte id of this build's portable PDB; None if the image has none."""
        code_view = self.code_view
        return code_view.pdb_id if code_view is not None and code_view.is_portable else None

    @property
    def checksums(self) -> list[PdbChecksum]:
        """The checksums of the PDB that the image carries."""
        return [read_checksum(self._pe, entry) for entry in self._of_type(PDB_CHECKSUM)]

    @property
    def is_reproducible(self) -> bool:
        """Whether the compiler marked the build deterministic."""
        return bool(self._of_type(REPRODUCIBLE))

    @property
    def has_embedded_pdb(self) -> bool:
        """Whether there is an EmbeddedPortablePdb entry."""
        return bool(self._of_type(EMBEDDED_PORTABLE_PDB))

    def embedded_pdb(self, budgets: Budgets | None = None) -> Region | None:
        """The bytes of the embedded PDB, inflated; None if there is none."""
        for entry in self._of_type(EMBEDDED_PORTABLE_PDB):
            return inflate_embedded(entry_data(self._pe, entry), budgets)
        return None

    def _of_type(self, kind: int) -> list[DebugEntry]:
        return [entry for entry in self.entries if entry.type == kind]
