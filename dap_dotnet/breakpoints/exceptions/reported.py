"""Exceptions of async methods that the program has stopped for at their throw: it does not where an await has them."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import PinId, ThreadId
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.symbols.rethrow import is_thrown_again
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program

_MOST = 16


class Reported:
    """The last few exception objects, remembered without being kept alive. Session thread only."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._pins: list[PinId] = []

    def remember(self, program: Program, thread: ThreadId) -> None:
        """The program stops for the exception in flight on a thread."""
        thrown = program.debuggee.current_exception(thread)
        if thrown is None or thrown.handle is None:
            return
        try:
            self._pins.append(program.debuggee.pin(thrown.handle, weak=True))
            if len(self._pins) > _MOST:
                program.debuggee.unpin(self._pins.pop(0))
        except DapDotnetError:
            pass

    def is_brought_on(self, program: Program, thread: ThreadId) -> bool:
        """Whether the exception in flight on a thread is one of them, thrown again by the framework."""
        if not self._pins or not is_thrown_again(self._modules, StackView(program.debuggee, thread).top()):
            return False
        thrown = program.debuggee.current_exception(thread)
        if thrown is None or not thrown.address:
            return False
        return any(program.debuggee.pinned(pin).address == thrown.address for pin in self._pins)
