"""Metadata in memory whose size is not known beforehand: read as much as its own headers say."""

from __future__ import annotations

from .errors import LimitError, MalformedError
from .source import Region, Source

_MAX_STREAMS = 64
_MAX_SIZE = 1 << 30


def metadata_region(source: Source, offset: int = 0) -> Region:
    """The metadata root at an offset of a memory reader, sized by its stream headers."""
    from .root_structs import METADATA_ROOT, METADATA_ROOT_TAIL, STREAM_HEADER

    root = METADATA_ROOT.parse(source.region(offset, METADATA_ROOT.size, "the metadata root").whole())
    if root.signature != b"BSJB":
        raise MalformedError("this memory holds no metadata: BSJB is missing", file=source.name, offset=offset)
    version_length = root.version_length
    if version_length > 4096:
        raise LimitError(f"the version string claims {version_length} bytes", file=source.name, offset=offset + 12)
    position = offset + METADATA_ROOT.size + version_length
    tail = source.region(position, METADATA_ROOT_TAIL.size, "the stream count").whole()
    count = METADATA_ROOT_TAIL.parse(tail).stream_count
    if count > _MAX_STREAMS:
        raise LimitError(f"the metadata claims {count} streams", file=source.name, offset=position)
    position += 4
    end = position
    for _ in range(count):
        header = STREAM_HEADER.parse(source.region(position, STREAM_HEADER.size, "a stream header").whole())
        end = max(end, offset + header.offset + header.size)
        position += STREAM_HEADER.size
        while b"\0" not in source.region(position, 4, "a stream name").whole():
            position += 4
            if position > offset + 65536:
                raise MalformedError("a stream name does not end", file=source.name, offset=position)
        position += 4
    end = max(end, position)
    if end - offset > _MAX_SIZE:
        raise LimitError(f"the metadata claims {end - offset} bytes", file=source.name, offset=offset)
    return source.region(offset, end - offset, "the metadata")
