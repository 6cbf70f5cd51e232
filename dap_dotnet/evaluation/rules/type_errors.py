"""Which of the compiler's errors the types of operands and of assignments get."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.numbers import numeric
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType


def no_operator(operator: str, left: Type, right: Type | None = None) -> EvaluationError:
    """CS0019, CS0023, CS0034 and CS8310."""
    if left.kind is Kind.DEFAULT and (right is None or right.kind is Kind.DEFAULT):
        if operator in ("==", "!="):
            return Diagnostic("CS8315", operator)
        return Diagnostic("CS8310", operator, "default")
    if right is not None and Kind.DEFAULT in (left.kind, right.kind):
        return Diagnostic("CS8310", operator, "default")
    if right is None and left.kind is Kind.NULL:
        return Diagnostic("CS8310", operator, "<null>")
    if right is None:
        return Diagnostic("CS0023", operator, left.name)
    both_null = left.kind is right.kind is Kind.NULL and operator in ("+", "&", "|", "^")
    if both_null or (operator not in ("&", "|", "^", "<<", ">>", ">>>") and _is_ambiguous(left, right)):
        return Diagnostic("CS0034", operator, left.name, right.name)
    return Diagnostic("CS0019", operator, left.name, right.name)


def _is_ambiguous(left: Type, right: Type) -> bool:
    """Whether a number that no signed integer type takes meets a signed one."""
    kinds = [kind.element if kind.kind is Kind.NULLABLE else kind for kind in (left, right)]
    if any(kind.kind is not Kind.NUMBER for kind in kinds):
        return False
    codes = {kind.code for kind in kinds}
    return bool(codes & _WIDEST) and bool(codes & numeric.SIGNED)


_WIDEST = {ElementType.U8, ElementType.U}


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
