"""What a name of a type means with another number of type arguments: for the error alone."""

from __future__ import annotations

from collections.abc import Iterable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.symbols.metadata_names import Definition, find_definition, types_named
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

_MOST = 8
"""Type parameters that are looked for; only delegates and tuples have more."""


def wrong_arity(
    modules: ModuleCatalog, scopes: Iterable[str], name: str, count: int, first: LoadedModule | None
) -> EvaluationError | None:
    """CS0305 or CS0308 where a type of the name takes another number of type arguments than `count`; None: none does.

    `scopes` are what may stand before the name, innermost first; the type is looked for in the module `first` first.
    """
    known = [
        arity
        for arity in range(_MOST + 1)
        if arity != count and any(types_named(module, _metadata_name(name, arity)) for module in modules)
    ]
    if not known:
        return None
    for scope in scopes:
        for arity in known:
            found = find_definition(modules, scope + _metadata_name(name, arity), first)
            if found is not None:
                return _refused(modules, found, name, arity, count)
    return None


def _metadata_name(name: str, arity: int) -> str:
    return f"{name}`{arity}" if arity else name


def _refused(modules: ModuleCatalog, found: Definition, name: str, arity: int, count: int) -> EvaluationError | None:
    module = modules.get(found[0])
    if module is None or module.metadata is None:
        return None
    if not arity:
        return Diagnostic("CS0308", "type", name)
    parameters = ", ".join(one.name for one in module.metadata.generic_parameters_of(found[1])[-arity:])
    return Diagnostic("CS0305", "type", f"{name}<{parameters}>", arity)
