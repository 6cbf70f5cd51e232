# No "from __future__ import annotations" here: the annotations are the declaration and are read at run time.
"""The structures of a PE image, of its debug directory and of method bodies, declared once; see schema.py.

PE/COFF specification; ECMA-335 II.25; PE-COFF.md of dotnet/runtime.
"""

from typing import Annotated

from construct import Bytes, Int8ul, Int16ul, Int32ul, Int64ul

from .records import Record
from .schema import FixedStruct

U1, U2, U4, U8 = Int8ul, Int16ul, Int32ul, Int64ul


class DosHeader(Record):
    """What of the MS-DOS header matters: its magic and where the PE signature is (II.25.2.1)."""

    magic: Annotated[bytes, Bytes(2)]
    unused: Annotated[bytes, Bytes(58)]
    pe_offset: Annotated[int, U4]


class CoffHeader(Record):
    """The PE signature and the COFF file header (II.25.2.2)."""

    signature: Annotated[bytes, Bytes(4)]
    machine: Annotated[int, U2]
    section_count: Annotated[int, U2]
    timestamp: Annotated[int, U4]
    symbol_table: Annotated[int, U4]
    symbol_count: Annotated[int, U4]
    optional_header_size: Annotated[int, U2]
    characteristics: Annotated[int, U2]


class OptionalHeader32(Record):
    """The optional header of a 32-bit image (PE32), up to the data directories (II.25.2.3)."""

    magic: Annotated[int, U2]
    linker_major: Annotated[int, U1]
    linker_minor: Annotated[int, U1]
    code_size: Annotated[int, U4]
    initialized_size: Annotated[int, U4]
    uninitialized_size: Annotated[int, U4]
    entry_point: Annotated[int, U4]
    code_base: Annotated[int, U4]
    data_base: Annotated[int, U4]
    image_base: Annotated[int, U4]
    section_alignment: Annotated[int, U4]
    file_alignment: Annotated[int, U4]
    os_major: Annotated[int, U2]
    os_minor: Annotated[int, U2]
    image_major: Annotated[int, U2]
    image_minor: Annotated[int, U2]
    subsystem_major: Annotated[int, U2]
    subsystem_minor: Annotated[int, U2]
    win32_version: Annotated[int, U4]
    size_of_image: Annotated[int, U4]
    size_of_headers: Annotated[int, U4]
    checksum: Annotated[int, U4]
    subsystem: Annotated[int, U2]
    dll_characteristics: Annotated[int, U2]
    stack_reserve: Annotated[int, U4]
    stack_commit: Annotated[int, U4]
    heap_reserve: Annotated[int, U4]
    heap_commit: Annotated[int, U4]
    loader_flags: Annotated[int, U4]
    directory_count: Annotated[int, U4]


class OptionalHeader64(Record):
    """The same of a 64-bit image (PE32+)."""

    magic: Annotated[int, U2]
    linker_major: Annotated[int, U1]
    linker_minor: Annotated[int, U1]
    code_size: Annotated[int, U4]
    initialized_size: Annotated[int, U4]
    uninitialized_size: Annotated[int, U4]
    entry_point: Annotated[int, U4]
    code_base: Annotated[int, U4]
    image_base: Annotated[int, U8]
    section_alignment: Annotated[int, U4]
    file_alignment: Annotated[int, U4]
    os_major: Annotated[int, U2]
    os_minor: Annotated[int, U2]
    image_major: Annotated[int, U2]
    image_minor: Annotated[int, U2]
    subsystem_major: Annotated[int, U2]
    subsystem_minor: Annotated[int, U2]
    win32_version: Annotated[int, U4]
    size_of_image: Annotated[int, U4]
    size_of_headers: Annotated[int, U4]
    checksum: Annotated[int, U4]
    subsystem: Annotated[int, U2]
    dll_characteristics: Annotated[int, U2]
    stack_reserve: Annotated[int, U8]
    stack_commit: Annotated[int, U8]
    heap_reserve: Annotated[int, U8]
    heap_commit: Annotated[int, U8]
    loader_flags: Annotated[int, U4]
    directory_count: Annotated[int, U4]


class DataDirectory(Record):
    """RVA and size of one data directory (II.25.2.3.3)."""

    rva: Annotated[int, U4]
    size: Annotated[int, U4]


