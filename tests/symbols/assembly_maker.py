"""Makes small assemblies row by row: metadata alone, or in a PE image with bodies and a debug directory."""

from __future__ import annotations

import struct
import zlib
from typing import Any

from portablepdb import Assembly
from portablepdb.metadata import Metadata
from portablepdb.root import MetadataImage
from portablepdb.schema import IndexSizes
from portablepdb.source import Region
from portablepdb.tables_ecma import (
    AssemblyRefRow,
    AssemblyRow,
    CustomAttributeRow,
    FieldRow,
    GenericParamRow,
    MemberRefRow,
    MethodDefRow,
    ModuleRow,
    NestedClassRow,
    ParamRow,
    TypeDefRow,
    TypeRefRow,
    TypeSpecRow,
)

from . import encoder
from .encoder import Heaps, compressed

PE32_PLUS_HEADER = 112
BASE = 0x2000
ALIGNMENT = 0x200


class AssemblyMaker:
    """Collects the tables of an assembly. Types, then their members, in order."""

    def __init__(self, name: str = "Sample") -> None:
        self.heaps = Heaps()
        self.user_strings = bytearray(b"\0")
        self.tables: dict[int, list[Any]] = {}
        self.body = bytearray()
        self.debug_entries: list[tuple[int, int, int, int, bytes]] = []
        self.entry_point = 0
        string = self.heaps.string
        self.add(0x00, ModuleRow(0, string(name + ".dll"), self.heaps.guid(bytes(range(16))), 0, 0))
        self.add(0x20, AssemblyRow(0x8004, 1, 2, 3, 4, 0, 0, string(name), 0))
        self.type("<Module>", "")

    def add(self, number: int, row: Any) -> int:
        self.tables.setdefault(number, []).append(row)
        return len(self.tables[number])

    def count(self, number: int) -> int:
        return len(self.tables.get(number, ()))

    def type(self, name: str, namespace: str = "N", *, base: int = 0x02000000, flags: int = 1, outer: int = 0) -> int:
        """A TypeDef token; what is added next are its members."""
        string = self.heaps.string
        row = TypeDefRow(
            flags,
            string(name),
            string(namespace) if namespace else 0,
            base,
            self.count(0x04) + 1,
            self.count(0x06) + 1,
        )
        row_id = self.add(0x02, row)
        if outer:
            self.add(0x29, NestedClassRow(row_id, outer & 0xFFFFFF))
        return 0x02000000 | row_id

    def field(self, name: str, signature: bytes, flags: int = 6) -> int:
        row = FieldRow(flags, self.heaps.string(name), self.heaps.blob(b"\x06" + signature))
        return 0x04000000 | self.add(0x04, row)

    def method(
        self, name: str, signature: bytes, parameters: tuple[str, ...] = (), *, flags: int = 6, il: bytes | None = None
    ) -> int:
        """A MethodDef token; with ``il`` a body with a tiny header or a fat one."""
        rva = 0
        if il is not None:
            self.body += bytes(-len(self.body) % 4)
            rva = BASE + 72 + len(self.body)
            if len(il) < 64:
                self.body += bytes([len(il) << 2 | 2]) + il
            else:
                self.body += struct.pack("<HHII", 0x3003, 8, len(il), 0) + il
        row = MethodDefRow(rva, 0, flags, self.heaps.string(name), self.heaps.blob(signature), self.count(0x08) + 1)
        row_id = self.add(0x06, row)
        for sequence, parameter in enumerate(parameters, 1):
            self.add(0x08, ParamRow(0, sequence, self.heaps.string(parameter)))
        return 0x06000000 | row_id

    def assembly_ref(self, name: str) -> int:
        return 0x23000000 | self.add(0x23, AssemblyRefRow(4, 0, 0, 0, 0, 0, self.heaps.string(name), 0, 0))

    def type_ref(self, name: str, namespace: str, scope: int) -> int:
        string = self.heaps.string
        return 0x01000000 | self.add(0x01, TypeRefRow(scope, string(name), string(namespace) if namespace else 0))

    def type_spec(self, signature: bytes) -> int:
        return 0x1B000000 | self.add(0x1B, TypeSpecRow(self.heaps.blob(signature)))

    def member_ref(self, parent: int, name: str, signature: bytes) -> int:
        return 0x0A000000 | self.add(0x0A, MemberRefRow(parent, self.heaps.string(name), self.heaps.blob(signature)))

    def generic_parameter(self, owner: int, number: int, name: str) -> int:
        return 0x2A000000 | self.add(0x2A, GenericParamRow(number, 0, owner, self.heaps.string(name)))

    def attribute(self, parent: int, constructor: int, value: bytes) -> int:
        return 0x0C000000 | self.add(0x0C, CustomAttributeRow(parent, constructor, self.heaps.blob(value)))

    def user_string(self, text: str) -> int:
        """The token of a ldstr operand."""
        at = len(self.user_strings)
        raw = text.encode("utf-16-le", "surrogatepass") + b"\0"
        self.user_strings += compressed(len(raw)) + raw
        return 0x70000000 | at

    def metadata_bytes(self) -> bytes:
        counts = tuple(len(self.tables.get(number, ())) for number in range(64))
        wide = [4 if size >= 0x10000 else 2 for size in (len(self.heaps.strings), 0, len(self.heaps.blobs))]
        stream = encoder.table_stream(self.tables, IndexSizes(wide[0], wide[1], wide[2], counts, False))
        content = [
            ("#~", stream),
            ("#Strings", bytes(self.heaps.strings)),
            ("#US", bytes(self.user_strings)),
            ("#GUID", bytes(self.heaps.guids)),
            ("#Blob", bytes(self.heaps.blobs)),
        ]
        return encoder.metadata(content, "v4.0.30319")

    def metadata(self) -> Metadata:
        """The metadata alone, opened."""
        data = self.metadata_bytes()
        return Metadata(MetadataImage(Region(data, 0, len(data), 0, "made.dll")))

    def code_view(self, pdb_id: bytes, path: str) -> None:
        """A CodeView entry for a Portable PDB."""
        stamp = int.from_bytes(pdb_id[16:], "little")
        self.debug_entries.append(
            (2, stamp, 0x100, 0x504D, b"RSDS" + pdb_id[:16] + b"\1\0\0\0" + path.encode() + b"\0")
        )

    def embed(self, pdb: bytes) -> None:
        """An EmbeddedPortablePdb entry."""
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(pdb) + packer.flush()
        self.debug_entries.append((17, 0, 0x100, 0x100, b"MPDB" + len(pdb).to_bytes(4, "little") + packed))

    def image(self) -> bytes:
        """A PE32+ image with one section."""
        return pe_image(self.metadata_bytes(), bytes(self.body), self.debug_entries, self.entry_point)

    def open(self) -> Assembly:
        return Assembly.open(self.image(), name="made.dll")


