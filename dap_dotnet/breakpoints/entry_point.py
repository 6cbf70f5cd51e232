"""The stop at the first line of Main."""

from __future__ import annotations

from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.runtime.model import BoundId, BreakpointLocation, RuntimeCallErrorInfo
from dap_dotnet.symbols.entry_point import entry_location
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.runtime_async import endangers


class EntryPointBreakpoint:
    """A breakpoint that is set in the first module with an entry point, and goes with its hit. Session thread only.

    Where the user has a breakpoint too, the runtime reports both hits, in any order, and they are one stop.
    """

    def __init__(self) -> None:
        self.location: BreakpointLocation | None = None
        """Where Main begins; None until its module is loaded."""
        self._bound: BoundId | None = None

    def arm(self, loaded: LoadedModule, debuggee: Debuggee) -> None:
        """A module was loaded: set the breakpoint if Main is in it. The process is held."""
        if self.location is not None:
            return
        self.location = entry_location(loaded)
        if self.location is not None and not endangers(loaded, self.location.method, debuggee.runtime_version):
            result = debuggee.create_breakpoints([self.location])[0]
            self._bound = None if isinstance(result, RuntimeCallErrorInfo) else result

    def is_mine(self, bound: BoundId) -> bool:
        """Whether a hit is of this breakpoint."""
        return bound == self._bound

    def take(self, location: BreakpointLocation | None, debuggee: Debuggee) -> bool:
        """Whether a hit at `location` is the stop at entry; the breakpoint is removed then."""
        if self._bound is None or location != self.location:
            return False
        debuggee.remove_breakpoints([self._bound])
        self._bound = None
        return True
