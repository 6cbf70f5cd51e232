"""The fake program's memory: some bytes that the test puts there."""

from __future__ import annotations

from dap_dotnet.errors import RuntimeCallError

MEMORY_START = 0x5000


class FakeMemory:
    """`Debuggee`'s memory."""

    def __init__(self) -> None:
        self.memory = bytearray()
        """What there is from `MEMORY_START` on."""

    def read_memory(self, address: int, size: int) -> bytes:
        """See `Debuggee`."""
        part = bytes(self.memory[address - MEMORY_START :][:size]) if address >= MEMORY_START else b""
        if not part:
            name = "CORDBG_E_READVIRTUAL_FAILURE"
            raise RuntimeCallError("There is no memory.", hresult=0x80131C49, hresult_name=name)
        return part

    def write_memory(self, address: int, content: bytes) -> None:
        """See `Debuggee`."""
        start = address - MEMORY_START
        if start < 0 or start + len(content) > len(self.memory):
            name = "CORDBG_E_WRITEVIRTUAL_FAILURE"
            raise RuntimeCallError("There is no memory.", hresult=0x80131C4A, hresult_name=name)
        self.memory[start : start + len(content)] = content