def pe_image(
    metadata: bytes,
    body: bytes = b"",
    debug_entries: list[tuple[int, int, int, int, bytes]] | None = None,
    entry_point: int = 0,
    flags: int = 1,
) -> bytes:
    """A PE32+ image whose only section holds the CLI header, the bodies, the metadata and the debug directory.

    ``debug_entries`` are (type, stamp, major version, minor version, data).
    """
    entries = debug_entries or []
    metadata_at = 72 + len(body) + -(72 + len(body)) % 4
    directory_at = metadata_at + len(metadata) + -len(metadata) % 4
    data_at = directory_at + 28 * len(entries)
    cli = struct.pack("<IHHIIII", 72, 2, 5, BASE + metadata_at, len(metadata), flags, entry_point) + bytes(48)
    content = bytearray(cli + body)
    content += bytes(metadata_at - len(content)) + metadata
    content += bytes(directory_at - len(content))
    raw = ALIGNMENT
    tail = b""
    for kind, stamp, major, minor, data in entries:
        at = data_at + len(tail)
        content += struct.pack("<IIHHIIII", 0, stamp, major, minor, kind, len(data), BASE + at, raw + at)
        tail += data
    content += tail
    size = len(content)
    content += bytes(-size % ALIGNMENT)
    directories = bytearray(16 * 8)
    struct.pack_into("<II", directories, 14 * 8, BASE, 72)
    if entries:
        struct.pack_into("<II", directories, 6 * 8, BASE + directory_at, 28 * len(entries))
    optional = struct.pack("<HBBIIIII", 0x20B, 48, 0, len(content), 0, 0, 0, BASE)
    optional += struct.pack(
        "<QIIHHHHHHIIIIHH", 0x400000, 0x2000, ALIGNMENT, 4, 0, 0, 0, 4, 0, 0, BASE + size, raw, 0, 3, 0
    )
    optional += struct.pack("<QQQQII", 0x100000, 0x1000, 0x100000, 0x1000, 0, 16)
    assert len(optional) == PE32_PLUS_HEADER
    head = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0"
    head += struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, len(optional) + len(directories), 0x2022)
    head += optional + directories
    head += struct.pack("<8sIIIIIIHHI", b".text", size, BASE, len(content), raw, 0, 0, 0, 0, 0x60000020)
    return head + bytes(raw - len(head)) + bytes(content)
