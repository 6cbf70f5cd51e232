"""The Document table: names, hashes, languages, looking up by path (Portable PDB, "Document Name Blob")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import TYPE_CHECKING, SupportsIndex, overload

from .document_names import DocumentNames
from .errors import NoSuchEntryError, PortablePdbError
from .handles import TableNumber

if TYPE_CHECKING:
    from uuid import UUID

    from .root import MetadataImage

_MOST_TAILS = 64

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
    """One source document; each property is decoded when asked for. Wherever its row id goes, it goes too.

    A PDB gives one object for each of its documents. Those of two PDBs are equal when row id and name are.
    """

    __slots__ = ("_names", "row_id")

    def __init__(self, names: DocumentNames, row_id: int) -> None:
        self._names = names
        self.row_id = row_id

    def __repr__(self) -> str:
        try:
            return f"<Document {self.row_id} {self.name!r}>"
        except PortablePdbError as error:
            return f"<Document {self.row_id}: {error.rule}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Document):
            return NotImplemented
        return self.row_id == other.row_id and (self._names is other._names or self.name == other.name)

    def __hash__(self) -> int:
        return hash(self.row_id)

    def __index__(self) -> int:
        return self.row_id

    @property
    def name(self) -> str:
        """The path as the compiler stored it, not normalised; "" if the PDB has none."""
        return self._names.of_row(self.row_id)

    @property
    def hash_algorithm(self) -> UUID | None:
        """The GUID of the hash algorithm; None if nil. Cecil stores a GUID of zeroes."""
        image = self._names.image
        return image.guids[image.table(TableNumber.DOCUMENT).row(self.row_id).hash_algorithm]

    @property
    def hash_name(self) -> str | None:
        """The hash algorithm as hashlib names it: "sha256", "sha1" or "md5"; None for none and for others."""
        return HASH_ALGORITHMS.get(str(self.hash_algorithm))

    @property
    def hash(self) -> bytes:
        """The hash of the source file; b"" if the PDB has none."""
        image = self._names.image
        return image.blobs[image.table(TableNumber.DOCUMENT).row(self.row_id).hash]

    @property
    def language(self) -> UUID | None:
        """The GUID of the language; None if nil."""
        image = self._names.image
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

    __slots__ = ("_names", "_objects", "image")

    def __init__(self, image: MetadataImage) -> None:
        self.image = image
        self._names = DocumentNames(image)
        self._objects: dict[int, Document] = {}

    def __len__(self) -> int:
        return self.image.table(TableNumber.DOCUMENT).row_count

    def __iter__(self) -> Iterator[Document]:
        return map(self._known, range(1, len(self) + 1))

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> list[Document]: ...

    def __getitem__(self, index: int | slice) -> Document | list[Document]:
        if not isinstance(index, (int, slice)):
            raise TypeError(
                f"documents are numbered, from 0 on; {type(index).__name__} is no number"
                " (documents_matching finds them by their path)"
            )
        if isinstance(index, slice):
            return [self._known(i + 1) for i in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"item {index} of {len(self)} documents (item 0 is row 1; by_row takes row ids)")
        return self._known(index + 1)

    def by_row(self, row_id: SupportsIndex) -> Document:
        """The document of a row id. Raises NoSuchEntryError."""
        return self._known(self.row_id_of(row_id))

    def of_row(self, row_id: int) -> Document:
        """As :meth:`by_row`, but where there is no such document, as in damaged points, its properties raise."""
        document = self._objects.get(row_id)
        if document is not None:
            return document
        return self._known(row_id) if 0 < row_id <= len(self) else Document(self._names, row_id)

    def _known(self, row_id: int) -> Document:
        document = self._objects.get(row_id)
        if document is None:
            document = self._objects[row_id] = Document(self._names, row_id)
        return document

    def row_id_of(self, document: SupportsIndex) -> int:
        """The row id of a document or row id. Raises NoSuchEntryError where there is no such document."""
        try:
            row_id = index(document)
            if row_id in self._objects:
                return row_id
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

    def matching(self, path: str, ignore_case: bool) -> list[Document]:
        """See PortablePdb.documents_matching."""
        wanted = _comparable(path, ignore_case)
        last = wanted.rsplit("/", 1)[-1]
        exact: list[Document] = []
        scored: list[tuple[int, Document]] = []
        parts = _normal_parts(wanted)
        absolute = _is_absolute(wanted)
        for row_id in self._candidates(len(self), last, ignore_case):
            name = _comparable(self._names.of_row(row_id), ignore_case)
            if name == wanted:
                exact.append(self._known(row_id))
                continue
            name_parts = _normal_parts(name)
            score = _common_suffix(parts, name_parts)
            if score == len(parts) == len(name_parts) and absolute == _is_absolute(name):
                score += 1  # the same path, written otherwise
            if score:
                scored.append((score, self._known(row_id)))
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
        table = self.image.table(TableNumber.DOCUMENT)
        name_of = table.value
        found = []
        for row_id in self._candidates(table.row_count, last, False):
            part = None if alone is None else self._names.last_part(name_of(row_id, "name"))
            if part is not None:
                if part == alone:
                    found.append(self._known(row_id))
                continue
            name = self._names.of_row(row_id)
            if "\\" in name:
                name = name.replace("\\", "/")
            if name.endswith(tail) or name == suffix:
                found.append(self._known(row_id))
        return found

    def _candidates(self, count: int, last_part: str, ignore_case: bool) -> list[int] | range:
        """Row ids, of ``count``, that may have a name ending with ``last_part``; all where the bytes are no help."""
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
