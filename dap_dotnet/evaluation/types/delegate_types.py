"""Types of delegates: what their values take and give."""

from __future__ import annotations

from msgspec import Struct

from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe


class DelegateSignature(Struct, frozen=True):
    """What a delegate takes and gives; `result` is VOID for none. `invoke` is its method."""

    parameters: tuple[Type | None, ...]
    result: Type | None
    invoke: Candidate
    has_references: bool
    """Whether it takes arguments by reference."""


def is_delegate(universe: Universe, kind: Type) -> bool:
    """Whether a type is one of delegates."""
    return kind.kind is Kind.CLASS and any(one.full_name == "System.Delegate" for one in bases_of(universe, kind))


def delegate_signature(universe: Universe, kind: Type) -> DelegateSignature | None:
    """What the delegates of a type take and give; None for other types."""
    from portablepdb.signatures import ByRefType

    if not is_delegate(universe, kind):
        return None
    for candidate in candidates(universe, kind):
        if candidate.method.name == "Invoke":
            return DelegateSignature(
                tuple(candidate.parameter_types(universe)),
                candidate.return_type(universe),
                candidate,
                any(isinstance(entry, ByRefType) for entry in candidate.method.signature.parameters),
            )
    return None
