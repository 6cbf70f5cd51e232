"""Operators and conversions that the program defines (C# specification 12.4.5, 10.5)."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.overloads import Given, choose
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.inheritance import bases_of

_OPERATORS = {
    "+": "op_Addition", "-": "op_Subtraction", "*": "op_Multiply", "/": "op_Division", "%": "op_Modulus",
    "&": "op_BitwiseAnd", "|": "op_BitwiseOr", "^": "op_ExclusiveOr", "<<": "op_LeftShift", ">>": "op_RightShift",
    ">>>": "op_UnsignedRightShift", "==": "op_Equality", "!=": "op_Inequality", "<": "op_LessThan",
    "<=": "op_LessThanOrEqual", ">": "op_GreaterThan", ">=": "op_GreaterThanOrEqual",
}  # fmt: skip
_UNARY_OPERATORS = {"+": "op_UnaryPlus", "-": "op_UnaryNegation", "!": "op_LogicalNot", "~": "op_OnesComplement"}


def user_operator(env: Environment, operator: str, left: Operand, right: Operand) -> Operand | None:
    """A user-defined binary operator; None when the operands' types define none that fits."""
    return _operator(env, _OPERATORS.get(operator, ""), [left, right])


def user_unary_operator(env: Environment, operator: str, operand: Operand) -> Operand | None:
    """A user-defined unary operator; None when there is none."""
    return _operator(env, _UNARY_OPERATORS.get(operator, ""), [operand])


def _operator(env: Environment, name: str, operands: list[Operand]) -> Operand | None:
    found = []
    for start in dict.fromkeys(operand.type for operand in operands):
        for declaring in bases_of(env.universe, start):
            found += [
                candidate
                for candidate in candidates(env.universe, declaring)
                if candidate.method.name == name and candidate.method.is_static
            ]
    chosen = choose(env.universe, found, Given(operands)) if found and name else None
    if chosen is None:
        return None
    return env.runner.run(env, chosen.exact, None, chosen.arguments)


def user_conversion(env: Environment, operand: Operand, target: Type) -> Operand | None:
    """A user-defined conversion to exactly `target`, implicit or explicit; None when there is none."""
    for start in (operand.type, target):
        for declaring in bases_of(env.universe, start):
            for candidate in candidates(env.universe, declaring):
                if candidate.method.name not in ("op_Implicit", "op_Explicit"):
                    continue
                if candidate.return_type(env.universe) is not target:
                    continue
                chosen = choose(env.universe, [candidate], Given([operand]))
                if chosen is not None:
                    return env.runner.run(env, chosen.exact, None, chosen.arguments)
    return None


def plain_values(env: Environment, operand: Operand) -> list[Operand]:
    """What the operand's user-defined implicit conversions make of it, where that is a number, a bool or a string."""
    found = []
    for declaring in bases_of(env.universe, operand.type) if operand.type.kind in (Kind.STRUCT, Kind.CLASS) else []:
        for candidate in candidates(env.universe, declaring):
            result = candidate.return_type(env.universe) if candidate.method.name == "op_Implicit" else None
            if result is None or result.kind not in (Kind.NUMBER, Kind.BOOL, Kind.STRING):
                continue
            chosen = choose(env.universe, [candidate], Given([operand]))
            if chosen is not None:
                found.append(env.runner.run(env, chosen.exact, None, chosen.arguments))
    return found
