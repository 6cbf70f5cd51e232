"""Methods that say themselves of which exceptions that they take the debugger is told: .NET 9 and later."""

from __future__ import annotations

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

_ATTRIBUTE = "System.Diagnostics.DebuggerDisableUserUnhandledExceptionsAttribute"
_MACHINE_OF = "System.Runtime.CompilerServices.AsyncStateMachineAttribute"


def _find(module: LoadedModule, method: MethodToken) -> bool:
    from portablepdb import PortablePdbError

    metadata = module.metadata
    if metadata is None:
        return False
    try:
        own = metadata.declaring_type(method)
        tokens = [int(method)]
        if own.enclosing is not None:
            # The code of an async method: the attribute is on the method that has its machine.
            for other in own.enclosing.methods:
                arguments = [
                    str(argument.value)
                    for attribute in metadata.attributes_of(other.token)
                    if attribute.type_name == _MACHINE_OF
                    for argument in attribute.fixed_arguments
                ]
                if any(text.partition(",")[0].endswith(own.name) for text in arguments):
                    tokens.append(int(other.token))
        return any(one.type_name == _ATTRIBUTE for token in tokens for one in metadata.attributes_of(token))
    except PortablePdbError:
        return False


tells_itself = ModuleMemo("methods that tell of exceptions themselves", _find)
"""Whether a method has the attribute; of an async one, also its code."""
