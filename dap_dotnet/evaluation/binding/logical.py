"""`&&` and `||` (C# specification 12.14): of bools, and of types that define `&` and `|`, `true` and `false`."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.evaluation.binding.bound import Bound
from dap_dotnet.evaluation.binding.extension_members import (
    Operators,
    deciding,
    extension_operators,
)
from dap_dotnet.evaluation.binding.name_binder import NameBinder
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.applicable import Given
from dap_dotnet.evaluation.operations.outside_operators import call_operator
from dap_dotnet.evaluation.operations.overloads import choose
from dap_dotnet.evaluation.operations.truth import as_bool, decided, may_decide
from dap_dotnet.evaluation.operations.user_defined import user_operator
from dap_dotnet.evaluation.rules.type_errors import no_operator
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type

LOGICAL = frozenset({"&&", "||"})


def logical_step(
    binder: NameBinder, operator: str, left: Bound, right: Bound
) -> tuple[Callable[[Environment, Operand], Operand], Type | None]:
    """What the operator makes of its left operand, and the type of the result where it is known to be bool.

    The right one is evaluated only where the left does not decide. CS0019 for types that have no truth.
    """
    for side in (left, right):
        if side.type is not None and not may_decide(side.type):
            raise no_operator(operator, left.type or types.BOOL, right.type or types.BOOL)
    decides, run = operator == "||", right.run
    deciders = deciding(binder, left.type, "true" if decides else "false")
    joiners = extension_operators(binder.env, binder.lookup, operator[0]) if left.type is not types.BOOL else []

    def apply(env: Environment, operand: Operand) -> Operand:
        known = as_bool(env, operand)
        if known is None:
            return _user_defined(env, operator, operand, right, (deciders, joiners))
        if known.data is decides:
            return known
        operand = run(env)
        other = as_bool(env, operand)
        if other is None:
            raise no_operator(operator, known.type, operand.type)
        return other

    are_bools = left.type is types.BOOL and right.type is types.BOOL
    return apply, types.BOOL if are_bools else None


def _user_defined(
    env: Environment, operator: str, left: Operand, right: Bound, outside: tuple[Operators, Operators]
) -> Operand:
    """12.14.3: the left operand where `operator true` (`||`) or `false` (`&&`) decides, else `&` or `|` of both."""
    env.live.append(left)
    try:
        known = decided(env, "true" if operator == "||" else "false", left, outside[0])
        if known is None:
            raise no_operator(operator, left.type, right.type or types.BOOL)
        if right.type is not None and not _joins(env, operator[0], left.type, right.type, outside[1]):
            raise no_operator(operator, left.type, right.type)
        if known.data is True:
            return left
        other = right.run(env)
        own = user_operator(env, operator[0], left.type, other.type)
        made = own(env, [left, other]) if own is not None else call_operator(env, outside[1], [left, other])
        if made is None:
            raise no_operator(operator, left.type, other.type)
        return made
    finally:
        env.live.pop()


def _joins(env: Environment, operator: str, left: Type, right: Type, outside: Operators) -> bool:
    """Whether there is an operator `&` or `|` for operands of two types."""
    if user_operator(env, operator, left, right) is not None:
        return True
    return choose(env.universe, outside, Given([Operand(left, None), Operand(right, None)])) is not None
