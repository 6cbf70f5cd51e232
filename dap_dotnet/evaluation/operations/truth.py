"""What decides a condition: a bool, or what the program's own operators make of another value."""

from __future__ import annotations

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.operations.user_defined import user_unary_operator
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import diagnostics
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type

_DEFINING = frozenset({Kind.STRUCT, Kind.CLASS, Kind.NULLABLE})


def may_decide(kind: Type) -> bool:
    """Whether a value of the type may be a condition: a bool, or a type that may define conversions or operators."""
    return kind is types.BOOL or kind.kind in _DEFINING


def as_bool(env: Environment, operand: Operand) -> Operand | None:
    """A bool, or what the operand's implicit conversion to bool gives; None where there is none."""
    if operand.type is types.BOOL:
        return operand
    converter = conversion_operator(env.universe, operand.type, types.BOOL)
    return env.runner.run(env, converter, None, [operand]) if converter is not None else None


def truth(env: Environment, operand: Operand) -> bool:
    """What a condition decides (C# specification 11.20.2): the bool, else `operator true`. CS0029 without either."""
    known = as_bool(env, operand)
    if known is None:
        own = user_unary_operator(env, "true", operand.type)
        if own is None:
            raise diagnostics.no_conversion(operand.type, types.BOOL)
        known = own(env, [operand])
    return bool(known.data)
