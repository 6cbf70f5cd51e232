"""The framework's method that throws an exception again, with the trace that it has: what an `await` does."""

from __future__ import annotations

from dap_dotnet.runtime.model import Frame
from dap_dotnet.symbols.modules import ModuleCatalog

_THROWN_BY = ("System.Runtime.ExceptionServices.ExceptionDispatchInfo", "Throw")


def is_thrown_again(modules: ModuleCatalog, top: Frame | None) -> bool:
    """Whether the top frame of a thread that throws is that method."""
    from portablepdb import PortablePdbError

    module = modules.get(top.module) if top is not None else None
    if module is None or module.metadata is None or top is None or top.method is None:
        return False
    try:
        owner = module.metadata.declaring_type(top.method)
        return (module.metadata.type_name(owner), module.metadata.method(top.method).name) == _THROWN_BY
    except PortablePdbError:
        return False
