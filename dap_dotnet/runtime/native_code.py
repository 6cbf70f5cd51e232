"""The part of the seam that tells of the code of the processor that frames execute.

As all of `api.Debuggee`: session thread, while the process is held.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from dap_dotnet.runtime.model import ThreadId


class CodeChunk(Struct, frozen=True):
    """A piece of native code: its address in the process, and its size in bytes."""

    address: int
    size: int


class CodeMapping(Struct, frozen=True):
    """Which IL the bytes from `native_start` to before `native_end` came from, counted through all pieces.

    `il_offset` is None for what came from no IL, such as the method's entry and its exits.
    """

    il_offset: int | None
    native_start: int
    native_end: int


class NativeCode(Struct, frozen=True):
    """The native code of a method's instantiation, as it was compiled for the frame, in its pieces.

    `offset` is where the frame is in it, in bytes through all pieces: for a caller behind the call.
    """

    chunks: Sequence[CodeChunk]
    mappings: Sequence[CodeMapping]
    offset: int


class NativeCodeReader(Protocol):
    """What the debuggee tells of it."""

    def native_code(self, thread: ThreadId, frame_index: int) -> NativeCode:
        """Of a frame: ICorDebugCode2::GetCodeChunks and ICorDebugCode::GetILToNativeMapping.

        Raises `DebuggeeError` for a frame without code of its own.
        """
        ...
