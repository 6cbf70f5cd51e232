# No "from __future__ import annotations" here: the annotations are the declaration and are read at run time.
"""The structures at the root of metadata, declared once; see schema.py.

ECMA-335 II.24.2.1, II.24.2.2, II.24.2.6; Portable PDB 1.0, "#Pdb stream".
"""

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from construct import Bytes, Int8ul, Int16ul, Int32ul, Int64ul

from .records import Record
from .schema import FixedStruct


class MetadataRoot(Record):
    """The metadata root up to the version string (II.24.2.1)."""

    signature: Annotated[bytes, Bytes(4)]
    major_version: Annotated[int, Int16ul]
    minor_version: Annotated[int, Int16ul]
    reserved: Annotated[int, Int32ul]
    version_length: Annotated[int, Int32ul]


class MetadataRootTail(Record):
    """What follows the version string."""

    flags: Annotated[int, Int16ul]
    stream_count: Annotated[int, Int16ul]


class StreamHeader(Record):
    """A stream header (II.24.2.2); its name, padded to four bytes, follows."""

    offset: Annotated[int, Int32ul]
    size: Annotated[int, Int32ul]


class TableStream(Record):
    """The head of the #~ stream (II.24.2.6); one 4-byte row count for each bit of ``valid`` follows."""

    reserved: Annotated[int, Int32ul]
    major_version: Annotated[int, Int8ul]
    minor_version: Annotated[int, Int8ul]
    heap_sizes: Annotated[int, Int8ul]
    reserved_2: Annotated[int, Int8ul]
    valid: Annotated[int, Int64ul]
    sorted: Annotated[int, Int64ul]


class PdbStream(Record):
    """The head of the #Pdb stream; one 4-byte row count for each bit of ``referenced_tables`` follows."""

    id: Annotated[bytes, Bytes(20)]
    entry_point: Annotated[int, Int32ul]
    referenced_tables: Annotated[int, Int64ul]


METADATA_ROOT = FixedStruct(MetadataRoot)
METADATA_ROOT_TAIL = FixedStruct(MetadataRootTail)
STREAM_HEADER = FixedStruct(StreamHeader)
TABLE_STREAM = FixedStruct(TableStream)
PDB_STREAM = FixedStruct(PdbStream)


@lru_cache(maxsize=64)
def stream_headers(name_widths: tuple[int, ...]) -> FixedStruct[Any]:
    """All stream headers in a row, each with its name, by how many bytes the names take with their padding."""
    fields = []
    for number, width in enumerate(name_widths):
        fields += [(f"{name}_{number}", hint) for name, hint in StreamHeader.__annotations__.items()]
        fields.append((f"name_{number}", Annotated[bytes, Bytes(width)]))
    record: Any = NamedTuple("StreamHeaders", fields)  # type: ignore[misc]  # its fields are known at run time
    return FixedStruct(record)
