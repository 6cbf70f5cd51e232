"""Exceptions that go into a task, and that the program has stopped for at their throw: it does not at an `await`."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import PinId, ThreadId, Value
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.modules import ModuleCatalog
from dap_dotnet.symbols.rethrow import is_thrown_again
from dap_dotnet.symbols.stack_view import StackView
from dap_dotnet.values.context import Program

_MOST = 16
_MOST_FRAMES = 100


class _Stopped(Struct):
    pin: PinId
    comes_by_await: bool
    """Whether it has come, or surely comes, out of an `await`; not of a wait like GetResult(), which stops anew."""


class Reported:
    """The last few exception objects, remembered without being kept alive. Session thread only."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._stopped: list[_Stopped] = []

    def remember(self, program: Program, thread: ThreadId, *, of_async: bool) -> None:
        """The program stops for the exception in flight on a thread; `of_async`: it leaves an async method."""
        thrown = program.debuggee.current_exception(thread)
        if thrown is None or thrown.handle is None:
            return
        try:
            self._stopped.append(_Stopped(program.debuggee.pin(thrown.handle, weak=True), of_async))
            if len(self._stopped) > _MOST:
                program.debuggee.unpin(self._stopped.pop(0).pin)
        except DapDotnetError:
            pass

    def has(self, program: Program, exception: Value) -> bool:
        """Whether an exception is one of them."""
        return any(program.debuggee.pinned(one.pin).address == exception.address for one in self._stopped)

    def is_brought_on(self, program: Program, thread: ThreadId) -> bool:
        """Whether the exception in flight on a thread is one of them, thrown again by the framework."""
        stack = StackView(program.debuggee, thread)
        if not self._stopped or not is_thrown_again(self._modules, stack.top()):
            return False
        thrown = program.debuggee.current_exception(thread)
        if thrown is None or not thrown.address:
            return False
        for one in self._stopped:
            if program.debuggee.pinned(one.pin).address == thrown.address:
                one.comes_by_await = one.comes_by_await or self._is_awaited(stack)
                return one.comes_by_await
        return False

    def _is_awaited(self, stack: StackView) -> bool:
        """Whether the newest frame of the user's code is an async method's."""
        for frame in stack.page(0, _MOST_FRAMES)[0]:
            module = self._modules.get(frame.module)
            if module is not None and module.is_user_code and frame.method is not None:
                return async_info(module, frame.method) is not None
        return False
