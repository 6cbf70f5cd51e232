"""`required` members (C# 11): those that `new` has to give a value."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import Candidate
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe, has_attribute
from dap_dotnet.symbols.types import members

_REQUIRED = "System.Runtime.CompilerServices.RequiredMemberAttribute"
"""The compiler puts it on each such member, and on its type."""
_SETS_THEM = "System.Diagnostics.CodeAnalysis.SetsRequiredMembersAttribute"


def check_required(universe: Universe, kind: Type, constructor: Candidate | None, initialised: frozenset[str]) -> None:
    """Raises `EvaluationError`, CS9035, for a required member that neither initializer nor constructor sets."""
    if constructor is not None and has_attribute(constructor.module, constructor.method.token, _SETS_THEM):
        return
    for owner in bases_of(universe, kind):
        missing = next((name for name in _required(universe, owner) if name not in initialised), None)
        if missing is not None:
            raise Diagnostic("CS9035", owner.name, missing)


def _required(universe: Universe, owner: Type) -> Iterator[str]:
    definition, module = universe.definition_of(owner), universe.module_of(owner)
    if definition is None or not has_attribute(module, definition[1], _REQUIRED):
        return
    declared = members(module, definition[1])
    for token, name in (
        *((one.token, one.name) for one in declared.properties if one.token),
        *((one.token, one.name) for one in declared.fields if not one.is_backing_field),
    ):
        if has_attribute(module, token, _REQUIRED):
            yield name
