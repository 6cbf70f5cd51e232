"""``dump asm`` and ``dump meta``: the canonical dump of a PE image and of an edit-and-continue metadata delta."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from . import debug_directory
from .assembly import Assembly
from .debug_directory import DebugEntry
from .dump_metadata import MetadataDump, module_record
from .dump_records import Record, attempt, enc_records, guid_text, metadata_records, short, token_text
from .handles import TableNumber
from .root import MetadataImage

T = TableNumber

_NATIVE_ENTRY_POINT = 0x10
_MPDB_HEAD = 8


def assembly_records(assembly: Assembly) -> Iterator[Record]:
    """All records of an image in the order of the format."""
    yield _pe(assembly)
    for entry in assembly.debug_entries:
        yield _debug_entry(assembly, entry)
    if assembly.has_metadata:
        yield from MetadataDump(assembly.metadata).records()


def delta_records(image: MetadataImage) -> Iterator[Record]:
    """The records of an edit-and-continue metadata delta; its strings continue heaps that are not there."""
    yield from metadata_records(image)
    for row in image.table(T.MODULE):
        yield module_record(image, row, None)
    yield from enc_records(image)


def _pe(assembly: Assembly) -> Record:
    pe = assembly.pe
    cli = pe.cli
    entry: Any = None
    if cli is not None:
        entry = cli.entry_point if cli.flags & _NATIVE_ENTRY_POINT else token_text(cli.entry_point)
    return {
        "characteristics": pe.characteristics,
        "cor_flags": None if cli is None else cli.flags,
        "dll_characteristics": pe.dll_characteristics,
        "entry": entry,
        "k": "pe",
        "machine": pe.machine,
        "magic": pe.magic,
        "managed_native": None if cli is None else [cli.managed_native_rva, cli.managed_native_size],
        "metadata": None if cli is None else [cli.metadata_rva, cli.metadata_size],
        "sections": [[s.name, s.virtual_address, s.virtual_size, s.raw_pointer, s.raw_size] for s in pe.sections],
        "size": pe.source.size,
        "size_of_image": pe.size_of_image,
        "timestamp": pe.timestamp,
    }


def _debug_entry(assembly: Assembly, entry: DebugEntry) -> Record:
    return {
        "data": attempt(lambda: _debug_data(assembly, entry)),
        "i": entry.number,
        "k": "debugdir",
        "major": entry.major_version,
        "minor": entry.minor_version,
        "portable_codeview": int(entry.minor_version == debug_directory.PORTABLE_CODE_VIEW_MINOR),
        "ptr": entry.pointer,
        "rva": entry.rva,
        "size": entry.size,
        "stamp": entry.stamp,
        "type": entry.type,
    }


def _debug_data(assembly: Assembly, entry: DebugEntry) -> Any:
    if entry.type == debug_directory.CODE_VIEW:
        code_view = debug_directory.read_code_view(assembly.pe, entry)
        return {"age": code_view.age, "guid": guid_text(code_view.guid_bytes), "path": code_view.path}
    if entry.type == debug_directory.PDB_CHECKSUM:
        checksum = debug_directory.read_checksum(assembly.pe, entry)
        return {"algorithm": checksum.algorithm, "checksum": checksum.checksum.hex()}
    if entry.type == debug_directory.EMBEDDED_PORTABLE_PDB:
        data = debug_directory.inflate_embedded(debug_directory.entry_data(assembly.pe, entry)).whole()
        return {"compressed": entry.size - _MPDB_HEAD, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
    if not entry.size:
        return ""
    return short(debug_directory.entry_data(assembly.pe, entry).whole())
