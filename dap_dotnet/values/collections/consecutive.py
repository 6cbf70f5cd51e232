"""Elements that lie side by side in memory without an array around them: spans, inline arrays."""

from __future__ import annotations

import struct
from collections.abc import Callable

from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values.collections import array_backed
from dap_dotnet.values.collections.array_backed import Empty
from dap_dotnet.values.collections.items import Collection, Item
from dap_dotnet.values.context import Program
from dap_dotnet.values.inline_arrays import fixed_length, inline_length
from dap_dotnet.values.layouts import integer, own_fields, read_known
from dap_dotnet.values.members import instance_fields, read_fields
from dap_dotnet.values.placed_values import object_at, size_at, value_in
from dap_dotnet.values.primitives import SIZES

_SPAN_SIZE = 16
_OBJECT_HEADER = 8
"""From an object's address to its first field: the method table."""


class Chars:
    """Part of a string, as a ReadOnlyMemory<char> may be."""

    is_text = True

    def __init__(self, program: Program, string: Value, start: int, count: int, kind: TypeId) -> None:
        self._program = program
        self._string = string
        self._start = start
        self._kind = kind
        self.count = count

    def text(self, most: int) -> str:
        """The first chars, at most so many."""
        return self._read(0, min(self.count, most))

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        raw = self._read(start, min(count, self.count - start)).encode("utf-16-le", "surrogatepass")
        units = [raw[place : place + 2] for place in range(0, len(raw), 2)]
        return [
            Item(Value(None, self._kind, ElementType.CHAR, raw=unit), f".Span[{number}]")
            for number, unit in enumerate(units, start)
        ]

    def _read(self, start: int, count: int) -> str:
        if count <= 0 or self._string.handle is None:
            return ""
        return self._program.debuggee.string(self._string.handle, self._start + start, count)


class Consecutive:
    """Numbers from an address on."""

    is_fixed = False
    """Whether it is a fixed buffer, whose own type only the compiler can name."""

    def __init__(self, program: Program, address: int, count: int, kind: TypeId, code: ElementType) -> None:
        self._program = program
        self._address = address
        self._kind = kind
        self._code = code
        self.count = count

    @property
    def element_type(self) -> ElementType:
        """Of each element."""
        return self._code

    @property
    def is_text(self) -> bool:
        """Whether the elements are chars."""
        return self._code is ElementType.CHAR

    def text(self, most: int) -> str:
        """The first chars, at most so many."""
        raw = self._program.debuggee.read_memory(self._address, 2 * min(self.count, most)) if self.count else b""
        return raw[: len(raw) & ~1].decode("utf-16-le", "surrogatepass")

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        size = SIZES[self._code]
        count = min(count, self.count - start)
        if count <= 0:
            return []
        raw = self._program.debuggee.read_memory(self._address + start * size, count * size)
        return [
            Item(Value(None, self._kind, self._code, raw=raw[place : place + size]), f"[{start + place // size}]")
            for place in range(0, len(raw) - size + 1, size)
        ]


class Placed:
    """Structures or references from an address on, which is true in this generation only."""

    is_text = False

    def __init__(
        self, program: Program, address: int, count: int, size: int, element: Callable[[bytes, int], Value]
    ) -> None:
        """`element` makes one of its bytes and their address; `size`: how many it has."""
        self._program = program
        self._address = address
        self._size = size
        self._element = element
        self.count = count

    def text(self, most: int) -> str:
        """They are no chars."""
        return ""

    def page(self, start: int, count: int) -> list[Item]:
        """See `Collection`."""
        size, first = self._size, self._address + start * self._size
        count = min(count, self.count - start)
        raw = self._program.debuggee.read_memory(first, count * size) if count > 0 else b""
        return [
            Item(self._element(raw[place : place + size], first + place), f"[{start + place // size}]")
            for place in range(0, len(raw) - size + 1, size)
        ]


def read_span(program: Program, value: Value) -> Collection | None:
    """Span<T> and ReadOnlySpan<T>: a pointer, then the number of elements, in all releases."""
    found = span_memory(program, value)
    return _consecutive(program, *found) if found is not None else None


def span_memory(program: Program, value: Value) -> tuple[int, int, TypeId] | None:
    """Of a span the address, the number and the type of its elements, as they are in this generation."""
    read = read_known(program, value, ("_length",))
    count = integer(read[0]) if read is not None else None
    if count is None or count < 0 or value.type is None or len(value.raw) != _SPAN_SIZE:
        return None
    address, length = struct.unpack_from("<Qi", value.raw)
    arguments = program.debuggee.type_info(value.type).arguments
    return (address, count, arguments[0]) if length == count and len(arguments) == 1 else None


def read_memory(program: Program, value: Value) -> Collection | None:
    """Memory<T> and ReadOnlyMemory<T> over arrays and strings."""
    read = read_known(program, value, ("_object", "_index", "_length"))
    if read is None or read[0].element_type is not ElementType.STRING or read[0].is_null or value.type is None:
        return array_backed.read_memory(program, value)
    start, count = integer(read[1]), integer(read[2])
    arguments = program.debuggee.type_info(value.type).arguments
    if start is None or count is None or len(arguments) != 1 or not 0 <= start <= start + count <= read[0].length:
        return None
    return Chars(program, read[0], start, count, arguments[0])


def _consecutive(program: Program, address: int, count: int, kind: TypeId) -> Collection | None:
    code = program.debuggee.type_info(kind).element_type
    if not count and code not in SIZES:
        return Empty()
    if code in SIZES:
        return Consecutive(program, address, count, kind, code) if address or not count else None
    size = size_at(program, kind)
    if not address or not size:
        return None
    return Placed(program, address, count, size, lambda raw, place: value_in(program, raw, place, kind))


def read_repeated(program: Program, value: Value) -> Collection | None:
    """A structure with [InlineArray], or one that C# has made of a fixed buffer; None for all others."""
    length, fixed = _lengths(program, value)
    first = _first(program, value) if length else None
    if first is None:
        return None
    if not first.is_reference:
        found = _consecutive(program, first.address, length, first.type) if first.type is not None else None
        if isinstance(found, Consecutive):
            found.is_fixed = fixed > 0
        return found
    address = value.address + (_OBJECT_HEADER if value.is_boxed else 0)
    if not value.address or program.debuggee.read_memory(address, 8) != first.address.to_bytes(8, "little"):
        return None
    kind = first.type if first.is_null else None
    code = first.element_type if first.element_type is ElementType.STRING else ElementType.OBJECT
    return Placed(program, address, length, 8, lambda raw, _: object_at(program, raw, kind, code))


def first_of_repeated(program: Program, value: Value) -> Value | None:
    """The first element of such a structure, where it stands; None for other values."""
    return _first(program, value) if _lengths(program, value)[0] else None


def _first(program: Program, value: Value) -> Value | None:
    assert value.type is not None
    first = read_fields(program, value, instance_fields(program, value.type))[0][1]
    return first if first.error is None else None


def _lengths(program: Program, value: Value) -> tuple[int, int]:
    """How many elements it has, and how many of them as a fixed buffer; 0 for other values."""
    if value.type is None or (value.is_reference and not value.is_boxed) or value.handle is None:
        return 0, 0
    info = program.debuggee.type_info(value.type)
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None or len(own_fields(program, info)) != 1:
        return 0, 0
    fixed = fixed_length(module, info.token)
    return inline_length(module, info.token) or fixed, fixed
