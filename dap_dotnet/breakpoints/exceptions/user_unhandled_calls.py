"""What code that takes the user's exceptions tells the debugger of them, as ASP.NET Core does: .NET 9 and later.

A method with the attribute `DebuggerDisableUserUnhandledExceptions` says that an exception which it takes is no reason
to stop. For those that are one it calls `Debugger.BreakForUserUnhandledException`, which does nothing but be called.
"""

from __future__ import annotations

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, MethodToken, RuntimeCallErrorInfo, ThreadId, Value
from dap_dotnet.symbols.modules import ModuleCatalog

_CORE = "System.Private.CoreLib.dll"
_DEBUGGER, _BREAK = "System.Diagnostics.Debugger", "BreakForUserUnhandledException"
_IS_THERE_FROM = 9


class UserUnhandledCalls:
    """A breakpoint in that method, while it is wanted. Session thread only."""

    def __init__(self, modules: ModuleCatalog) -> None:
        self._modules = modules
        self._is_wanted = False
        self._bound: BoundId | None = None

    def update(self, debuggee: Debuggee, *, wanted: bool) -> None:
        """Set it, or take it out; nothing where it is so already. The process must be held.

        The first exception of the user's is early enough: no launch waits for the framework's metadata.
        """
        if wanted is self._is_wanted:
            return
        self._is_wanted = wanted
        if self._bound is not None:
            debuggee.remove_breakpoints([self._bound])
            self._bound = None
        location = self._location(debuggee) if wanted else None
        if location is not None:
            bound = debuggee.create_breakpoints([location])[0]
            self._bound = None if isinstance(bound, RuntimeCallErrorInfo) else bound

    def _location(self, debuggee: Debuggee) -> BreakpointLocation | None:
        major = debuggee.runtime_version.partition(".")[0]
        core = next((module for module in self._modules if module.name == _CORE), None)
        if core is None or core.metadata is None or not major.isdigit() or int(major) < _IS_THERE_FROM:
            return None
        type_ = core.metadata.find_type(_DEBUGGER)
        methods = core.metadata.methods_of(type_) if type_ is not None else ()
        found = next((method for method in methods if method.name == _BREAK), None)
        return BreakpointLocation(core.id, MethodToken(found.token), 0) if found is not None else None

    def is_mine(self, bound: BoundId) -> bool:
        """Whether a hit is of this breakpoint."""
        return self._bound is not None and bound == self._bound


def told_exception(debuggee: Debuggee, thread: ThreadId) -> Value | None:
    """The exception of which a thread, in that method, tells; None where it cannot be read, and for null."""
    arguments = debuggee.arguments(thread, 0)
    value = arguments[0] if arguments else None
    return value if value is not None and value.error is None and not value.is_null else None
