"""System.Text.Json: the members of documents, elements and nodes, read without a call into the program.

A JsonDocument keeps the text as UTF-8, and a table with a row of 12 bytes for each token: where the token begins in the
text, its size (its number of members, for an object or array), and its type with the number of rows up to the end of
an object or array. The sign of the size says that a string has escapes, or that the items of an array have more than
one row each. So it is from .NET Core 3.0 to .NET 10.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from enum import IntEnum
from itertools import islice

from msgspec import Struct
from msgspec.structs import asdict

from dap_dotnet.runtime.model import ElementType, TypeDefToken, TypeId, Value
from dap_dotnet.values import primitives
from dap_dotnet.values.collections import array_backed, hashed
from dap_dotnet.values.collections.items import MOST_VISITED, Collection, Item
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name, find_known_field, integer, is_array, read_known
from dap_dotnet.values.members import read_field

ELEMENT = "System.Text.Json.JsonElement"
DOCUMENT = "System.Text.Json.JsonDocument"
_ROW = struct.Struct("<iiI")
_ROWS_AT_ONCE = 4096
_ARRAY_HEADER = 16
"""From an array's address to its first element: the method table, the length and its padding."""
_MOST_TEXT = 256
"""Bytes of an object or array in its text."""
_MOST_STRING = 4096
"""Bytes of a string in its text."""
_SPACE = re.compile(r'("(?:[^"\\]|\\.)*"?)|\s+')


class _Token(IntEnum):
    """JsonTokenType."""

    START_OBJECT = 1
    START_ARRAY = 3
    PROPERTY_NAME = 5
    STRING = 7


_WITH_MEMBERS = (_Token.START_OBJECT, _Token.START_ARRAY)


class Row(Struct, frozen=True):
    """A token. Sizes in bytes, or a number of members; `rows` up to the row that ends it, that one excluded."""

    at: int
    size: int
    is_complex: bool
    token: int
    rows: int


class TornError(Exception):
    """A table or a text that is not as it should be."""


class _Bytes:
    """Part of an array of bytes. True in this generation of handles only."""

    def __init__(self, program: Program, array: Value, start: int, count: int) -> None:
        self._program = program
        self._address = array.address + _ARRAY_HEADER + start
        self.count = count
        header = program.debuggee.read_memory(array.address, _ARRAY_HEADER)
        if not 0 <= start <= start + count <= array.length == int.from_bytes(header[8:12], "little"):
            raise TornError

    def read(self, start: int, size: int) -> bytes:
        """As many bytes as there are from `start` on, at most `size`."""
        size = min(size, self.count - start)
        if start < 0 or size < 0:
            raise TornError
        return self._program.debuggee.read_memory(self._address + start, size) if size else b""


