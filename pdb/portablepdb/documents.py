"""The Document table: names, hashes, languages, looking up by path (Portable PDB, "Document Name Blob")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, overload

from .errors import LimitError, MalformedError, NoSuchEntryError
from .handles import TableNumber
from .limits import OVERHEAD
from .sequence_points import BlobError, wide

if TYPE_CHECKING:
    from uuid import UUID

    from .root import MetadataImage

_LONGEST_NAME = 1 << 16  # in characters; each part may be named many times, so that a small blob makes a long name
_MOST_TAILS = 64
_SEPARATORS = b"/\\"

LANGUAGES = {
    "3f5162f8-07c6-11d3-9053-00c04fa302a1": "C#",
    "3a12d0b8-c26c-11d0-b442-00a0244a1dd2": "Visual Basic",
    "ab4f38c9-b6e6-43ba-be3b-58080b2ccce3": "F#",
}
"""Names of the language GUIDs."""

HASH_ALGORITHMS = {
    "ff1816ec-aa5e-4d10-87f7-6f4963833460": "sha1",
    "8829d00f-11b8-4213-878b-770e8597ac16": "sha256",
    "406ea660-64cf-4c82-b6f0-42d48172a799": "md5",
}
"""Names (of hashlib) of the hash algorithm GUIDs."""


class Document:
    """One source document; each property is decoded when asked for. Wherever its row id goes, it goes too."""

    __slots__ = ("_documents", "row_id")

    def __init__(self, documents: Documents, row_id: int) -> None:
        self._documents = documents
        self.row_id = row_id

    def __repr__(self) -> str:
        return f"<Document {self.row_id} {self.name!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and self.row_id == other.row_id and self._documents is other._documents

    def __hash__(self) -> int:
        return hash((id(self._documents), self.row_id))

    def __index__(self) -> int:
        return self.row_id

    @property
    def name(self) -> str:
        """The path as the compiler stored it, not normalised; "" if the PDB has none."""
        return self._documents.name(self.row_id)

    @property
    def hash_algorithm(self) -> UUID | None:
        """The GUID of the hash algorithm; None if nil. Cecil stores a GUID of zeroes."""
        image = self._documents.image
        return image.guids[image.table(TableNumber.DOCUMENT).row(self.row_id).hash_algorithm]

    @property
    def hash_name(self) -> str | None:
        """The hash algorithm as hashlib names it: "sha256", "sha1" or "md5"; None for none and for others."""
        return HASH_ALGORITHMS.get(str(self.hash_algorithm))

    @property
    def hash(self) -> bytes:
        """The hash of the source file; b"" if the PDB has none."""
        image = self._documents.image
        return image.blobs[image.table(TableNumber.DOCUMENT).row(self.row_id).hash]

    @property
    def language(self) -> UUID | None:
        """The GUID of the language; None if nil."""
        image = self._documents.image
        return image.guids[image.table(TableNumber.DOCUMENT).row(self.row_id).language]

    @property
    def language_name(self) -> str | None:
        """The language: "C#", "Visual Basic" or "F#"; None for none and for others."""
        return LANGUAGES.get(str(self.language))


class Documents(Sequence[Document]):
    """The documents of a PDB in row order: item 0 is row 1."""

    # A path is looked up by bytes before names are decoded, from this many documents on, and where the heap to be
    # searched is not so large (by embedded sources) that decoding the names is quicker.
    _BYTES_SEARCH_FROM = 16
    _HEAP_BYTES_FOR_A_NAME = 4096

    __slots__ = ("_by_offset", "_names", "image")

    def __init__(self, image: MetadataImage) -> None:
        self.image = image
        self._names: dict[int, str] = {}
        self._by_offset: dict[int, str] = {}

    def __len__(self) -> int:
        return self.image.table(TableNumber.DOCUMENT).row_count

    def __iter__(self) -> Iterator[Document]:
        return (Document(self, row_id) for row_id in range(1, len(self) + 1))

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> list[Document]: ...

    def __getitem__(self, index: int | slice) -> Document | list[Document]:
        if isinstance(index, slice):
            return [Document(self, i + 1) for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        return Document(self, index + 1)

    def by_row(self, row_id: SupportsIndex) -> Document:
        """The document of a row id. Raises NoSuchEntryError."""
        return Document(self, self.row_id_of(row_id))

    def row_id_of(self, document: SupportsIndex) -> int:
        """The row id of a document or row id. Raises NoSuchEntryError where there is no such document."""
        try:
            row_id = index(document)
        except TypeError:
            raise TypeError(
                f"a Document or its row id is wanted, not {type(document).__name__}"
                " (documents_matching finds documents by their path)"
            ) from None
        if not 0 < row_id <= len(self):
            raise NoSuchEntryError(
                f"document {row_id} was asked for; there are {len(self)}", file=self.image.file, offset=None
            )
        return row_id

    def name(self, row_id: int) -> str:
        """The name of a document; "" if nil."""
        name = self._names.get(row_id)
        if name is None:
            image = self.image
            offset = image.table(TableNumber.DOCUMENT).value(row_id, "name")
            name = self._by_offset.get(offset)
            if name is None:
                name = self._decode_name(offset)
                budget = image.text_budget
                budget.left -= name.__sizeof__() + OVERHEAD
                if budget.left < 0:
                    raise budget.spent()
                self._by_offset[offset] = name
            self._names[row_id] = name
        return name

    def matching(self, path: str, ignore_case: bool) -> list[Document]:
        """See PortablePdb.documents_matching."""
        wanted = _comparable(path, ignore_case)
        last = wanted.rsplit("/", 1)[-1]
        exact: list[Document] = []
        scored: list[tuple[int, Document]] = []
        parts = _normal_parts(wanted)
        absolute = _is_absolute(wanted)
        for row_id in self._candidates(last, ignore_case):
            name = _comparable(self.name(row_id), ignore_case)
            if name == wanted:
                exact.append(Document(self, row_id))
                continue
            name_parts = _normal_parts(name)
            score = _common_suffix(parts, name_parts)
            if score == len(parts) == len(name_parts) and absolute == _is_absolute(name):
                score += 1  # the same path, written otherwise
            if score:
                scored.append((score, Document(self, row_id)))
        if exact:
            return exact
        best = max((score for score, _ in scored), default=0)
        return [document for score, document in scored if score == best]

    def ending_with(self, suffix: str) -> list[Document]:
        r"""Documents whose name, ``\`` read as ``/``, equals ``suffix`` or ends with ``/`` and it; case matters."""
        suffix = suffix.replace("\\", "/")
        tail = "/" + suffix.lstrip("/")
        last = suffix.rsplit("/", 1)[-1]
        # Where only the last part is asked for, only the last part is read.
        alone = last.encode("utf-8", "surrogatepass") if last and last == tail[1:] else None
        name_of = self.image.table(TableNumber.DOCUMENT).value
        found = []
        for row_id in self._candidates(last, False):
            part = None if alone is None else self._last_part(name_of(row_id, "name"))
            if part is not None:
                if part == alone:
                    found.append(Document(self, row_id))
                continue
            name = self.name(row_id)
            if "\\" in name:
                name = name.replace("\\", "/")
            if name.endswith(tail) or name == suffix:
                found.append(Document(self, row_id))
        return found

    def _candidates(self, last_part: str, ignore_case: bool) -> list[int] | range:
        """Row ids that may have a name ending with ``last_part``; all of them where the bytes are no help."""
        count = len(self)
        everything = range(1, count + 1)
        if count < self._BYTES_SEARCH_FROM or ignore_case or not last_part:
            return everything
        heap = self.image.blobs.region
        if heap.size > count * self._HEAP_BYTES_FOR_A_NAME:
            return everything
        needle = last_part.encode("utf-8", "surrogatepass")
        data, start, end = heap.data, heap.start, heap.end
        # A part that itself contains a separator (legal after #line) could end with the name: look at every document.
        for separator in (b"/", b"\\"):
            if data.find(separator + needle, start, end) >= 0:
                return everything
        tails = []
        position = data.find(needle, start, end)
        while position >= 0:
            for width in (1, 2, 4):
                if data[position - width : position] == _compress(len(needle), width):
                    tails += [tail for tail in [_compress(position - width - start)] if tail]
            if len(tails) > _MOST_TAILS:  # comparing each name with all of them would take longer than decoding it
                return everything
            position = data.find(needle, position + 1, end)
        if not tails:
            tails = [b"\xff\xff\xff\xff\xff"]
        rows = []
        wanted = tuple(tails)
        for row_id, offset in enumerate(self.image.table(TableNumber.DOCUMENT).raw_column("name"), 1):
            begin = start + offset
            size = data[begin] if 0 < offset < heap.size else 0x80
            blob = data[begin + 1 : begin + 1 + size] if size < 0x80 else self.image.blobs[offset]
            if blob.endswith(wanted) or blob[:1] not in (b"/", b"\\"):
                rows.append(row_id)
        return rows

    def _last_part(self, offset: int) -> bytes | None:
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

    def _decode_name(self, offset: int) -> str:
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


def _comparable(path: str, ignore_case: bool) -> str:
    path = path.replace("\\", "/")
    return path.casefold() if ignore_case else path


def _normal_parts(path: str) -> list[str]:
    """The parts of a path, without empty ones and ``.``, with ``..`` resolved."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts


def _is_absolute(path: str) -> bool:
    return path.startswith("/") or path[1:2] == ":"


def _common_suffix(first: list[str], second: list[str]) -> int:
    count = 0
    for one, other in zip(reversed(first), reversed(second), strict=False):
        if one != other:
            break
        count += 1
    return count


def _compress(value: int, width: int = 0) -> bytes:
    """A compressed integer (II.23.2) of a given width (b"" if it does not fit), or of the least."""
    if value < 0x80 and width in (0, 1):
        return bytes([value])
    if value < 0x4000 and width in (0, 2):
        return (value | 0x8000).to_bytes(2, "big")
    if value < 0x20000000 and width in (0, 4):
        return (value | 0xC0000000).to_bytes(4, "big")
    return b""
