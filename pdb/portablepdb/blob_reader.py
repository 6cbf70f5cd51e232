"""Reading a blob value by value: compressed integers (ECMA-335 II.23.2), tokens, strings."""

from __future__ import annotations

from .errors import MalformedError, PortablePdbError, TruncatedError

_TYPE_DEF_OR_REF = (0x02000000, 0x01000000, 0x1B000000)


class BlobReader:
    """A cursor over the bytes of one blob. ``origin`` is the file offset of its first byte, for error messages."""

    __slots__ = ("data", "file", "origin", "position")

    def __init__(self, data: bytes, origin: int = 0, file: str = "<blob>") -> None:
        self.data = data
        self.position = 0
        self.origin = origin
        self.file = file

    @property
    def remaining(self) -> int:
        """Bytes not yet read."""
        return len(self.data) - self.position

    def error(self, kind: type[PortablePdbError], rule: str) -> PortablePdbError:
        """An error about the current position."""
        return kind(rule, file=self.file, offset=self.origin + self.position)

    def malformed(self, rule: str) -> PortablePdbError:
        """A MalformedError about the current position."""
        return self.error(MalformedError, rule)

    def take(self, size: int, what: str = "a value") -> bytes:
        """The next ``size`` bytes."""
        begin = self.position
        end = begin + size
        if size < 0 or end > len(self.data):
            raise self.error(TruncatedError, f"{what} needs {size} bytes, the blob has {self.remaining} left")
        self.position = end
        return self.data[begin:end]

    def rest(self) -> bytes:
        """All bytes left."""
        begin = self.position
        self.position = len(self.data)
        return self.data[begin:]

    def byte(self, what: str = "a value") -> int:
        """One byte."""
        position = self.position
        if position >= len(self.data):
            raise self.error(TruncatedError, f"the blob ends before {what}")
        self.position = position + 1
        return self.data[position]

    def peek(self) -> int:
        """The next byte, not consumed; -1 at the end."""
        return self.data[self.position] if self.position < len(self.data) else -1

    def integer(self, size: int, signed: bool = False) -> int:
        """A little-endian integer of ``size`` bytes."""
        return int.from_bytes(self.take(size), "little", signed=signed)

    def compressed(self, what: str = "a compressed integer") -> int:
        """An unsigned compressed integer (II.23.2)."""
        position = self.position
        if position < len(self.data) and self.data[position] < 0x80:  # nearly all of them
            self.position = position + 1
            return self.data[position]
        value, _ = self._compressed(what)
        return value

    def compressed_signed(self, what: str = "a compressed integer") -> int:
        """A signed compressed integer (II.23.2): rotated by one, the lowest bit is the sign."""
        value, bits = self._compressed(what)
        return (value >> 1) - (1 << (bits - 1)) if value & 1 else value >> 1

    def type_def_or_ref(self) -> int:
        """A TypeDefOrRefOrSpecEncoded token (II.23.2.8)."""
        value = self.compressed("a type token")
        if value & 3 == 3:
            raise self.malformed(f"0x{value:x} is not a TypeDefOrRefOrSpec (II.23.2.8)")
        return _TYPE_DEF_OR_REF[value & 3] | value >> 2

    def _compressed(self, what: str) -> tuple[int, int]:
        data, position = self.data, self.position
        if position >= len(data):
            raise self.error(TruncatedError, f"the blob ends before {what}")
        first = data[position]
        if first < 0x80:
            self.position = position + 1
            return first, 7
        if first < 0xC0:
            if position + 2 > len(data):
                raise self.error(TruncatedError, f"the blob ends inside {what}")
            self.position = position + 2
            return (first & 0x3F) << 8 | data[position + 1], 14
        if first >= 0xE0:
            raise self.malformed(f"0x{first:02x} does not begin a compressed integer (II.23.2)")
        if position + 4 > len(data):
            raise self.error(TruncatedError, f"the blob ends inside {what}")
        self.position = position + 4
        return (
            (first & 0x1F) << 24 | data[position + 1] << 16 | data[position + 2] << 8 | data[position + 3],
            29,
        )
