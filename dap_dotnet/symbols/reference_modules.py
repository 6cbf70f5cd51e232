"""Assemblies of the framework that are not loaded, for the signatures in them: the compiler knew all references.

They lie beside the core library. What is bound by them runs in the program only after it has loaded the assembly.
"""

from __future__ import annotations

import os

from dap_dotnet.errors import InternalError
from dap_dotnet.runtime.model import ModuleId, ModuleInfo
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

_CORE = "System.Private.CoreLib.dll"


def reference_module(modules: ModuleCatalog, assembly: str) -> LoadedModule | None:
    """The assembly of a simple name by its file; None where it is loaded, or there is none. Session thread."""
    file_name = f"{assembly}.dll"
    core: LoadedModule | None = None
    for module in modules:
        if module.name == file_name:
            return None
        if module.name == _CORE:
            core = module
    path = os.path.join(os.path.dirname(core.info.path), file_name) if core is not None else ""
    known = modules.references.get(path)
    if known is not None or not os.path.isfile(path):
        return known
    number = ModuleId(-1 - len(modules.references))
    info = ModuleInfo(number, path, 0, 0, is_dynamic=False, is_in_memory=False, is_mapped_layout=False)
    modules.references[path] = LoadedModule(info, _no_memory)
    return modules.references[path]


def is_reference(module: LoadedModule) -> bool:
    """Whether a module is not loaded, and known by its file only."""
    return module.id < 0


def _no_memory(address: int, size: int) -> bytes:
    raise InternalError("an assembly that is not loaded has no memory")
