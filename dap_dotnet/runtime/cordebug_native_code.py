"""The part of `cordebug_debuggee` that tells of native code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typing_extensions import override

from dap_dotnet.runtime._shim import BUFFER_TOO_SMALL, check, ffi, lib
from dap_dotnet.runtime.cordebug_heap import CordebugHeap
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.runtime.native_code import CodeChunk, CodeMapping, NativeCode

_USUAL_CHUNKS, _USUAL_MAPPINGS = 4, 256
_FIRST_WITHOUT_IL = 0xFFFFFFFD
"""CDS_CODE_EPILOG; from here on the numbers stand for no IL offset."""


class CordebugNativeCode(CordebugHeap):
    """`CordebugDebuggee` is made of this."""

    @override
    def native_code(self, thread: ThreadId, frame_index: int) -> NativeCode:
        offset = ffi.new("uint32_t *")
        chunks = self._list(
            "cds_code_chunk[]",
            _USUAL_CHUNKS,
            lambda found, capacity, count: lib.cds_frame_native_code(
                self._session, thread, frame_index, found, capacity, count, offset
            ),
        )
        mappings = self._list(
            "cds_code_mapping[]",
            _USUAL_MAPPINGS,
            lambda found, capacity, count: lib.cds_frame_code_mappings(
                self._session, thread, frame_index, found, capacity, count
            ),
        )
        return NativeCode(
            tuple(CodeChunk(one.address, one.size) for one in chunks),
            tuple(CodeMapping(_il_offset(one.il_offset), one.native_start, one.native_end) for one in mappings),
            offset[0],
        )

    def _list(self, kind: str, capacity: int, call: Callable[[Any, int, Any], int]) -> list[Any]:
        """What a call writes into an array of a kind, which is made larger where it has to be."""
        while True:
            found = ffi.new(kind, capacity)
            code = call(found, capacity, self._u32)
            if code != BUFFER_TOO_SMALL:
                check(code)
                return list(found[0 : self._u32[0]])
            capacity = self._u32[0]


def _il_offset(number: int) -> int | None:
    return None if number >= _FIRST_WITHOUT_IL else number
