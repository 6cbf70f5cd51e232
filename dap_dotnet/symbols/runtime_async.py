"""Methods that the runtime itself suspends at an `await`: those of the compiler's feature `runtime-async`, in .NET 10.

The debugging support of .NET 10 does not know them. A breakpoint in one ends the program with a segmentation fault (its
runtime looks for debug information of the method that only calls it). Such a method has one argument more than its
signature, for what it goes on with, and what the runtime tells of its arguments and locals is that of their neighbours.
A walk of a stack with one on it ended the process of the debugger; the shim mends that (borrowed_pages.h).
dotnet/runtime pull request 123644 brought support after .NET 10.
"""

from __future__ import annotations

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

_ASYNC = 0x2000
"""MethodImplOptions.Async (ECMA-335 II.23.1.11 has no name for the bit)."""
_ONLY_IN = "10"
NO_BREAKPOINT = (
    "The runtime itself suspends this method (runtime-async): a breakpoint in it would end the program. "
    "Build it without that feature to debug it."
)
NO_JUMP = (
    "the runtime itself suspends this method (runtime-async), and .NET 10 cannot set the next statement in it. "
    "Build it without that feature."
)
NO_VARIABLES = (
    "The runtime itself suspends this method (runtime-async), and the debugging support of .NET 10 reports its "
    "variables wrongly. Build it without that feature to see them."
)


def endangers(module: LoadedModule, method: MethodToken, runtime_version: str) -> bool:
    """Whether a breakpoint in a method would end a program on that version of the runtime, and variables be false."""
    return is_of(runtime_version) and _IS_ASYNC(module, method)


def is_of(runtime_version: str) -> bool:
    """Whether a runtime has such methods and no support for debugging them. A version that is not known has none."""
    return runtime_version.partition(".")[0] == _ONLY_IN


def has_such_methods(module: LoadedModule) -> bool:
    """Whether a module has any; looks at all its methods."""
    from portablepdb import PortablePdbError

    try:
        return module.metadata is not None and any(one.impl_flags & _ASYNC for one in module.metadata.methods)
    except PortablePdbError:
        return False


def _is_async(module: LoadedModule, method: MethodToken) -> bool:
    from portablepdb import PortablePdbError

    try:
        return module.metadata is not None and bool(module.metadata.method(method).impl_flags & _ASYNC)
    except PortablePdbError:
        return False


_IS_ASYNC = ModuleMemo("methods that the runtime suspends", _is_async)
