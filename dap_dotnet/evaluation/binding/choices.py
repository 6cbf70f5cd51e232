"""Operators that the program defines, and what chooses: conditions, `&&`, `||`, `??`, `?:` (C# specification 12.14)."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.binding.conversions import as_type, common, converts, implicit
from dap_dotnet.evaluation.binding.evaluated_once import kept_value
from dap_dotnet.evaluation.binding.extensions import extension_operator
from dap_dotnet.evaluation.binding.scope import Scope, constant_of
from dap_dotnet.evaluation.binding.type_parameters import reached
from dap_dotnet.evaluation.bound_tree import Code, Invoked, Operation, Steps, TypedOperation, Zero, assigned, boolean
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.operations.operators import EQUALITY, ORDER
from dap_dotnet.evaluation.rules.applicable import Chosen
from dap_dotnet.evaluation.rules.constraints import is_open
from dap_dotnet.evaluation.rules.overloads import chosen_operator, lifted_operator, no_operator
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type


def truth(scope: Scope, code: Code) -> Code:
    """A condition: a bool, or what the operator `true` makes one. CS0029."""
    decided = _decided(scope, "true", code) if not converts(scope, code, types.BOOL) else None
    return implicit(scope, decided or code, types.BOOL)


def _decided(scope: Scope, operator: str, code: Code) -> Code | None:
    """What the operator `true` or `false` says of a value; None where there is none."""
    own = chosen_operator(scope.universe, operator, [code.type])
    return by_method(scope, own, code) if own is not None else extension_operator(scope, operator, code)


def user_operator(scope: Scope, operator: str, *operands: Code) -> Code | None:
    """A user-defined operator, lifted where operands are nullable (C# specification 12.4.8); None: no such one."""
    kinds, constants = [code.type for code in operands], [constant_of(code) for code in operands]
    own = chosen_operator(scope.universe, operator, kinds, constants, checked=scope.checked)
    if own is not None:
        return by_method(scope, own, *operands)
    lifted = lifted_operator(scope.universe, operator, kinds, constants, checked=scope.checked)
    return _by_lifted(scope, operator, lifted, operands) if lifted is not None else None


def _by_lifted(scope: Scope, operator: str, chosen: Chosen, operands: Sequence[Code]) -> Code:
    """Null gives null, false in comparisons of order; two nulls are equal."""
    before, values, are_there = list[Code](), list[Code](), list[Code]()
    for code, parameter in zip(operands, chosen.candidate.parameter_types(scope.universe), strict=True):
        assert parameter is not None
        given = code if code.type.kind is not Kind.NULL else Zero(scope.universe.nullable(parameter))
        kept = value = kept_value(scope, given, before)
        if kept.type.kind is Kind.NULLABLE:
            are_there.append(is_there(kept))
            value = TypedOperation(kept.type.element, "Convert", kept, kept.type.element)
        values.append(value)
    call: Code = by_method(scope, chosen, *values)
    all_there = are_there[0]
    for one in are_there[1:]:
        all_there = Operation(types.BOOL, "AndAlso", (all_there, one))
    otherwise: Code
    if operator in EQUALITY:
        otherwise = boolean(operator == "!=")
        if len(are_there) > 1:
            otherwise = Operation(types.BOOL, "Equal" if operator == "==" else "NotEqual", tuple(are_there))
    elif operator in ORDER:
        otherwise = boolean(False)
    else:
        kind = scope.universe.nullable(call.type)
        call, otherwise = TypedOperation(kind, "Convert", call, kind), Zero(kind)
    return Steps(call.type, (), (*before, Operation(call.type, "Condition", (all_there, call, otherwise))))


def by_method(scope: Scope, chosen: Chosen, *operands: Code) -> Invoked:
    """A user-defined operator."""
    parameters = chosen.candidate.parameter_types(scope.universe)
    result = chosen.candidate.return_type(scope.universe)
    assert result is not None
    passed = [implicit(scope, code, kind) for code, kind in zip(operands, parameters, strict=True) if kind is not None]
    exact = reached(scope, chosen.exact, *(code.type for code in operands))
    return Invoked(result, exact, None, tuple(passed))


def logical(scope: Scope, operator: str, left: Code, right: Code) -> Code:
    """`&&` and `||`; of types with operators of their own by `&` or `|`, and `true` or `false` (12.14.3). CS0019."""
    name, own_name, test_name = ("AndAlso", "&", "false") if operator == "&&" else ("OrElse", "|", "true")
    if converts(scope, left, types.BOOL) and converts(scope, right, types.BOOL):
        return Operation(types.BOOL, name, (truth(scope, left), truth(scope, right)))
    own = user_operator(scope, own_name, left, right) or extension_operator(scope, own_name, left, right)
    kind = own.type if own is not None else left.type
    kept = scope.declare(kind)
    decided = _decided(scope, test_name, kept)
    joined = user_operator(scope, own_name, kept, right) or extension_operator(scope, own_name, kept, right)
    if decided is None or joined is None:
        raise no_operator(operator, left.type, right.type)
    given = assigned(kept, implicit(scope, left, kind))
    chosen = Operation(kind, "Condition", (truth(scope, decided), kept, implicit(scope, joined, kind)))
    return Steps(kind, (), (given, chosen))


def bind_conditional(scope: Scope, node: syntax.Conditional, wanted: Type | None = None) -> Code:
    """`c ? a : b`, of the `wanted` type where the branches have none in common (12.18). CS0173."""
    test = truth(scope, scope.code(node.condition))
    nodes = node.when_true, node.when_false
    parts = [scope.code_or_source(one, wanted) for one in nodes]
    if wanted is not None and not all(isinstance(one, Code) for one in parts):
        return Operation(wanted, "Condition", (test, *(as_type(scope, one, wanted) for one in parts)))
    first, second = (
        part if isinstance(part, Code) else scope.code(one) for one, part in zip(nodes, parts, strict=True)
    )
    return conditional(scope, test, first, second, wanted)


def conditional(scope: Scope, test: Code, first: Code, second: Code, wanted: Type | None = None) -> Code:
    """A choice between two values, of the type that they have in common, else of the `wanted` one."""
    kind = common(scope, (first, second)) or wanted
    if kind is None:
        raise Diagnostic("CS0173", first.type.name, second.type.name)
    return Operation(kind, "Condition", (test, implicit(scope, first, kind), implicit(scope, second, kind)))


def coalesced(scope: Scope, left: Code, right: Code) -> Code:
    """The value of the left side, or of the right one where that is null. CS0019."""
    if left.type.kind is Kind.NULLABLE and converts(scope, right, left.type.element):
        kind = left.type.element
        return Operation(kind, "Coalesce", (left, implicit(scope, right, kind)))
    if left.type.kind is Kind.NULLABLE and not converts(scope, right, left.type):
        return _coalesced_to_right(scope, left, right)
    may_be_null = left.type.is_reference or left.type.kind in (Kind.NULLABLE, Kind.PARAMETER)
    if may_be_null and left.type.kind is not Kind.NULL:
        if converts(scope, right, left.type):
            return Operation(left.type, "Coalesce", (left, implicit(scope, right, left.type)))
        if left.type.is_reference and converts(scope, left, right.type):
            return Operation(right.type, "Coalesce", (implicit(scope, left, right.type), right))
    raise no_operator("??", left.type, right.type)


def _coalesced_to_right(scope: Scope, left: Code, right: Code) -> Code:
    """`nullable ?? right`, where only the value of the left side converts to the type of the right one."""
    kept = scope.declare(left.type)
    value = TypedOperation(left.type.element, "Convert", kept, left.type.element)
    if not converts(scope, value, right.type):
        raise no_operator("??", left.type, right.type)
    chosen = Operation(right.type, "Condition", (is_there(kept), implicit(scope, value, right.type), right))
    return Steps(right.type, (), (assigned(kept, left), chosen))


def is_there(code: Code) -> Code:
    """Whether a value is not null, which no operator of the program decides."""
    if code.type.kind is Kind.NULLABLE:
        return Operation(types.BOOL, "NotEqual", (code, Zero(code.type)))
    return same("!=", code, Zero(types.NULL))


def same(operator: str, left: Code, right: Code) -> Code:
    """Whether two references are the same."""
    first, second = (Zero(types.OBJECT) if code.type.kind is Kind.NULL else as_object(code) for code in (left, right))
    return Operation(types.BOOL, "ReferenceEqual" if operator == "==" else "ReferenceNotEqual", (first, second))


def as_object(code: Code) -> Code:
    """A value whose type has type parameters as an object, for it may be of any type; other values as they are."""
    return TypedOperation(types.OBJECT, "Convert", code, types.OBJECT) if is_open(code.type) else code
