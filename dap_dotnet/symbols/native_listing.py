"""The native code of methods as text, instruction by instruction, with the IL and the source that each came from.

Instructions are taken apart by Capstone where that is installed (the extra `native`); without it their bytes are
shown, a line for each part that came from one piece of IL.
"""

from __future__ import annotations

import importlib.util
import platform
import shlex
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dap_dotnet.runtime.native_code import CodeMapping, NativeCode
from dap_dotnet.symbols.il_listing import sources_of
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.spans import Span

if TYPE_CHECKING:
    from capstone import Cs

_Decoder = Callable[[bytes, int], Iterator[tuple[int, str]]]
"""Of the bytes at an address: the size of each instruction, in bytes, and its text."""


class NativeInstruction(Struct, frozen=True):
    """An instruction at its address in the process.

    `il_offset` is None where it came from no IL; `span` and `path` (as the PDB has it) where it came from no source.
    """

    address: int
    content: bytes
    text: str
    il_offset: int | None
    span: Span | None
    path: str | None
    is_current: bool
    """Whether the frame is there: it executes this one next, or returns to it."""


def can_decode() -> bool:
    """Whether instructions are shown, or only bytes."""
    return _decoder() is not None


def how_to_decode() -> str | None:
    """What to do to see instructions; None where they are shown."""
    if can_decode():
        return None
    python = shlex.quote(sys.executable)
    has_pip = (
        importlib.util.find_spec("pip") is not None
    )  # not in the environment that comes with the VS Code extension
    command = f"{python} -m pip install capstone" if has_pip else f"pip --python {python} install capstone"
    return f"To see instructions instead of bytes, run: {command}"


def native_listing(
    module: LoadedModule | None, method: int | None, code: NativeCode, read: Callable[[int, int], bytes]
) -> Sequence[NativeInstruction]:
    """The instructions of native code, in its order. `read` gives the bytes at an address, fewer where memory ends."""
    parts = _Parts(code.mappings)
    sources = sources_of(module, method) if module is not None and method is not None else {}
    starts = sorted(sources)
    decode = _decoder()
    found: list[NativeInstruction] = []
    begin = 0
    for chunk in code.chunks:
        content = read(chunk.address, chunk.size)
        for offset, size, text in _instructions(decode, content, chunk.address, begin, parts):
            il_offset = parts.il_offset_at(begin + offset)
            span, path = (None, None) if il_offset is None else _nearest(sources, starts, il_offset)
            found.append(
                NativeInstruction(
                    chunk.address + offset,
                    content[offset : offset + size],
                    text,
                    il_offset,
                    span,
                    path,
                    is_current=begin + offset <= code.offset < begin + offset + size,
                )
            )
        begin += chunk.size
    return found


class _Parts:
    """Which IL each byte came from."""

    def __init__(self, mappings: Sequence[CodeMapping]) -> None:
        self._sorted = sorted(
            (one for one in mappings if one.native_end > one.native_start), key=lambda one: one.native_start
        )
        self._starts = [one.native_start for one in self._sorted]
        self._edges = sorted({edge for one in self._sorted for edge in (one.native_start, one.native_end)})

    def il_offset_at(self, native_offset: int) -> int | None:
        """None where it came from no IL."""
        number = bisect_right(self._starts, native_offset) - 1
        if number < 0 or native_offset >= self._sorted[number].native_end:
            return None
        return self._sorted[number].il_offset

    def end_after(self, native_offset: int) -> int:
        """Where the next part begins, or this one ends; a large number behind the last."""
        number = bisect_right(self._edges, native_offset)
        return self._edges[number] if number < len(self._edges) else 1 << 32


def _instructions(
    decode: _Decoder | None, content: bytes, address: int, begin: int, parts: _Parts
) -> Iterator[tuple[int, int, str]]:
    """Offset in the piece, size, and text of each instruction; of each part where nothing can take it apart."""
    offset = 0
    if decode is None:
        while offset < len(content):
            size = min(parts.end_after(begin + offset) - begin, len(content)) - offset
            yield offset, size, content[offset : offset + size].hex(" ")
            offset += size
        return
    for size, text in decode(content, address):
        yield offset, size, text
        offset += size


def _nearest(
    sources: dict[int, tuple[Span | None, str | None]], starts: Sequence[int], il_offset: int
) -> tuple[Span | None, str | None]:
    """The source of the last sequence point at or before an IL offset; `starts` has the offsets of all in order."""
    number = bisect_right(starts, il_offset)
    return sources[starts[number - 1]] if number else (None, None)


def _decoder() -> _Decoder | None:
    """What takes instructions of this machine's processor apart, on which the program runs, too; None without it."""
    try:
        import capstone
    except ImportError:
        return None
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        engine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    elif machine in ("aarch64", "arm64"):
        engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    else:
        return None
    engine.skipdata = True  # bytes that are no instruction are shown as such, and those behind them too
    return lambda content, address: _taken_apart(engine, content, address)


def _taken_apart(engine: Cs, content: bytes, address: int) -> Iterator[tuple[int, str]]:
    one: Any
    for one in engine.disasm_lite(content, address):
        _, size, mnemonic, operands = one
        yield size, f"{mnemonic} {operands}".rstrip()
