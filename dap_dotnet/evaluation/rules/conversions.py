"""Conversions that the program defines (C# specification 10.5), those of lambdas and groups of methods (10.7, 10.8).

And what the compiler says where there is none. From metadata alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.bound_tree import FunctionSource
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates, delegate_signature
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.inheritance import bases_of, is_interface
from dap_dotnet.evaluation.types.tuple_names import elements, is_tuple, length
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType

_OWN = frozenset({Kind.STRUCT, Kind.CLASS, Kind.PARAMETER})
_DECLARING = _OWN | {Kind.STRING}
"""Kinds of types that declare conversions; string has that to a span."""


def conversion_operator(
    universe: Universe, source: Type, target: Type, *, constant: Operand | None = None
) -> ExactMethod | None:
    """The operator of an implicit conversion, whose result may be to convert once more; None when there is none."""
    found = implicit_operator(universe, source, target, constant=constant)
    return found[0] if found is not None else None


def converts(universe: Universe, source: Type, target: Type) -> bool:
    """Whether there is an implicit conversion, which the program may define."""
    return implicitly_converts(universe, source, target) or conversion_operator(universe, source, target) is not None


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
                    if is_implicit:
                        is_fit = _converts_as_standard(universe, source, parameter, constant) and (
                            _encompasses(universe, target, result)
                        )
                    else:
                        is_fit = _is_near(universe, source, parameter) and _is_near(universe, result, target)
                    if is_fit:
                        found.append((candidate.exact, parameter, result))
    wanted = _nearest(universe, source, [parameter for _, parameter, _ in found], outwards=True)
    given = _nearest(universe, target, [result for _, _, result in found], outwards=False)
    return next(((one, result) for one, parameter, result in found if parameter is wanted and result is given), None)


def _is_near(universe: Universe, one: Type, other: Type) -> bool:
    return _encompasses(universe, one, other) or _encompasses(universe, other, one)


def _encompasses(universe: Universe, outer: Type, inner: Type) -> bool:
    """Whether there is a standard implicit conversion from the inner type, and none of the two is an interface."""
    if is_interface(universe, outer) or is_interface(universe, inner):
        return inner is outer
    return _converts_as_standard(universe, inner, outer)


def _converts_as_standard(universe: Universe, source: Type, target: Type, constant: Operand | None = None) -> bool:
    """Whether there is a standard implicit conversion; of tuples element by element."""
    if is_tuple(source) and is_tuple(target) and length(source) == length(target):
        pairs = zip(elements(source), elements(target), strict=True)
        return all(_converts_as_standard(universe, *pair) for pair in pairs)
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


# lambdas and groups of methods

_FUNC, _ACTION = "System.Func", "System.Action"
_TAKERS = frozenset({"System.Delegate", "System.MulticastDelegate", "System.Object", "System.ICloneable"})
"""What such a delegate converts to."""
_EXPRESSION = "System.Linq.Expressions.Expression`1"


def delegate_of(kind: Type) -> Type:
    """The type of delegates that a parameter stands for, which may take the expression tree of one."""
    return kind.arguments[0] if kind.full_name == _EXPRESSION else kind


def fits_function(universe: Universe, source: FunctionSource, parameter: Type) -> bool:
    """Whether a delegate of the parameter's type can be made of a lambda."""
    if takes_delegates(parameter):
        return natural_delegate(universe, source) is not None
    signature = delegate_signature(universe, delegate_of(parameter))
    return signature is not None and source.takes(len(signature.parameters)) and source.fits(signature)


def compare_functions(universe: Universe, source: FunctionSource, one: Type, other: Type) -> int:
    """Below 0 when a lambda converts better to `one` (C# specification 12.6.4.5), above 0: to `other`; else 0."""
    first, second = delegate_signature(universe, delegate_of(one)), delegate_signature(universe, delegate_of(other))
    if (first is None) is not (second is None):
        return 1 if first is None else -1
    if first is None or second is None or first.parameters != second.parameters or first.result is second.result:
        return 0
    if types.VOID in (first.result, second.result):
        return 1 if first.result is types.VOID else -1
    kinds = [kind for kind in first.parameters if kind is not None]
    given = source.result_type(kinds) if len(kinds) == len(first.parameters) else None
    if given is None or first.result is None or second.result is None:
        return 0
    if given in (first.result, second.result):
        return -1 if given is first.result else 1
    down = implicitly_converts(universe, first.result, second.result)
    up = implicitly_converts(universe, second.result, first.result)
    return 0 if down is up else -1 if down else 1


def natural_delegate(universe: Universe, source: FunctionSource) -> Type | None:
    """None where parameters have no types, the result has none, or the program has loaded no such delegates."""
    found = source.natural()
    if found is None:
        return None
    kinds, result = found
    if result in (types.NULL, types.LAMBDA, types.TUPLE, types.COLLECTION):
        return None
    return _named(universe, _ACTION, kinds) if result is types.VOID else _named(universe, _FUNC, [*kinds, result])


def _named(universe: Universe, stem: str, arguments: Sequence[Type]) -> Type | None:
    return universe.named(f"{stem}`{len(arguments)}" if arguments else stem, tuple(arguments))


def takes_delegates(parameter: Type) -> bool:
    """Whether a parameter takes a lambda as a delegate of its natural type."""
    return parameter.full_name in _TAKERS or parameter is types.OBJECT


# what is refused


def not_assignable(source: Type, target: Type, constant: object = None) -> Diagnostic:
    """CS0031, CS0037, CS0266 and CS0029: an assignment of another type."""
    if source.kind is Kind.NULL:
        return Diagnostic("CS0037", target.name)
    numbers = Kind.NUMBER in (source.kind, target.kind) and {source.kind, target.kind} <= {Kind.NUMBER, Kind.ENUM}
    is_char = target.code is ElementType.CHAR
    if numbers and source.name == "int" and isinstance(constant, int) and target.kind is Kind.NUMBER and not is_char:
        return Diagnostic("CS0031", constant, target.name)
    is_object = source.is_reference and source.name == "object"
    if numbers or is_object or _is_lifted(source, target) or _is_pointers(source, target):
        return Diagnostic("CS0266", source.name, target.name)
    return Diagnostic("CS0029", source.name, target.name)


def _is_pointers(source: Type, target: Type) -> bool:
    """Whether a cast leads from one to the other, for one is a pointer and the other one, too, or an integer."""
    kinds = {source.kind, target.kind}
    codes = {kind.code for kind in (source, target) if kind.kind is Kind.NUMBER}
    return Kind.POINTER in kinds and kinds <= {Kind.POINTER, Kind.NUMBER} and codes <= numeric.BITS.keys()


def _is_lifted(source: Type, target: Type) -> bool:
    """Whether one of two numbers is nullable: a cast leads from each to the other."""
    inner = [kind.element if kind.kind is Kind.NULLABLE else kind for kind in (source, target)]
    return inner != [source, target] and all(kind.kind is Kind.NUMBER for kind in inner)


def without_getter(universe: Universe, owner: Type, name: str) -> EvaluationError | None:
    """CS0154 where the type or one of its bases has a property of the name that can only be set."""
    for declaring in bases_of(universe, owner):
        for candidate in candidates(universe, declaring):
            if candidate.method.name == f"set_{name}" and len(candidate.method.signature.parameters) == 1:
                return Diagnostic("CS0154", declaring.name, name)
    return None
