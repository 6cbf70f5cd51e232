"""Which conversion that the program defines applies (C# specification 10.5): from metadata alone."""

from __future__ import annotations

from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.inheritance import bases_of, is_interface
from dap_dotnet.evaluation.types.tuple_names import elements, is_tuple, length
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import MethodToken

_OWN = frozenset({Kind.STRUCT, Kind.CLASS, Kind.PARAMETER})
_DECLARING = _OWN | {Kind.STRING}
"""Kinds of types that declare conversions; string has that to a span."""


def conversion_operator(
    universe: Universe, source: Type, target: Type, *, constant: Operand | None = None
) -> ExactMethod | None:
    """The operator of an implicit conversion, whose result may be to convert once more; None when there is none."""
    found = implicit_operator(universe, source, target, constant=constant)
    return found[0] if found is not None else None


def implicit_operator(
    universe: Universe, source: Type, target: Type, *, constant: Operand | None = None
) -> tuple[ExactMethod, Type] | None:
    """The operator of an implicit conversion (C# specification 10.5.4), and its result, which converts to `target`.

    None where there is none, or no best one.
    """
    if target.kind is Kind.NULLABLE:
        target = target.element
    if not _OWN & {source.kind, target.kind}:
        return None
    return _operator(universe, source, target, ("op_Implicit",), constant)


def cast_operator(
    universe: Universe, source: Type, target: Type, *, checked: bool = False
) -> tuple[ExactMethod, Type] | None:
    """The operator that a cast takes (C# specification 10.5.5), and its result, which may be to convert once more.

    None where there is none, or no best one. `checked`: in a checked context, where others may be declared.
    """
    names = ("op_CheckedExplicit", "op_Explicit", "op_Implicit") if checked else ("op_Explicit", "op_Implicit")
    return _operator(universe, source, target, names)


def _operator(
    universe: Universe, source: Type, target: Type, names: tuple[str, ...], constant: Operand | None = None
) -> tuple[ExactMethod, Type] | None:
    if target.kind is Kind.NULLABLE:
        target = target.element
    is_implicit = names == ("op_Implicit",)
    found = list[tuple[ExactMethod, Type, Type]]()
    for start in dict.fromkeys((source, target)):
        for declaring in bases_of(universe, start) if start.kind in _DECLARING else ():
            for name in names:
                for candidate in candidates(universe, declaring):
                    result, parameters = candidate.return_type(universe), candidate.parameter_types(universe)
                    if candidate.method.name != name or result is None or len(parameters) != 1:
                        continue
                    parameter = parameters[0]
                    if parameter is None or any(one[1:] == (parameter, result) for one in found):
                        continue
                    exact = ExactMethod(candidate.owner, MethodToken(candidate.method.token))
                    if is_implicit:
                        is_fit = _converts(universe, source, parameter, constant) and (
                            _encompasses(universe, target, result)
                        )
                    else:
                        is_fit = _is_near(universe, source, parameter) and _is_near(universe, result, target)
                    if is_fit:
                        found.append((exact, parameter, result))
    wanted = _nearest(universe, source, [parameter for _, parameter, _ in found], outwards=True)
    given = _nearest(universe, target, [result for _, _, result in found], outwards=False)
    return next(((one, result) for one, parameter, result in found if parameter is wanted and result is given), None)


def _is_near(universe: Universe, one: Type, other: Type) -> bool:
    return _encompasses(universe, one, other) or _encompasses(universe, other, one)


def _encompasses(universe: Universe, outer: Type, inner: Type) -> bool:
    """Whether there is a standard implicit conversion from the inner type, and none of the two is an interface."""
    if is_interface(universe, outer) or is_interface(universe, inner):
        return inner is outer
    return _converts(universe, inner, outer)


def _converts(universe: Universe, source: Type, target: Type, constant: Operand | None = None) -> bool:
    """Whether there is a standard implicit conversion; of tuples element by element."""
    if is_tuple(source) and is_tuple(target) and length(source) == length(target):
        pairs = zip(elements(source), elements(target), strict=True)
        return all(_converts(universe, *pair) for pair in pairs)
    return implicitly_converts(universe, source, target, constant)


def _nearest(universe: Universe, one: Type, kinds: list[Type], *, outwards: bool) -> Type | None:
    """The most specific source type (`outwards`), or target type, of operators for one of the types it may have."""
    if one in kinds:
        return one
    outer = [kind for kind in kinds if _encompasses(universe, kind, one)]
    inner = [kind for kind in kinds if _encompasses(universe, one, kind)]
    preferred, others = (outer, inner) if outwards else (inner, outer)
    rest, is_innermost = preferred or others, bool(preferred) is outwards
    for kind in rest:
        if all(_encompasses(universe, *((other, kind) if is_innermost else (kind, other))) for other in rest):
            return kind
    return None
