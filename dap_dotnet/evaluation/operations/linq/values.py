"""LINQ's methods that give one value of a sequence: they ask for no more elements than C# does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from itertools import islice
from typing import Any

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.linq.comparing import compare, key_of
from dap_dotnet.evaluation.operations.linq.sequences import Call, Function, Query, buffered
from dap_dotnet.evaluation.operations.operand_values import cast, default_of
from dap_dotnet.evaluation.operations.operators import Flags, binary_operation
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, boolean

_EMPTY = "System.InvalidOperationException: Sequence contains no elements"
_NO_MATCH = "System.InvalidOperationException: Sequence contains no matching element"
_MANY_MATCH = "System.InvalidOperationException: Sequence contains more than one matching element"
_MANY = "System.InvalidOperationException: Sequence contains more than one element"


def _matching(items: Iterable[Operand], test: Function | None) -> Iterable[Operand]:
    return items if test is None else (item for item in items if test(item).data)


def _projected(items: Iterable[Operand], project: Function | None) -> Iterable[Operand]:
    return items if project is None else map(project, items)


# positions


_Pick = Callable[[Iterable[Operand], bool], "Operand | None"]
"""Chooses one of the elements (True: of those that a condition holds for); None where there are none."""


def _first(items: Iterable[Operand], is_conditional: bool) -> Operand | None:
    return next(iter(items), None)


def _last(items: Iterable[Operand], is_conditional: bool) -> Operand | None:
    result: Operand | None = None
    for item in items:
        result = item
    return result


def _single(items: Iterable[Operand], is_conditional: bool) -> Operand | None:
    result: Operand | None = None
    for item in items:
        if result is not None:
            raise EvaluationError(_MANY_MATCH if is_conditional else _MANY)
        result = item
    return result


def _picked(pick: _Pick) -> Callable[..., Operand]:
    """First, Last and Single, with and without a condition."""

    def method(call: Call, items: Query, test: Function | None = None) -> Operand:
        item = pick(_matching(items, test), test is not None)
        if item is None:
            raise EvaluationError(_EMPTY if test is None else _NO_MATCH)
        return item

    return method


def _picked_or_default(pick: _Pick) -> Callable[..., Operand]:
    """FirstOrDefault and its like; Find, too."""

    def method(call: Call, items: Query, test: Function | None = None, default: Operand | None = None) -> Operand:
        item = pick(_matching(items, test), test is not None) or default
        return item if item is not None else default_of(call.env, call.result)

    return method


first, last, single = _picked(_first), _picked(_last), _picked(_single)
first_or_default, last_or_default = _picked_or_default(_first), _picked_or_default(_last)
single_or_default = _picked_or_default(_single)


def element_at(call: Call, items: Query, number: int) -> Operand:
    """`ElementAt(number)`."""
    item = next(islice(items, number, None), None) if number >= 0 else None
    if item is None:
        raise Thrown("System.ArgumentOutOfRangeException", "Index was out of range.")
    return item


def find_index(call: Call, items: Query, test: Function, start: int = 0) -> Operand:
    """`FindIndex(match)`, and from a position on."""
    places = (place for place, item in enumerate(items) if place >= start and test(item).data)
    return Operand(types.I4, next(places, -1))


def find_last_index(call: Call, items: Query, test: Function) -> Operand:
    """`FindLastIndex(match)`."""
    return Operand(types.I4, max((place for place, item in enumerate(items) if test(item).data), default=-1))


# truth and number


def any_of(call: Call, items: Query, test: Function | None = None) -> Operand:
    """`Any`, `Exists`."""
    return boolean(next(iter(_matching(items, test)), None) is not None)


def all_of(call: Call, items: Query, test: Function) -> Operand:
    """`All`, `TrueForAll`."""
    return boolean(all(test(item).data for item in items))


def contains(call: Call, items: Query, value: Operand) -> Operand:
    """`Contains(value)`."""
    key = key_of(call.env, value)
    return boolean(any(key_of(call.env, item) == key for item in items))


def count(call: Call, items: Query, test: Function | None = None) -> Operand:
    """`Count` and `LongCount`."""
    return Operand(call.result, sum(1 for _ in _matching(items, test)))


def for_each(call: Call, items: Query, action: Function) -> Operand:
    """`ForEach(action)`."""
    for item in buffered(items):
        action(item)
    return Operand(types.VOID, None)


# sums and extremes


def _plain(kind: Type) -> Type:
    return kind.element if kind.kind is Kind.NULLABLE else kind


def _total(env: Environment, kind: Type, numbers: Iterable[Any]) -> tuple[Any, int]:
    """(the sum of numbers of a type, checked; how many there are)."""
    operation = binary_operation(env.universe, "+", kind, kind, Flags(checked=True))
    assert operation is not None
    total, many = Operand(kind, Decimal(0) if kind is types.DECIMAL else 0.0 if kind is types.R8 else 0), 0
    for number in numbers:
        total = operation.apply(env, total, Operand(kind, number))
        many += 1
    return total.data, many


def _numbers(items: Iterable[Operand]) -> Iterable[Any]:
    return (item.data for item in items if item.data is not None)


def sum_of(call: Call, items: Query, project: Function | None = None) -> Operand:
    """`Sum`: the nulls of nullable numbers are left out."""
    kind = _plain(call.result)
    wide = types.R8 if kind is types.R4 else kind
    total, _ = _total(call.env, wide, _numbers(_projected(items, project)))
    return Operand(call.result, cast(call.env, Operand(wide, total), kind).data)


def average(call: Call, items: Query, project: Function | None = None) -> Operand:
    """`Average`: of integers a double, of a nullable type null where there is no number."""
    kind, env = _plain(call.result), call.env
    if kind is types.DECIMAL:
        exact, many = _total(env, kind, _numbers(_projected(items, project)))
        quotient = numeric.decimal_quotient(exact, Decimal(many)) if many else None
    else:
        given = list(_numbers(_projected(items, project)))
        are_whole = all(isinstance(number, int) for number in given)
        exact, many = _total(env, types.I8 if are_whole else types.R8, given)
        quotient = cast(env, Operand(types.R8, float(exact) / many), kind).data if many else None
    if quotient is None and call.result.kind is not Kind.NULLABLE:
        raise EvaluationError(_EMPTY)
    return Operand(call.result, quotient)


def _extreme(sign: int, *, is_by: bool = False) -> Callable[..., Operand]:
    """Min and Max, and (`is_by`) MinBy and MaxBy, which give the element, the first one where all keys are null."""

    def method(call: Call, items: Query, by: Function | None = None) -> Operand:
        env, best, best_key = call.env, None, None
        for item in items:
            key = by(item) if by is not None else item
            if best_key is None or (
                key.data is not None and (best_key.data is None or compare(env, key, best_key) * sign > 0)
            ):
                best, best_key = item if is_by else key, key
        if best is None and call.result.is_value_type and call.result.kind is not Kind.NULLABLE:
            raise EvaluationError(_EMPTY)
        return best if best is not None else Operand(call.result, None)

    return method


min_of, max_of, min_by, max_by = _extreme(-1), _extreme(1), _extreme(-1, is_by=True), _extreme(1, is_by=True)


def aggregate(call: Call, items: Query, function: Function, seed: Operand | None = None) -> Operand:
    """`Aggregate(function)` and `Aggregate(seed, function)`."""
    result = seed
    for item in items:
        result = item if result is None else function(result, item)
    if result is None:
        raise EvaluationError(_EMPTY)
    return result
