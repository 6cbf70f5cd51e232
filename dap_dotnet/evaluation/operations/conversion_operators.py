"""Which conversion that the program defines applies (C# specification 10.5): from metadata alone."""

from __future__ import annotations

from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.implicit_conversions import conversion_cost, implicitly_converts
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken

_DEFINING = frozenset({Kind.STRUCT, Kind.CLASS, Kind.NUMBER})


def conversion_operator(
    universe: Universe, source: Type, target: Type, *, explicit: bool = False, constant: Operand | None = None
) -> ExactMethod | None:
    """The operator that converts `source` to exactly `target`; None when there is none.

    With `explicit` also those that need a cast. The one whose parameter is nearest to the source is taken.
    """
    if target.kind is Kind.NULLABLE:
        target = target.element
    if Kind.STRUCT not in (source.kind, target.kind) and Kind.CLASS not in (source.kind, target.kind):
        return None
    best: tuple[int, ExactMethod] | None = None
    for start in (source, target):
        for declaring in bases_of(universe, start) if start.kind in _DEFINING else ():
            for candidate in candidates(universe, declaring):
                name = candidate.method.name
                if name != "op_Implicit" and not (explicit and name == "op_Explicit"):
                    continue
                if candidate.return_type(universe) is not target:
                    continue
                parameter = candidate.parameter_types(universe)[0]
                if parameter is None or not implicitly_converts(universe, source, parameter, constant):
                    continue
                cost = conversion_cost(source, parameter)
                if best is None or cost < best[0]:
                    best = cost, ExactMethod(candidate.owner, MethodToken(candidate.method.token))
    return best[1] if best is not None else None


def conversions_from(universe: Universe, source: Type, *, explicit: bool = False) -> list[tuple[ExactMethod, Type]]:
    """The operators that convert a value of `source`, each with what it gives."""
    found = []
    for declaring in bases_of(universe, source) if source.kind in (Kind.STRUCT, Kind.CLASS) else ():
        for candidate in candidates(universe, declaring):
            if candidate.method.name != "op_Implicit" and not (explicit and candidate.method.name == "op_Explicit"):
                continue
            parameter, result = candidate.parameter_types(universe)[0], candidate.return_type(universe)
            if parameter is not None and result is not None and implicitly_converts(universe, source, parameter):
                found.append((ExactMethod(candidate.owner, MethodToken(candidate.method.token)), result))
    return found