class Document:
    """The text and the table of a JsonDocument."""

    def __init__(self, value: Value, text: _Bytes, table: _Bytes) -> None:
        self.value = value
        self._text = text
        self._table = table
        self._chunks: dict[int, bytes] = {}

    @classmethod
    def of(cls, program: Program, value: Value) -> Document:
        """Raises `TornError` for one that was disposed of, and where the fields are not as they should be."""
        if isinstance(value, _Opened):
            return value.document
        read = read_known(program, value, ("_utf8Json", "_parsedData"))
        text = read_known(program, read[0], ("_object", "_index", "_length")) if read is not None else None
        rows = read_known(program, read[1], ("_data", "<Length>k__BackingField")) if read is not None else None
        if text is None or rows is None or not is_array(text[0]) or not is_array(rows[0]):
            raise TornError
        start, count, size = integer(text[1]), integer(text[2]), integer(rows[1])
        if start is None or count is None or size is None:
            raise TornError
        return cls(value, _Bytes(program, text[0], start, count), _Bytes(program, rows[0], 0, size))

    def row(self, number: int) -> Row:
        """The row of a number. Raises `TornError`."""
        chunk, place = divmod(number, _ROWS_AT_ONCE)
        if chunk not in self._chunks:
            size = _ROWS_AT_ONCE * _ROW.size
            self._chunks[chunk] = self._table.read(chunk * size, size)
        content = self._chunks[chunk]
        if number < 0 or (place + 1) * _ROW.size > len(content):
            raise TornError
        at, size, union = _ROW.unpack_from(content, place * _ROW.size)
        return Row(at, size & 0x7FFFFFFF, size < 0, union >> 28, union & 0x0FFFFFFF)

    def behind(self, number: int) -> int:
        """The row after a value and all that is in it."""
        row = self.row(number)
        return number + (row.rows + 1 if row.token in _WITH_MEMBERS else 1)

    def string(self, row: Row, most: int) -> tuple[str, bool]:
        """A string or a name, and whether there is more of it than so many bytes."""
        content = self._text.read(row.at, min(row.size, most))
        text = content.decode("utf-8", "ignore" if row.size > most else "replace")
        if row.is_complex:
            if row.size > most:  # not in the middle of an escape
                text = re.sub(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z", r"\1", text)
            try:
                text = json.loads(f'"{text}"', strict=False)
            except ValueError as error:
                raise TornError from error
        return text, row.size > most

    def text(self, number: int) -> str:
        """A value as its text has it, without white space around tokens; of a long one the beginning."""
        row = self.row(number)
        if row.token == _Token.STRING:
            shown, is_cut = self.string(row, _MOST_STRING)
            return primitives.quote(shown) + ("…" if is_cut else "")
        if row.token not in _WITH_MEMBERS:
            return self._text.read(row.at, min(row.size, _MOST_TEXT)).decode("utf-8", "replace")
        last = self.row(number + row.rows)
        size = last.at + last.size - row.at
        head = self._text.read(row.at, min(size, _MOST_TEXT)).decode("utf-8", "ignore")
        return _SPACE.sub(lambda match: match[1] or "", head) + ("…" if size > _MOST_TEXT else "")


class _Opened(Value, frozen=True, kw_only=True):
    """A JsonDocument as the parent of elements that are read one after the other."""

    document: Document


class JsonMembers:
    """The members of an object by their names, or the items of an array."""

    def __init__(self, program: Program, document: Document, number: int, kind: TypeId, path: str) -> None:
        """`number`: of its row. `kind` is JsonElement; `path` leads from the shown value to the element."""
        self._program = program
        self._document = document
        self._parent = _Opened(**asdict(document.value), document=document)
        self._number = number
        self._row = document.row(number)
        self._kind = kind
        self._path = path
        self._members: list[int] | None = None
        self._last: dict[str, int] = {}
        """Of each name the member that it means: the last one."""
        # Up to .NET 8 the size of an object is its number of rows.
        self.count = len(self._numbers()) if self._row.size == self._row.rows else self._row.size

    @property
    def text(self) -> str:
        """The JSON text, or its beginning."""
        return self._document.text(self._number)

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        count = min(count, self.count - start)
        if count <= 0:
            return []
        try:
            if self._row.token == _Token.START_OBJECT:
                return [self._named(number) for number in self._numbers()[start : start + count]]
            first = self._number + 1
            numbers: Sequence[int] = range(first, first + self.count) if not self._row.is_complex else self._numbers()
            return [
                Item(self._element(number), f"{self._path}[{place}]")
                for place, number in enumerate(islice(numbers, start, start + count), start)
            ]
        except TornError:
            return []

    def _numbers(self) -> list[int]:
        """The rows of the names of members, or of items that have rows of their own. Raises `TornError`."""
        is_object = self._row.token == _Token.START_OBJECT
        number, end = self._number + 1, self._number + self._row.rows
        if self._members is None:
            members: list[int] = []
            while number < end and len(members) < MOST_VISITED:
                if is_object:
                    row = self._document.row(number)
                    if row.token != _Token.PROPERTY_NAME:
                        raise TornError
                    self._last[self._document.string(row, _MOST_STRING)[0]] = number
                members.append(number)
                number = self._document.behind(number + is_object)
            self._members = members
        return self._members

    def _named(self, number: int) -> Item:
        name, is_cut = self._document.string(self._document.row(number), _MOST_STRING)
        means_it = not is_cut and self._last[name] == number
        key = Value(
            None, None, ElementType.STRING, text=name, length=len(name.encode("utf-16-le", "surrogatepass")) // 2
        )
        path = f"{self._path}.GetProperty({primitives.quote(name)})" if means_it else None
        return Item(self._element(number + 1), path, key)

    def _element(self, number: int) -> Value:
        """A JsonElement as the program would make it."""
        fields = [find_known_field(self._program, self._kind, name) for name in ("_parent", "_idx")]
        index = Value(None, None, ElementType.I4, raw=(number * _ROW.size).to_bytes(4, "little"))
        values = (self._parent, index)
        parts = {one.field.token: value for one, value in zip(fields, values, strict=True) if one is not None}
        return Value(None, self._kind, ElementType.VALUETYPE, parts=parts)


class Nodes:
    """The nodes in a JsonObject or JsonArray."""

    def __init__(self, inner: Collection, title: str) -> None:
        self._inner = inner
        self.count = inner.count
        self.text = f"{title}[{self.count}]"

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        return self._inner.page(start, count)


def read_document(program: Program, value: Value) -> Collection | None:
    """JsonDocument: what is in its root."""
    module = program.modules.get(program.debuggee.type_info(value.type).module) if value.type is not None else None
    found = module.metadata.find_type(ELEMENT) if module is not None and module.metadata is not None else None
    if module is None or found is None:
        return None
    kind = program.debuggee.make_type(module.id, TypeDefToken(found.token))
    try:
        return _members(program, Document.of(program, value), 0, kind, ".RootElement")
    except TornError:
        return None


def read_element(program: Program, value: Value) -> Collection | None:
    """JsonElement: of an object or array what is in it."""
    return _members_of(program, value, "")


def _members_of(program: Program, value: Value, path: str) -> JsonMembers | None:
    try:
        place = _place(program, value)
        return _members(program, *place, value.type, path) if place is not None and value.type is not None else None
    except TornError:
        return None


def _members(program: Program, document: Document, number: int, kind: TypeId, path: str) -> JsonMembers | None:
    has_members = document.row(number).token in _WITH_MEMBERS
    return JsonMembers(program, document, number, kind, path) if has_members else None


def _place(program: Program, value: Value) -> tuple[Document, int] | None:
    """The document of a JsonElement, and the number of its row; None for one of no document. Raises `TornError`."""
    read = read_known(program, value, ("_parent", "_idx"))
    index = integer(read[1]) if read is not None else None
    if read is None or index is None or index % _ROW.size:
        raise TornError
    return (Document.of(program, read[0]), index // _ROW.size) if not read[0].is_null else None


def json_text(program: Program, value: Value) -> str | None:
    """The text of a JsonElement, or of a document's root; None where it cannot be read."""
    try:
        place = (Document.of(program, value), 0) if _is_document(program, value) else _place(program, value)
        return place[0].text(place[1]) if place is not None else "undefined"
    except TornError:
        return None


def name_of(program: Program, value: Value) -> str | None:
    """The name of the member that a JsonElement is the value of; None where it cannot be read."""
    try:
        place = _place(program, value)
        return place[0].string(place[0].row(place[1] - 1), _MOST_STRING)[0] if place is not None else None
    except TornError:
        return None


def _is_document(program: Program, value: Value) -> bool:
    return value.type is not None and definition_name(program, program.debuggee.type_info(value.type)) == DOCUMENT


def read_object(program: Program, value: Value) -> Collection | None:
    """JsonObject: its nodes by their names, or what it was parsed from as long as nobody has asked for a node."""
    read = read_known(program, value, ("_dictionary",))
    if read is None:
        return None
    if read[0].is_null or read[0].type is None:
        return _unparsed(program, value, "JsonObject")
    if (
        definition_name(program, program.debuggee.type_info(read[0].type))
        == "System.Text.Json.JsonPropertyDictionary`1"
    ):
        listed = read_known(program, read[0], ("_propertyList",))  # before .NET 9
        inner = array_backed.read_list(program, listed[0]) if listed is not None else None
        inner = _Pairs(program, inner) if inner is not None else None
    else:
        inner = hashed.read_ordered_dictionary(program, read[0])
    return Nodes(inner, "JsonObject") if inner is not None else None


class _Pairs:
    """The entries of a list of KeyValuePair, each by its key."""

    def __init__(self, program: Program, pairs: Collection) -> None:
        self._program = program
        self._pairs = pairs
        self.count = pairs.count

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        read = [read_known(self._program, pair.value, ("key", "value")) for pair in self._pairs.page(start, count)]
        return [Item(one[1], f"[{primitives.quote(one[0].text or '')}]", one[0]) for one in read if one is not None]


def read_array(program: Program, value: Value) -> Collection | None:
    """JsonArray: its nodes, or what it was parsed from as long as nobody has asked for a node."""
    read = read_known(program, value, ("_list",))
    if read is None:
        return None
    if read[0].is_null:
        return _unparsed(program, value, "JsonArray")
    inner = array_backed.read_list(program, read[0])
    return Nodes(inner, "JsonArray") if inner is not None else None


def _unparsed(program: Program, value: Value, title: str) -> Collection | None:
    parsed = read_known(program, value, ("_jsonElement",))
    element = read_field(program, parsed[0], "value") if parsed is not None else None
    has_value = read_field(program, parsed[0], "hasValue") if parsed is not None else None
    if element is None or has_value is None or not has_value.raw:
        return None
    if not has_value.raw[0]:
        return Nodes(array_backed.Empty(), title)
    inner = _members_of(program, element, "._jsonElement.Value")
    return Nodes(inner, title) if inner is not None else None
