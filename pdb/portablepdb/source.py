"""Where bytes come from: a file (memory-mapped), bytes, or a reader of another process's memory."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from typing import Protocol, Union

from .errors import PortablePdbError, TruncatedError, UnreadableError

ReadCallable = Callable[[int, int], bytes]
"""``read(offset, size) -> bytes``: up to ``size`` bytes at ``offset``; fewer (or none) where there are no more."""


class BinaryStream(Protocol):
    """An object with the ``read`` of a file opened in binary mode."""

    def read(self, size: int = ..., /) -> bytes:
        """Up to ``size`` bytes; all that are left by default."""
        ...


SourceLike = Union[str, "os.PathLike[str]", bytes, bytearray, memoryview, mmap.mmap, BinaryStream, ReadCallable]

Buffer = bytes | mmap.mmap

# Below this size one read() is quicker than a map, and a file that a compiler rewrites in place cannot
# take the bytes away from under us (which, with a map, ends the process by SIGBUS).
_MAP_FROM_BYTES = 256 * 1024
_SMALL_FILE = 64 * 1024
# O_NONBLOCK, so that a named pipe cannot make us wait.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)


class Region:
    """A span of the source with its place in the file.

    ``data[start:end]`` are the bytes (``data`` may hold more); ``origin`` is the file offset of the first one,
    for error messages. ``data`` indexes to int and slices to bytes, be it bytes or an mmap.
    """

    __slots__ = ("data", "end", "file", "origin", "size", "start")

    def __init__(self, data: Buffer, start: int, size: int, origin: int, file: str) -> None:
        self.data = data
        self.start = start
        self.size = size
        self.end = start + size
        self.origin = origin
        self.file = file

    def bytes_at(self, offset: int, size: int, what: str) -> bytes:
        """``size`` bytes at ``offset`` of the region; TruncatedError when they are not all there."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise TruncatedError(
                f"{what}: {size} bytes are needed, {max(self.size - offset, 0)} are left",
                file=self.file,
                offset=self.origin + offset,
            )
        begin = self.start + offset
        return self.data[begin : begin + size]

    def part(self, offset: int, size: int, what: str) -> Region:
        """A sub-region, without a copy; TruncatedError when it does not fit."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise TruncatedError(
                f"{what} (offset {offset}, {size} bytes) ends past its container of {self.size} bytes",
                file=self.file,
                offset=self.origin + min(max(offset, 0), self.size),
            )
        return Region(self.data, self.start + offset, size, self.origin + offset, self.file)

    def whole(self) -> bytes:
        """All bytes of the region, copied unless the region is a whole bytes object."""
        return self.data[self.start : self.end]

    def error(self, kind: type[PortablePdbError], rule: str, offset: int = 0) -> PortablePdbError:
        """An error of ``kind`` about the byte at ``offset`` of this region."""
        return kind(rule, file=self.file, offset=self.origin + offset)


class Source:
    """An opened source. ``size`` is None for a memory reader, whose end is not known. Close it when done."""

    __slots__ = ("_data", "_map", "_read", "name", "size")

    def __init__(self, name: str, data: Buffer | None, read: ReadCallable | None) -> None:
        self.name = name
        self._data = data
        self._map = data if isinstance(data, mmap.mmap) else None
        self._read = read
        self.size = None if data is None else len(data)

    @classmethod
    def open(cls, source: SourceLike, name: str | None = None) -> Source:
        """Open a path, bytes, a memory map, a binary stream or a callable that reads memory.

        A large file is mapped. A bytearray or memoryview is copied, a stream read to its end; a map and a stream stay
        the caller's to close. Raises UnreadableError when the file cannot be opened, TypeError for anything else.
        """
        if isinstance(source, str) or hasattr(source, "__fspath__"):  # os.PathLike itself is slow to ask
            path = os.fspath(source)  # type: ignore[arg-type]
            return cls(name or str(path), _load(path), None)
        if isinstance(source, (bytes, bytearray, memoryview)):
            return cls(name or "<bytes>", bytes(source), None)
        if isinstance(source, mmap.mmap):
            opened = cls(name or "<map>", source, None)
            opened._map = None  # the caller closes it
            return opened
        if hasattr(source, "read"):
            data = source.read()
            if not isinstance(data, bytes):
                raise TypeError(f"the stream gives {type(data).__name__}, not bytes: open it in binary mode")
            return cls(name or str(getattr(source, "name", "<stream>")), data, None)
        if callable(source):
            return cls(name or "<memory>", None, source)
        raise TypeError(
            "a path, bytes, a memory map, a binary stream or a function read(offset, size) is wanted,"
            f" not {type(source).__name__}"
        )

    def region(self, offset: int, size: int, what: str) -> Region:
        """The bytes ``offset .. offset + size``; read now from a memory reader, a view otherwise."""
        if self._data is not None:
            total = len(self._data)
            if offset < 0 or size < 0 or offset + size > total:
                raise TruncatedError(
                    f"{what} (offset {offset}, {size} bytes) ends past the end of the file ({total} bytes)",
                    file=self.name,
                    offset=min(max(offset, 0), total),
                )
            return Region(self._data, offset, size, offset, self.name)
        return Region(self._fetch(offset, size, what), 0, size, offset, self.name)

    def rest(self) -> Region:
        """The whole source. Not for memory readers, which have no end."""
        if self._data is None:
            raise UnreadableError("the size of this memory is not known", file=self.name)
        return Region(self._data, 0, len(self._data), 0, self.name)

    def close(self) -> None:
        """Give back the map. Reading afterwards is a ValueError, as with a closed file."""
        if self._map is not None:
            try:
                self._map.close()
            except BufferError:  # a caller still holds a memoryview of it; the map goes with that
                pass

    def _fetch(self, offset: int, size: int, what: str) -> bytes:
        assert self._read is not None
        chunks: list[bytes] = []
        got = 0
        # Asking piece by piece keeps an absurd size from a damaged header from allocating anything.
        while got < size:
            try:
                chunk = bytes(self._read(offset + got, min(size - got, 1 << 20)))
            except PortablePdbError:
                raise
            except Exception as error:
                raise UnreadableError(
                    f"{what}: the memory reader failed: {error}", file=self.name, offset=offset + got
                ) from error
            if not chunk:
                raise TruncatedError(
                    f"{what}: {size} bytes are needed, the memory reader gave {got}",
                    file=self.name,
                    offset=offset + got,
                )
            chunks.append(chunk)
            got += len(chunk)
        return b"".join(chunks)[:size]


def _load(path: str) -> Buffer:
    try:
        descriptor = os.open(path, _OPEN_FLAGS)
        try:
            data = os.read(descriptor, _SMALL_FILE)
            if len(data) < _SMALL_FILE:  # nearly all PDBs: their size is found by reading them
                return data
            size = os.fstat(descriptor).st_size
            if size >= _MAP_FROM_BYTES:
                return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
            while len(data) < size:
                more = os.read(descriptor, size - len(data))
                if not more:
                    break
                data += more
            return data
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableError(f"cannot be read: {reason}", file=str(path)) from error
