"""The fixed structures at the root of metadata (ECMA-335 II.24.2.1, II.24.2.6; Portable PDB "#Pdb stream")."""

from __future__ import annotations

from construct import Array, Bytes, Int8ul, Int16ul, Int32ul, Int64ul, PaddedString, Struct, this

from .schema import fixed_unpacker

ROOT = Struct(
    "signature" / Int32ul,
    "major_version" / Int16ul,
    "minor_version" / Int16ul,
    "reserved" / Int32ul,
    "version_length" / Int32ul,
)
"""The metadata root up to the version string (II.24.2.1)."""

VERSION = PaddedString(this.version_length, "utf8")

ROOT_TAIL = Struct("flags" / Int16ul, "stream_count" / Int16ul)
"""What follows the version string."""

STREAM_HEADER = Struct("offset" / Int32ul, "size" / Int32ul)
"""A stream header (II.24.2.2); its name, padded to four bytes, follows."""

TABLE_STREAM = Struct(
    "reserved" / Int32ul,
    "major_version" / Int8ul,
    "minor_version" / Int8ul,
    "heap_sizes" / Int8ul,
    "reserved_2" / Int8ul,
    "valid" / Int64ul,
    "sorted" / Int64ul,
)
"""The head of the #~ stream (II.24.2.6); one 4-byte row count for each bit of ``valid`` follows."""

PDB_STREAM = Struct("id" / Bytes(20), "entry_point" / Int32ul, "referenced_tables" / Int64ul)
"""The head of the #Pdb stream; one 4-byte row count for each bit of ``referenced_tables`` follows."""


def row_counts(bits: int) -> object:
    """The construct for the row counts that follow a bit vector."""
    return Array(bits.bit_count(), Int32ul)


ROOT_FAST, _ = fixed_unpacker(ROOT)
ROOT_TAIL_FAST, _ = fixed_unpacker(ROOT_TAIL)
STREAM_HEADER_FAST, _ = fixed_unpacker(STREAM_HEADER)
TABLE_STREAM_FAST, _ = fixed_unpacker(TABLE_STREAM)
PDB_STREAM_FAST, _ = fixed_unpacker(PDB_STREAM)
