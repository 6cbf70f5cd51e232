"""Operators that the program defines (C# specification 12.4.5), and what the compiler says where there is none."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.rules.applicable import Chosen, Given
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate, candidates
from dap_dotnet.evaluation.types.inheritance import bases_of
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.runtime.model import ElementType

_DEFINING = frozenset({Kind.STRUCT, Kind.CLASS, Kind.PARAMETER})

_OPERATORS = {
    "+": "op_Addition", "-": "op_Subtraction", "*": "op_Multiply", "/": "op_Division", "%": "op_Modulus",
    "&": "op_BitwiseAnd", "|": "op_BitwiseOr", "^": "op_ExclusiveOr", "<<": "op_LeftShift", ">>": "op_RightShift",
    ">>>": "op_UnsignedRightShift", "==": "op_Equality", "!=": "op_Inequality", "<": "op_LessThan",
    "<=": "op_LessThanOrEqual", ">": "op_GreaterThan", ">=": "op_GreaterThanOrEqual",
}  # fmt: skip
_UNARY_OPERATORS = {"+": "op_UnaryPlus", "-": "op_UnaryNegation", "!": "op_LogicalNot", "~": "op_OnesComplement",
                    "++": "op_Increment", "--": "op_Decrement", "true": "op_True", "false": "op_False"}  # fmt: skip


def metadata_name(operator: str, *, is_unary: bool = False) -> str:
    """The name of the method that an operator is: `op_Addition`."""
    return (_UNARY_OPERATORS if is_unary else _OPERATORS)[operator]


_ASSIGNING = {"*": "op_MultiplicationAssignment", "++": "op_IncrementAssignment", "--": "op_DecrementAssignment"}


def assigning_name(operator: str) -> str | None:
    """The name of the method that `x operator= y`, or `x++`, calls on x (C# 14); None where there is none such."""
    plain = _OPERATORS.get(operator)
    is_order = operator in ("==", "!=", "<", "<=", ">", ">=")
    return _ASSIGNING.get(operator) or (f"{plain}Assignment" if plain is not None and not is_order else None)


Constants = Sequence["Operand | None"]


def assigning_operator(
    universe: Universe,
    operator: str,
    target: Type,
    operands: list[Operand],
    constants: Constants = (),
    *,
    checked: bool,
) -> Chosen | None:
    """The operator of C# 14 that changes a variable of a type itself: `+=` with its right side, `++` without."""
    name = assigning_name(operator)
    if name is None or target.kind not in _DEFINING:
        return None
    for wanted in (name.replace("op_", "op_Checked", 1), name) if checked else (name,):
        found = [
            candidate
            for declaring in bases_of(universe, target)
            for candidate in candidates(universe, declaring)
            if candidate.method.name == wanted and not candidate.method.is_static
        ]
        chosen = choose(universe, found, Given(operands, constants=constants)) if found else None
        if chosen is not None:
            return chosen
    return None


def chosen_operator(
    universe: Universe, operator: str, kinds: list[Type], constants: Constants = (), *, checked: bool = False
) -> Chosen | None:
    """The user-defined operator for operands of the types as they are, not lifted; None: no such one."""
    names = _OPERATORS if len(kinds) == 2 else _UNARY_OPERATORS
    found = _declared(universe, names.get(operator, ""), kinds, checked=checked)
    operands = [Operand(kind, None) for kind in kinds]
    return choose(universe, found, Given(operands, constants=constants)) if found else None


def lifted_operator(
    universe: Universe, operator: str, kinds: list[Type], constants: Constants = (), *, checked: bool = False
) -> Chosen | None:
    """The user-defined operator for what nullable operands hold; None: no such one, or none of the types is one."""
    names = _OPERATORS if len(kinds) == 2 else _UNARY_OPERATORS
    found = _declared(universe, names.get(operator, ""), kinds, checked=checked)
    return _lifted_candidate(universe, found, kinds, constants) if found else None


def _declared(universe: Universe, name: str, kinds: list[Type], *, checked: bool) -> list[Candidate]:
    """The operators of a name that the operands' types declare; in a checked context, the checked ones for these."""
    plain = [kind.element if kind.kind is Kind.NULLABLE else kind for kind in kinds]
    names = [name.replace("op_", "op_Checked", 1), name] if checked and name else [name]
    found = list[Candidate]()
    for wanted in names:
        found += [
            candidate
            for start in dict.fromkeys(plain)
            if start.kind in _DEFINING
            for declaring in bases_of(universe, start)
            for candidate in candidates(universe, declaring)
            if candidate.method.name == wanted
            and candidate.method.is_static
            and candidate.parameter_types(universe) not in [one.parameter_types(universe) for one in found]
        ]
    return found


def _lifted_candidate(
    universe: Universe, found: list[Candidate], kinds: list[Type], constants: Constants
) -> Chosen | None:
    """Of the operators whose parameters are all of value types, the one for the operands without their `?`."""
    if not any(kind.kind in (Kind.NULLABLE, Kind.NULL) for kind in kinds):
        return None
    other = next(kind.element if kind.kind is Kind.NULLABLE else kind for kind in kinds if kind.kind is not Kind.NULL)
    plain = [
        kind.element if kind.kind is Kind.NULLABLE else other if kind.kind is Kind.NULL else kind for kind in kinds
    ]
    liftable = [
        candidate
        for candidate in found
        if all(kind is not None and kind.is_value_type for kind in candidate.parameter_types(universe))
    ]
    return choose(universe, liftable, Given([Operand(kind, None) for kind in plain], constants=constants))


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
