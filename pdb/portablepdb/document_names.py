"""The names of documents (Portable PDB 1.0, "Document Name Blob"), decoded when asked for, and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .compressed import BlobError, wide
from .errors import LimitError, MalformedError
from .handles import TableNumber
from .limits import OVERHEAD

if TYPE_CHECKING:
    from .root import MetadataImage

_LONGEST_NAME = 1 << 16  # in characters; each part may be named many times, so that a small blob makes a long name
_SEPARATORS = b"/\\"


class DocumentNames:
    """The names of one PDB's documents."""

    __slots__ = ("_by_offset", "_names", "image")

    def __init__(self, image: MetadataImage) -> None:
        self.image = image
        self._names: dict[int, str] = {}
        self._by_offset: dict[int, str] = {}

    def of_row(self, row_id: int) -> str:
        """The name of a document; "" if nil."""
        name = self._names.get(row_id)
        if name is None:
            image = self.image
            offset = image.table(TableNumber.DOCUMENT).value(row_id, "name")
            name = self._by_offset.get(offset)
            if name is None:
                name = self._decode(offset)
                budget = image.text_budget
                budget.left -= name.__sizeof__() + OVERHEAD
                if budget.left < 0:
                    raise budget.spent()
                self._by_offset[offset] = name
            self._names[row_id] = name
        return name

    def last_part(self, offset: int) -> bytes | None:
        """What a name has after its last separator; None where that takes decoding the name."""
        blobs = self.image.blobs
        blob = blobs[offset]
        if len(blob) < 3 or blob[0] not in _SEPARATORS:
            return None
        part = blob[-1]
        if not blob.isascii():  # some parts are named by more than one byte, maybe the last
            position = at = 1
            while position < len(blob):
                at = position
                first = blob[at]
                position += 1 if first < 0x80 else 2 if first < 0xC0 else 4
            if position > len(blob) or blob[at] >= 0xE0:
                return None
            part = wide(blob, at)[0]
        region = blobs.region
        begin = region.start + part + 1
        size = region.data[begin - 1] if begin <= region.end else 0
        if not part or not 0 < size < 0x80 or begin + size > region.end:
            return None
        last = region.data[begin : begin + size]
        return None if b"/" in last or b"\\" in last else last

    def _decode(self, offset: int) -> str:
        blobs = self.image.blobs
        blob = blobs[offset]
        if not blob:
            return ""
        if blob[0] >= 0x80:
            raise self._error(f"the separator of a document name is 0x{blob[0]:02x}, not ASCII", offset)
        try:
            raw = self._joined(blob)
            if raw is not None:
                return raw.decode()
        except UnicodeDecodeError:
            pass
        except IndexError:
            raise self._error("a document name ends inside a part", offset) from None
        return self._decode_parts(blob, offset)

    def _joined(self, blob: bytes) -> bytes | None:
        """The bytes of a name, its parts joined; None where a part is long, empty or damaged. Raises IndexError."""
        region = self.image.blobs.region
        data, first, end = region.data, region.start, region.end
        parts = []
        position, size, length = 1, len(blob), 0
        while position < size:
            part = blob[position]
            position += 1
            if part >= 0x80:
                if part < 0xC0:
                    part = (part & 0x3F) << 8 | blob[position]
                    position += 1
                else:
                    part = (part & 0x1F) << 24 | blob[position] << 16 | blob[position + 1] << 8 | blob[position + 2]
                    position += 3
            begin = first + part + 1
            if begin > end:
                return None
            count = data[begin - 1]
            if count >= 0x80 or begin + count > end or not part:
                if part or count:
                    return None
                count = 0
            parts.append(data[begin : begin + count])
            length += count + 1
            if length > _LONGEST_NAME:
                return None
        return (blob[:1] if blob[0] else b"").join(parts)

    def _decode_parts(self, blob: bytes, offset: int) -> str:
        """A name part by part: what is wrong is found where it is."""
        blobs = self.image.blobs
        parts = []
        position, size, length = 1, len(blob), 0
        try:
            while position < size:
                part, position, _ = wide(blob, position)
                text = self._part(part)
                parts.append(text)
                length += len(text) + 1
                if length > _LONGEST_NAME:
                    rule = f"a document name is longer than {_LONGEST_NAME} characters"
                    raise LimitError(rule, file=self.image.file, offset=blobs.file_offset(offset))
        except IndexError:
            raise self._error("a document name ends inside a part", offset) from None
        except BlobError as error:
            raise error.located(self.image.file, blobs.file_offset(offset)) from None
        return (chr(blob[0]) if blob[0] else "").join(parts)

    def _part(self, offset: int) -> str:
        blobs = self.image.blobs
        try:
            return blobs[offset].decode("utf-8", self.image.text_errors)
        except UnicodeDecodeError as error:
            raise MalformedError(
                f"a part of a document name is not UTF-8: {error.reason}",
                file=self.image.file,
                offset=blobs.file_offset(offset) + error.start,
            ) from None

    def _error(self, rule: str, offset: int) -> MalformedError:
        return MalformedError(rule, file=self.image.file, offset=self.image.blobs.file_offset(offset))
