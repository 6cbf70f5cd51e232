"""The structures of a PE image and of the CLI header (PE/COFF specification; ECMA-335 II.25)."""

from __future__ import annotations

from construct import Bytes, Int8ul, Int16ul, Int32ul, Int64ul, Struct

from .schema import fixed_unpacker

COFF_HEADER = Struct(
    "machine" / Int16ul,
    "section_count" / Int16ul,
    "timestamp" / Int32ul,
    "symbol_table" / Int32ul,
    "symbol_count" / Int32ul,
    "optional_header_size" / Int16ul,
    "characteristics" / Int16ul,
)
"""The COFF file header (II.25.2.2)."""

_OPTIONAL_HEAD = (
    "magic" / Int16ul,
    "linker_major" / Int8ul,
    "linker_minor" / Int8ul,
    "code_size" / Int32ul,
    "initialized_size" / Int32ul,
    "uninitialized_size" / Int32ul,
    "entry_point" / Int32ul,
    "code_base" / Int32ul,
)
_OPTIONAL_MIDDLE = (
    "section_alignment" / Int32ul,
    "file_alignment" / Int32ul,
    "os_major" / Int16ul,
    "os_minor" / Int16ul,
    "image_major" / Int16ul,
    "image_minor" / Int16ul,
    "subsystem_major" / Int16ul,
    "subsystem_minor" / Int16ul,
    "win32_version" / Int32ul,
    "size_of_image" / Int32ul,
    "size_of_headers" / Int32ul,
    "checksum" / Int32ul,
    "subsystem" / Int16ul,
    "dll_characteristics" / Int16ul,
)

OPTIONAL_HEADER_32 = Struct(
    *_OPTIONAL_HEAD,
    "data_base" / Int32ul,
    "image_base" / Int32ul,
    *_OPTIONAL_MIDDLE,
    "stack_reserve" / Int32ul,
    "stack_commit" / Int32ul,
    "heap_reserve" / Int32ul,
    "heap_commit" / Int32ul,
    "loader_flags" / Int32ul,
    "directory_count" / Int32ul,
)
"""The optional header of a 32-bit image (PE32), up to the data directories (II.25.2.3)."""

OPTIONAL_HEADER_64 = Struct(
    *_OPTIONAL_HEAD,
    "image_base" / Int64ul,
    *_OPTIONAL_MIDDLE,
    "stack_reserve" / Int64ul,
    "stack_commit" / Int64ul,
    "heap_reserve" / Int64ul,
    "heap_commit" / Int64ul,
    "loader_flags" / Int32ul,
    "directory_count" / Int32ul,
)
"""The same of a 64-bit image (PE32+)."""

SECTION_HEADER = Struct(
    "name" / Bytes(8),
    "virtual_size" / Int32ul,
    "virtual_address" / Int32ul,
    "raw_size" / Int32ul,
    "raw_pointer" / Int32ul,
    "relocations" / Int32ul,
    "line_numbers" / Int32ul,
    "relocation_count" / Int16ul,
    "line_number_count" / Int16ul,
    "characteristics" / Int32ul,
)
"""A section header (II.25.3)."""

CLI_HEADER = Struct(
    "size" / Int32ul,
    "runtime_major" / Int16ul,
    "runtime_minor" / Int16ul,
    "metadata_rva" / Int32ul,
    "metadata_size" / Int32ul,
    "flags" / Int32ul,
    "entry_point" / Int32ul,
    "resources_rva" / Int32ul,
    "resources_size" / Int32ul,
    "strong_name_rva" / Int32ul,
    "strong_name_size" / Int32ul,
    "code_manager_rva" / Int32ul,
    "code_manager_size" / Int32ul,
    "vtable_fixups_rva" / Int32ul,
    "vtable_fixups_size" / Int32ul,
    "export_jumps_rva" / Int32ul,
    "export_jumps_size" / Int32ul,
    "managed_native_rva" / Int32ul,
    "managed_native_size" / Int32ul,
)
"""The CLI header (II.25.3.3)."""

DEBUG_DIRECTORY_ENTRY = Struct(
    "characteristics" / Int32ul,
    "stamp" / Int32ul,
    "major_version" / Int16ul,
    "minor_version" / Int16ul,
    "type" / Int32ul,
    "size" / Int32ul,
    "rva" / Int32ul,
    "pointer" / Int32ul,
)
"""An entry of the debug directory."""

COFF_FAST, COFF_FIELDS = fixed_unpacker(COFF_HEADER)
OPTIONAL_32_FAST, OPTIONAL_32_FIELDS = fixed_unpacker(OPTIONAL_HEADER_32)
OPTIONAL_64_FAST, OPTIONAL_64_FIELDS = fixed_unpacker(OPTIONAL_HEADER_64)
SECTION_FAST, SECTION_FIELDS = fixed_unpacker(SECTION_HEADER)
CLI_FAST, CLI_FIELDS = fixed_unpacker(CLI_HEADER)
DEBUG_ENTRY_FAST, DEBUG_ENTRY_FIELDS = fixed_unpacker(DEBUG_DIRECTORY_ENTRY)
