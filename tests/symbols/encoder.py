"""The test side of the codecs: encodes what the reader decodes, written from the specification alone."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

HIDDEN = 0xFEEFEE


def compressed(value: int) -> bytes:
    """An unsigned compressed integer (ECMA-335 II.23.2)."""
    if value < 0x80:
        return bytes([value])
    if value < 0x4000:
        return (value | 0x8000).to_bytes(2, "big")
    assert value < 0x20000000
    return (value | 0xC0000000).to_bytes(4, "big")


def compressed_signed(value: int) -> bytes:
    """A signed compressed integer: in the least width that has room, rotated left by one within it."""
    for bits, width, prefix in ((7, 1, 0), (14, 2, 0x8000), (29, 4, 0xC0000000)):
        if -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raw = value & (1 << bits) - 1
            rotated = (raw << 1 | raw >> (bits - 1)) & (1 << bits) - 1
            return (rotated | prefix).to_bytes(width, "big")
    raise AssertionError(value)


Point = tuple[int, int, int, int, int, int, bool]


def points_blob(points: Sequence[Point], local_signature: int = 0, document_column: int = 0) -> bytes:
    """A sequence points blob (Portable PDB 1.0). ``document_column`` is what the row's Document column holds, 0 nil."""
    out = bytearray(compressed(local_signature))
    document = document_column
    if not document:
        document = points[0][5]
        out += compressed(document)
    previous: Point | None = None
    visible: Point | None = None
    for point in points:
        offset, line, column, end_line, end_column, row, hidden = point
        if previous is not None and row != document:
            out += b"\0" + compressed(row)
            document = row
        out += compressed(offset if previous is None else offset - previous[0])
        previous = point
        if hidden:
            out += b"\0\0"
            continue
        out += compressed(end_line - line)
        delta = end_column - column
        out += compressed(delta) if end_line == line else compressed_signed(delta)
        if visible is None:
            out += compressed(line) + compressed(column)
        else:
            out += compressed_signed(line - visible[1]) + compressed_signed(column - visible[2])
        visible = point
    return bytes(out)


def encoded(point: Sequence[Any]) -> Point:
    """A decoded point as it was encoded: with the row id of its document."""
    return (*point[:5], index(point[5]), point[6])  # type: ignore[return-value]


def hidden(offset: int, document: int = 1) -> Point:
    """A hidden point."""
    return (offset, HIDDEN, 0, HIDDEN, 0, document, True)


def visible(  # noqa: PLR0917
    offset: int, line: int, column: int, end_line: int, end_column: int, document: int = 1
) -> Point:
    """A visible point."""
    return (offset, line, column, end_line, end_column, document, False)


class Heaps:
    """Collects what goes into the heaps of a synthetic image; each ``add`` gives the offset or index."""

    def __init__(self) -> None:
        self.strings = bytearray(b"\0")
        self.blobs = bytearray(b"\0")
        self.guids = bytearray()

    def string(self, text: str | bytes) -> int:
        at = len(self.strings)
        self.strings += (text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")) + b"\0"
        return at

    def blob(self, data: bytes) -> int:
        at = len(self.blobs)
        self.blobs += compressed(len(data)) + data
        return at

    def guid(self, raw: bytes) -> int:
        self.guids += raw
        return len(self.guids) // 16

    def name(self, path: str, separator: str = "/") -> int:
        """A document name blob."""
        parts = path.split(separator) if separator else [path]
        indices = b"".join(compressed(self.blob(part.encode()) if part else 0) for part in parts)
        return self.blob((separator.encode() or b"\0") + indices)


def metadata(streams: Iterable[tuple[str, bytes]], version: str = "PDB v1.0") -> bytes:
    """A metadata root with its streams, in the order given (ECMA-335 II.24.2.1)."""
    text = version.encode() + b"\0"
    text += bytes(-len(text) % 4)
    named = [(name.encode() + b"\0", data + bytes(-len(data) % 4)) for name, data in streams]
    named = [(name + bytes(-len(name) % 4), data) for name, data in named]
    head = struct.pack("<IHHII", 0x424A5342, 1, 1, 0, len(text)) + text + struct.pack("<HH", 0, len(named))
    offset = len(head) + sum(8 + len(name) for name, _ in named)
    body = b""
    for name, data in named:
        head += struct.pack("<II", offset, len(data)) + name
        offset += len(data)
        body += data
    return head + body


def table_stream(
    tables: dict[int, Sequence[Any]], sizes: Any, sorted_tables: int = 0x16003301FA00 | 0xFF << 48
) -> bytes:
    """The #~ stream of rows (NamedTuples of the reader), built by the construct declarations."""
    from portablepdb.schema import declared_struct

    flags = (sizes.string == 4) | (sizes.guid == 4) << 1 | (sizes.blob == 4) << 2
    valid = sum(1 << number for number, rows in tables.items() if rows)
    out = struct.pack("<IBBBBQQ", 0, 2, 0, flags, 1, valid, sorted_tables)
    present = sorted(number for number, rows in tables.items() if rows)
    for number in present:
        out += struct.pack("<I", len(tables[number]))
    for number in present:
        declaration = declared_struct(type(tables[number][0]))
        for row in tables[number]:
            out += declaration.build(row._asdict(), sizes=sizes)
    return out


def pdb(
    tables: dict[int, Sequence[Any]],
    heaps: Heaps,
    *,
    referenced: dict[int, int] | None = None,
    entry_point: int = 0,
    wide_heaps: bool = False,
    order: Sequence[str] = ("#Pdb", "#~", "#Strings", "#US", "#GUID", "#Blob"),
    delta: bool = False,
    pdb_id: bytes = bytes(range(20)),
) -> bytes:
    """A standalone Portable PDB with the streams in ``order``; ``delta`` adds the empty #JTD and names #~ ``#-``."""
    from portablepdb.schema import IndexSizes

    referenced = referenced or {6: len(tables.get(0x31, ()))}
    counts = [0] * 64
    for number, count in referenced.items():
        counts[number] = count
    for number, rows in tables.items():
        counts[number] = len(rows)
    width = 4 if wide_heaps or delta else 2
    sizes = IndexSizes(width, width, width, tuple(counts), delta)
    mask = sum(1 << number for number, count in referenced.items() if count)
    head = pdb_id + struct.pack("<IQ", entry_point, mask)
    head += b"".join(struct.pack("<I", referenced[number]) for number in sorted(referenced) if referenced[number])
    content = {
        "#Pdb": head,
        "#~": table_stream(tables, sizes),
        "#Strings": bytes(heaps.strings),
        "#US": b"\0",
        "#GUID": bytes(heaps.guids),
        "#Blob": bytes(heaps.blobs),
    }
    streams = [("#-" if delta and name == "#~" else name, content[name]) for name in order]
    if delta:
        streams.append(("#JTD", b""))
    return metadata(streams)
