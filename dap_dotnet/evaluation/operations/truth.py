"""What decides a condition: a bool, or what the program's own operators make of another value."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.conversion_operators import conversion_operator
from dap_dotnet.evaluation.operations.outside_operators import call_operator
from dap_dotnet.evaluation.operations.user_defined import user_unary_operator
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import Candidate

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


def truth(env: Environment, operand: Operand, outside: Sequence[Candidate] = ()) -> bool:
    """What a condition decides (C# specification 11.20.2): the bool, else `operator true`. CS0029 without either.

    `outside`: the extension operators `true` in force.
    """
    known = as_bool(env, operand)
    if known is None:
        known = decided(env, "true", operand, outside)
    if known is None:
        raise Diagnostic("CS0029", operand.type.name, types.BOOL.name)
    return bool(known.data)


def decided(env: Environment, operator: str, operand: Operand, outside: Sequence[Candidate]) -> Operand | None:
    """What `operator true` or `false` says of an operand, an extension operator included; None: there is none."""
    own = user_unary_operator(env, operator, operand.type)
    if own is not None:
        return own(env, [operand])
    return call_operator(env, outside, [operand])
