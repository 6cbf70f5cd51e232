"""Metadata in memory whose size is not known beforehand: read as much as its own headers say."""

from __future__ import annotations

from .errors import LimitError, MalformedError
from .source import Region, Source

_MAX_STREAMS = 64
_MAX_SIZE = 1 << 30


def metadata_region(source: Source, offset: int = 0) -> Region:
    """The metadata root at an offset of a memory reader, sized by its stream headers."""
    head = source.region(offset, 16, "the metadata root").whole()
    if head[:4] != b"BSJB":
        raise MalformedError("this memory holds no metadata: BSJB is missing", file=source.name, offset=offset)
    version_length = int.from_bytes(head[12:16], "little")
    if version_length > 4096:
        raise LimitError(f"the version string claims {version_length} bytes", file=source.name, offset=offset + 12)
    position = offset + 16 + version_length
    count = int.from_bytes(source.region(position, 4, "the stream count").whole()[2:], "little")
    if count > _MAX_STREAMS:
        raise LimitError(f"the metadata claims {count} streams", file=source.name, offset=position)
    position += 4
    end = position
    for _ in range(count):
        header = source.region(position, 8, "a stream header").whole()
        end = max(end, offset + int.from_bytes(header[:4], "little") + int.from_bytes(header[4:], "little"))
        position += 8
        while b"\0" not in (part := source.region(position, 4, "a stream name").whole()):
            position += 4
            if position > offset + 65536:
                raise MalformedError("a stream name does not end", file=source.name, offset=position)
        del part
        position += 4
    end = max(end, position)
    if end - offset > _MAX_SIZE:
        raise LimitError(f"the metadata claims {end - offset} bytes", file=source.name, offset=offset)
    return source.region(offset, end - offset, "the metadata")
