"""`==` and `!=` of tuples (C# specification 12.12.11): element by element, all of them evaluated before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Union

from dap_dotnet.evaluation import bound_tree as bound
from dap_dotnet.evaluation.binding.conversions import equal_if_there, implicit, is_there, item_of
from dap_dotnet.evaluation.binding.scope import Scope
from dap_dotnet.evaluation.bound_tree import Code
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, is_tuple, tuple_length

Compare = Callable[[Scope, str, Code, Code], Code]
Taken = Union[Code, "list[Taken]"]
"""A value that can be had many times, or those of the elements of a literal."""


def tuples_equal(
    scope: Scope, operator: str, left: Code | syntax.Node, right: Code | syntax.Node, compare: Compare
) -> Code:
    """Whether two tuples are equal, or (`!=`) are not; `compare` is what compares the elements. CS8384."""
    before: list[Code] = []
    first, second = _taken(scope, left, before), _taken(scope, right, before)
    tested = _compared(scope, operator, first, second, compare)
    return bound.in_steps(before, tested)


def _taken(scope: Scope, value: Code | syntax.Node, before: list[Code]) -> Taken:
    if isinstance(value, syntax.Parenthesized):
        return _taken(scope, value.inner, before)
    if isinstance(value, syntax.Tuple):
        return [_taken(scope, item, before) for item in value.items]
    code = value if isinstance(value, Code) else scope.code(value)
    return scope.kept_value(code, before)


def _compared(scope: Scope, operator: str, left: Taken, right: Taken, compare: Compare) -> Code:
    nullables = [
        one
        for one in (left, right)
        if isinstance(one, Code) and one.type.kind is Kind.NULLABLE and is_tuple(one.type.element)
    ]
    if nullables and not any(isinstance(one, Code) and one.type.kind is Kind.NULL for one in (left, right)):
        return _of_nullables(scope, operator, (left, right), nullables, compare)
    first, second = _elements(scope, left), _elements(scope, right)
    if first is None or second is None:
        if not isinstance(left, Code) or not isinstance(right, Code):
            raise Diagnostic("CS0019", operator, _shown(left), _shown(right))
        return implicit(scope, compare(scope, operator, left, right), types.BOOL)
    if len(first) != len(second):
        raise Diagnostic("CS8384", operator)
    tests = [_compared(scope, operator, one, other, compare) for one, other in zip(first, second, strict=True)]
    return bound.all_of(*tests, name="AndAlso" if operator == "==" else "OrElse")


def _of_nullables(
    scope: Scope, operator: str, pair: tuple[Taken, Taken], nullables: list[Code], compare: Compare
) -> Code:
    """Two without a value are equal; one without is not."""
    kept, before = list[Taken](), list[Code]()
    for one in pair:
        kept.append(scope.kept_value(bound.held(one), before) if isinstance(one, Code) and one in nullables else one)
    inner = bound.in_steps(before, _compared(scope, operator, kept[0], kept[1], compare))
    return equal_if_there(operator, [is_there(one) for one in nullables], inner)


def _elements(scope: Scope, value: Taken) -> Sequence[Taken] | None:
    """The elements of a tuple; None for other values."""
    if isinstance(value, list):
        return value
    if isinstance(value, Code) and is_tuple(value.type):
        return [item_of(scope, value, number) for number in range(1, tuple_length(value.type) + 1)]
    return None


def _shown(value: Taken) -> str:
    return value.type.name if isinstance(value, Code) else "tuple"
