"""Elements that lie side by side in memory without an array around them: spans, inline arrays."""

from __future__ import annotations

from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.values.collections import array_backed
from dap_dotnet.values.collections.array_backed import Empty
from dap_dotnet.values.collections.items import Collection, Item
from dap_dotnet.values.context import Program
from dap_dotnet.values.inline_arrays import inline_length
from dap_dotnet.values.layouts import integer, own_fields, read_known
from dap_dotnet.values.members import instance_fields, read_fields
from dap_dotnet.values.primitives import SIZES


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

    def __init__(self, program: Program, address: int, count: int, kind: TypeId, code: ElementType) -> None:
        self._program = program
        self._address = address
        self._kind = kind
        self._code = code
        self.count = count

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


def read_span(program: Program, value: Value) -> Collection | None:
    """Span<T> and ReadOnlySpan<T> of numbers, bools and chars, as they are since .NET 7."""
    read = read_known(program, value, ("_reference", "_length"))
    count = integer(read[1]) if read is not None else None
    if read is None or count is None or count < 0 or value.type is None:
        return None
    arguments = program.debuggee.type_info(value.type).arguments
    return _consecutive(program, read[0].address, count, arguments[0]) if len(arguments) == 1 else None


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
    return Consecutive(program, address, count, kind, code) if (address or not count) and code in SIZES else None


def read_inline_array(program: Program, value: Value) -> Collection | None:
    """A structure with [InlineArray] around numbers, bools or chars; None for all others."""
    if value.type is None or value.is_reference:
        return None
    info = program.debuggee.type_info(value.type)
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None or len(own_fields(program, info)) != 1:
        return None
    length = inline_length(module, info.token)
    if not length:
        return None
    first = read_fields(program, value, instance_fields(program, value.type))[0][1]
    if first.error is not None or first.type is None:
        return None
    return _consecutive(program, first.address, length, first.type)
