"""Extension properties, operators and static members of C# 14 in code: calls of what the compiler makes of them."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.binding.extension_members import (
    extension_assignments,
    extension_operators,
    extension_properties,
    static_extensions,
)
from dap_dotnet.evaluation.binding.program_code.conversions import implicit
from dap_dotnet.evaluation.binding.program_code.scope import Scope, constant_of, stand_in
from dap_dotnet.evaluation.bound_tree import Code, Invoked
from dap_dotnet.evaluation.rules.applicable import Chosen, Given
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.evaluation.types.declared_methods import Candidate


def extension_property(scope: Scope, target: Code, name: str) -> Code | None:
    """An extension property of a value; None where none is for its type."""
    getters = extension_properties(scope.env, scope.binder.lookup, name)
    return _called(scope, getters, (target,), has_receiver=True)


def static_extension_property(scope: Scope, owner: Type, name: str) -> Code | None:
    """A static property that a type is given from outside; None where it has none."""
    return _called(scope, static_extensions(scope.env, scope.binder.lookup, owner, f"get_{name}"), ())


def extension_operator(scope: Scope, operator: str, *operands: Code) -> Code | None:
    """An operator that is declared from outside of the operands' types; None where none takes them."""
    is_unary = len(operands) == 1
    operators = extension_operators(scope.env, scope.binder.lookup, operator, is_unary=is_unary)
    return _called(scope, operators, operands)


def extension_assignment(scope: Scope, operator: str, target: Code, *operands: Code) -> Code | None:
    """`target operator= value` by an operator from outside that changes the target; None where none takes them."""
    operators = extension_assignments(scope.env, scope.binder.lookup, operator)
    return _called(scope, operators, (target, *operands), has_receiver=True)


def _called(
    scope: Scope, methods: Sequence[Candidate], operands: Sequence[Code], *, has_receiver: bool = False
) -> Code | None:
    given = Given(
        [stand_in(code) for code in operands],
        constants=[constant_of(code) for code in operands],
        has_receiver=has_receiver,
    )
    chosen = choose(scope.universe, methods, given) if methods else None
    return _call(scope, chosen, operands) if chosen is not None else None


def _call(scope: Scope, chosen: Chosen, operands: Sequence[Code]) -> Code:
    kinds = chosen.candidate.parameter_types(scope.universe, chosen.type_arguments)
    passed = tuple(
        implicit(scope, code, kind) if kind is not None else code for code, kind in zip(operands, kinds, strict=True)
    )
    result = chosen.candidate.return_type(scope.universe, chosen.type_arguments) or types.VOID
    return Invoked(result, chosen.exact, None, passed)
