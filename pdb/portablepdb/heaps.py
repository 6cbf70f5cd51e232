"""The #Strings, #Blob, #GUID and #US heaps (ECMA-335 II.24.2.3 to II.24.2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .errors import MalformedError, NoSuchEntryError, TruncatedError
from .limits import OVERHEAD, Budget
from .source import Region

if TYPE_CHECKING:
    from uuid import UUID


class StringHeap:
    """#Strings: UTF-8, each string ends with a zero byte."""

    __slots__ = ("_budget", "_cache", "_errors", "region")

    def __init__(self, region: Region, text_errors: str, budget: Budget) -> None:
        self.region = region
        self._errors = text_errors
        self._budget = budget
        self._cache: dict[int, str] = {}

    def __getitem__(self, offset: int) -> str:
        """The string at a heap offset; "" at 0. It is kept.

        Raises NoSuchEntryError, TruncatedError, MalformedError (not UTF-8), LimitError (the budget "text").
        """
        text = self._cache.get(offset)
        if text is None:
            text = self._decode(offset)
            budget = self._budget
            budget.left -= text.__sizeof__() + OVERHEAD
            if budget.left < 0:
                raise budget.spent()
            self._cache[offset] = text
        return text

    def raw(self, offset: int) -> bytes:
        """The bytes of the string at a heap offset, without the zero."""
        region = self.region
        if not 0 <= offset < region.size:
            if offset == 0:
                return b""
            raise region.error(
                NoSuchEntryError, f"string offset {offset} is outside the #Strings heap of {region.size} bytes"
            )
        begin = region.start + offset
        end = region.data.find(b"\0", begin, region.end)
        if end < 0:
            raise region.error(TruncatedError, "a string of the #Strings heap has no terminating zero", offset)
        return region.data[begin:end]

    def _decode(self, offset: int) -> str:
        try:
            return self.raw(offset).decode("utf-8", self._errors)
        except UnicodeDecodeError as error:
            raise self.region.error(
                MalformedError, f"a string of the #Strings heap is not UTF-8: {error.reason}", offset + error.start
            ) from None


class BlobHeap:
    """#Blob: each entry has its length before it, as a compressed integer."""

    __slots__ = ("_budget", "region")

    def __init__(self, region: Region) -> None:
        self.region = region
        self._budget: Budget | None = None

    @contextmanager
    def metered(self, budget: Budget) -> Iterator[None]:
        """While it lasts, blobs of 128 bytes and more are paid for: for queries that may read one many times."""
        before, self._budget = self._budget, budget
        try:
            yield
        finally:
            self._budget = before

    def __getitem__(self, offset: int) -> bytes:
        """The blob at a heap offset; b"" at 0. Raises NoSuchEntryError, TruncatedError, MalformedError."""
        region = self.region
        if offset == 0:
            return b""
        if not 0 < offset < region.size:
            raise region.error(
                NoSuchEntryError, f"blob offset {offset} is outside the {self._name()} heap of {region.size} bytes"
            )
        data = region.data
        begin = region.start + offset
        size = data[begin]
        if size < 0x80:
            begin += 1
        else:
            size, begin = self._long(begin, size)
        end = begin + size
        if end > region.end:
            raise region.error(
                TruncatedError,
                f"a blob of {size} bytes ends past the {self._name()} heap of {region.size} bytes",
                offset,
            )
        if size >= 0x80 and self._budget is not None:
            self._budget.spend(size)
        return data[begin:end]

    def pay(self, size: int) -> None:
        """Pay for bytes that came of a blob, by inflating it, if it is metered."""
        if self._budget is not None:
            self._budget.spend(size)

    def head(self, offset: int, size: int) -> bytes:
        """As the item at the offset, but only up to ``size`` bytes of it."""
        region = self.region
        if not 0 < offset < region.size:
            return self[offset]
        begin = region.start + offset
        whole = region.data[begin]
        begin += 1
        if whole >= 0x80:
            whole, begin = self._long(begin - 1, whole)
        if begin + whole > region.end:
            return self[offset]  # raises
        return region.data[begin : begin + min(whole, size)]

    def file_offset(self, offset: int) -> int:
        """Where in the file the content of the blob begins."""
        first = self.region.data[self.region.start + offset] if 0 < offset < self.region.size else 0
        return self.region.origin + offset + (1 if first < 0x80 else 2 if first < 0xC0 else 4)

    def _name(self) -> str:
        return "#Blob"

    def _long(self, begin: int, first: int) -> tuple[int, int]:
        region = self.region
        width = 2 if first < 0xC0 else 4
        if first >= 0xE0:
            raise region.error(
                MalformedError, f"0x{first:02x} does not begin a compressed length (II.24.2.4)", begin - region.start
            )
        if begin + width > region.end:
            raise region.error(TruncatedError, "a blob's length ends past the heap", begin - region.start)
        raw = region.data[begin : begin + width]
        if width == 2:
            return (first & 0x3F) << 8 | raw[1], begin + 2
        return (first & 0x1F) << 24 | raw[1] << 16 | raw[2] << 8 | raw[3], begin + 4


class UserStringHeap(BlobHeap):
    """#US: UTF-16LE strings, each followed by one byte of flags."""

    __slots__ = ()

    def _name(self) -> str:
        return "#US"

    def raw(self, offset: int) -> bytes:
        """The UTF-16LE bytes of the string at a heap offset."""
        data = self[offset]
        return data[: len(data) & ~1]

    def text(self, offset: int) -> str:
        """The string at a heap offset, lone surrogates kept."""
        return self.raw(offset).decode("utf-16-le", "surrogatepass")

    def offsets(self) -> Iterator[int]:
        """The offsets of all strings in heap order; zero bytes of padding are passed over."""
        region = self.region
        offset = 1
        while offset < region.size:
            if region.data[region.start + offset] == 0:
                offset += 1
                continue
            yield offset
            size = len(self[offset])
            offset += size + (1 if size < 0x80 else 2 if size < 0x4000 else 4)


class GuidHeap:
    """#GUID: sixteen bytes each, indexed from 1."""

    __slots__ = ("region",)

    def __init__(self, region: Region) -> None:
        self.region = region

    def raw(self, index: int) -> bytes:
        """The sixteen bytes of a GUID as stored; index 0 is not one. Raises NoSuchEntryError."""
        region = self.region
        if index <= 0 or index * 16 > region.size:
            raise region.error(
                NoSuchEntryError, f"GUID {index} is outside the #GUID heap of {region.size // 16} entries"
            )
        begin = region.start + (index - 1) * 16
        return region.data[begin : begin + 16]

    def __getitem__(self, index: int) -> UUID | None:
        """The GUID of a 1-based index; None for 0 (a stored GUID of zeroes is a UUID)."""
        if index == 0:
            return None
        from uuid import UUID

        return UUID(bytes_le=self.raw(index))