class SectionHeader(Record):
    """A section header (II.25.3)."""

    name: Annotated[bytes, Bytes(8)]
    virtual_size: Annotated[int, U4]
    virtual_address: Annotated[int, U4]
    raw_size: Annotated[int, U4]
    raw_pointer: Annotated[int, U4]
    relocations: Annotated[int, U4]
    line_numbers: Annotated[int, U4]
    relocation_count: Annotated[int, U2]
    line_number_count: Annotated[int, U2]
    characteristics: Annotated[int, U4]


class CliHeader(Record):
    """The CLI header (II.25.3.3); RVAs and sizes in bytes."""

    header_size: Annotated[int, U4]
    runtime_major: Annotated[int, U2]
    runtime_minor: Annotated[int, U2]
    metadata_rva: Annotated[int, U4]
    metadata_size: Annotated[int, U4]
    flags: Annotated[int, U4]
    entry_point: Annotated[int, U4]
    resources_rva: Annotated[int, U4]
    resources_size: Annotated[int, U4]
    strong_name_rva: Annotated[int, U4]
    strong_name_size: Annotated[int, U4]
    code_manager_rva: Annotated[int, U4]
    code_manager_size: Annotated[int, U4]
    vtable_fixups_rva: Annotated[int, U4]
    vtable_fixups_size: Annotated[int, U4]
    export_jumps_rva: Annotated[int, U4]
    export_jumps_size: Annotated[int, U4]
    managed_native_rva: Annotated[int, U4]
    managed_native_size: Annotated[int, U4]


class DebugDirectoryEntry(Record):
    """An entry of the debug directory."""

    characteristics: Annotated[int, U4]
    stamp: Annotated[int, U4]
    major_version: Annotated[int, U2]
    minor_version: Annotated[int, U2]
    type: Annotated[int, U4]
    size: Annotated[int, U4]
    rva: Annotated[int, U4]
    pointer: Annotated[int, U4]


class RsdsRecord(Record):
    """The head of a CodeView record; the path follows, up to a zero byte."""

    signature: Annotated[bytes, Bytes(4)]
    guid: Annotated[bytes, Bytes(16)]
    age: Annotated[int, U4]


class EmbeddedPdbHead(Record):
    """The head of an embedded PDB: ``MPDB`` and its size; a deflate stream follows."""

    signature: Annotated[bytes, Bytes(4)]
    size: Annotated[int, U4]


class FatMethodHeader(Record):
    """A fat method header (II.25.4.3); the size in dwords is in the high four bits of ``flags``."""

    flags: Annotated[int, U2]
    max_stack: Annotated[int, U2]
    code_size: Annotated[int, U4]
    local_signature: Annotated[int, U4]


class SmallClause(Record):
    """A small exception clause (II.25.4.6)."""

    kind: Annotated[int, U2]
    try_offset: Annotated[int, U2]
    try_length: Annotated[int, U1]
    handler_offset: Annotated[int, U2]
    handler_length: Annotated[int, U1]
    class_or_filter: Annotated[int, U4]


class FatClause(Record):
    """A fat exception clause (II.25.4.6)."""

    kind: Annotated[int, U4]
    try_offset: Annotated[int, U4]
    try_length: Annotated[int, U4]
    handler_offset: Annotated[int, U4]
    handler_length: Annotated[int, U4]
    class_or_filter: Annotated[int, U4]


DOS_HEADER = FixedStruct(DosHeader)
COFF_HEADER = FixedStruct(CoffHeader)
OPTIONAL_HEADER_32 = FixedStruct(OptionalHeader32)
OPTIONAL_HEADER_64 = FixedStruct(OptionalHeader64)
DATA_DIRECTORY = FixedStruct(DataDirectory)
SECTION_HEADER = FixedStruct(SectionHeader)
CLI_HEADER = FixedStruct(CliHeader)
DEBUG_DIRECTORY_ENTRY = FixedStruct(DebugDirectoryEntry)
RSDS_RECORD = FixedStruct(RsdsRecord)
EMBEDDED_PDB_HEAD = FixedStruct(EmbeddedPdbHead)
FAT_METHOD_HEADER = FixedStruct(FatMethodHeader)
SMALL_CLAUSE = FixedStruct(SmallClause)
FAT_CLAUSE = FixedStruct(FatClause)
