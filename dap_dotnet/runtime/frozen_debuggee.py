"""A debuggee that stands still: a process read out of a core dump, or a copy of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import structs
from typing_extensions import override

from dap_dotnet.runtime.cordebug_debuggee import CordebugDebuggee
from dap_dotnet.runtime.events import EventSink, RuntimeEvent
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, ModuleId, RuntimeCallErrorInfo, ThreadId, Value

_MISSING = frozenset({"invalid reference", "CORDBG_E_READVIRTUAL_FAILURE"})
_REFUSED = RuntimeCallErrorInfo(0x80004001, "E_NOTIMPL")


class FrozenDebuggee(CordebugDebuggee):
    """What a client or the session does to any process means nothing here; what the user asks for is refused.

    The shim raises `FrozenError` for all that is not overridden.
    """

    is_frozen = True

    def __init__(
        self, session: Any, process_id: int, sink: EventSink, ended_by: ThreadId | None, missing: str = ""
    ) -> None:
        """As of `CordebugDebuggee`. `missing` is said of a value whose memory is not there; by default what it is."""
        self.ended_by = ended_by
        self.frozen_as = "a core dump" if missing else "a copy of the process"
        self._missing = missing
        super().__init__(session, process_id, sink)

    @override
    def _read(self, call: Callable[[Any], int], text_limit: int) -> list[Value]:
        return [
            structs.replace(value, error=self._missing) if self._missing and value.error in _MISSING else value
            for value in super()._read(call, text_limit)
        ]

    @override
    def resume(self, event: RuntimeEvent) -> None:
        self._resumed += 1

    @override
    def detach(self) -> None:
        """Nothing was done to it."""

    @override
    def terminate(self) -> None:
        """There is no process."""

    @override
    def ask_to_end(self) -> None:
        """There is no process."""

    @override
    def set_module_flags(self, module: ModuleId, *, just_my_code: bool, disable_optimizations: bool) -> None:
        """Nothing is stepped."""

    @override
    def create_breakpoints(self, locations: Sequence[BreakpointLocation]) -> list[BoundId | RuntimeCallErrorInfo]:
        return [_REFUSED] * len(locations)
