"""The fake program's code of the processor: what the test says that its method was compiled to."""

from __future__ import annotations

from dap_dotnet.errors import RuntimeCallError
from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.runtime.native_code import NativeCode


class FakeNativeCode:
    """`Debuggee`'s native code."""

    def __init__(self) -> None:
        self.compiled: dict[int, NativeCode] = {}
        """By the frame's index; no other frame has code."""

    def native_code(self, thread: ThreadId, frame_index: int) -> NativeCode:
        """See `Debuggee`."""
        code = self.compiled.get(frame_index)
        if code is None:
            raise RuntimeCallError("The frame has no code of its own.", hresult=0x80004005, hresult_name="E_FAIL")
        return code
