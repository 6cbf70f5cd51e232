"""LINQ's methods that give one value, and the collections of the program that its queries become.

They ask for no more elements than C# does. Equality and order of elements are those of the default comparers of .NET.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation import numeric
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create_array
from dap_dotnet.evaluation.operations.framework import call_framework, framework_method, framework_type
from dap_dotnet.evaluation.operations.linq.sequences import (
    Call,
    Function,
    Group,
    Lookup,
    Query,
    buffered,
    dispose,
    enumerable,
    plain,
    run_enumerable,
)
from dap_dotnet.evaluation.operations.operand_values import cast, default_of
from dap_dotnet.evaluation.operations.operators import Flags, binary_operation
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, boolean, is_tuple
from dap_dotnet.evaluation.types.declarations import ancestors_of, bases_of, candidates
from dap_dotnet.runtime.model import Value

_EMPTY = "System.InvalidOperationException: Sequence contains no elements"
_NO_MATCH = "System.InvalidOperationException: Sequence contains no matching element"
_MANY_MATCH = "System.InvalidOperationException: Sequence contains more than one matching element"
_MANY = "System.InvalidOperationException: Sequence contains more than one element"
_BY_VALUE = frozenset({Kind.BOOL, Kind.NUMBER, Kind.ENUM})
MOST_CALLS = 2_000
"""Comparisons that the program's own code makes, in one evaluation."""


def key_of(env: Environment, operand: Operand) -> Hashable:
    """What is equal for operands that EqualityComparer<T>.Default takes for equal.

    Where a type has an Equals of its own, that decides, with the type's GetHashCode. Raises `EvaluationError` where
    they need the program, and it may not run.
    """
    kind, data = operand.type, operand.data
    if data is None:
        return None
    inner = kind.stripped
    if inner.kind in _BY_VALUE and not isinstance(data, Value):
        return "NaN" if isinstance(data, float) and math.isnan(data) else data
    if kind.kind is Kind.STRING:
        return env.text(operand)
    if kind.kind is Kind.TYPE:
        return id(data)  # types are interned
    if kind.kind is Kind.TUPLE:
        return tuple(key_of(env, item) for item in data)
    if is_tuple(kind):
        assert isinstance(data, Value)
        parts = (env.read_named(data, f"Item{number}") for number in range(1, len(kind.arguments) + 1))
        return tuple(key_of(env, env.operand(*part)) for part in zip(parts, kind.arguments, strict=True))
    if isinstance(data, Value) and data.is_reference and not data.is_boxed and not _has_own_equality(env, operand):
        if env.keyed_at not in (None, env.calls):
            raise EvaluationError(
                f"Objects of type '{kind.name}' are told apart by their addresses, which may change when the program "
                "runs in between: compare one of their members, or take ToList() of what runs it first"
            )
        env.keyed_at = env.calls
        return data.address
    return _OwnKey(env, operand)


class _OwnKey:
    """A key that the code of its type compares."""

    __slots__ = ("_env", "_hash", "_operand")

    def __init__(self, env: Environment, operand: Operand) -> None:
        self._env = env
        self._operand = Operand(operand.type, operand.data, operand.value)
        self._hash = int(_asked(env, plain(env, self._operand), types.OBJECT, "GetHashCode"))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _OwnKey) or self._hash != other._hash:
            return False
        target = plain(self._env, self._operand)
        kind = self._env.own_type(target)
        equatable = _interface(self._env, kind, "System.IEquatable`1", kind) or types.OBJECT
        return bool(_asked(self._env, target, equatable, "Equals", other._operand))


def _asked(env: Environment, target: Operand, owner: Type, name: str, *given: Operand) -> Any:
    """What the program's code says that compares values. Raises `EvaluationError` where it has to too often."""
    env.comparisons += 1
    if env.comparisons > MOST_CALLS:
        raise EvaluationError(
            f"More than {MOST_CALLS:,} comparisons would have to run in the program: take fewer elements, or compare "
            "them by a number or a text"
        )
    return call_framework(env, target, owner, name, given).data


def _has_own_equality(env: Environment, operand: Operand) -> bool:
    for owner in bases_of(env.universe, env.own_type(operand)):
        if owner is types.OBJECT:
            return False
        if any(one.method.name == "Equals" for one in candidates(env.universe, owner)):
            return True
    return False


def compare(env: Environment, left: Operand, right: Operand, own: Operand | None = None) -> int:
    """As Comparer<T>.Default does: below, at or above 0. Null comes first, NaN before all numbers.

    Numbers are compared here, all else by CompareTo in the program. `own` is an IComparer<T> to ask instead.
    """
    if own is not None and own.data is not None:
        return int(_asked(env, own, own.type, "Compare", left, right))
    if left.data is None or right.data is None:
        return (left.data is not None) - (right.data is not None)
    kinds = {left.type.stripped.kind, right.type.stripped.kind}
    if kinds <= _BY_VALUE and not isinstance(left.data, Value) and not isinstance(right.data, Value):
        return _order_of_numbers(left.data, right.data)
    if kinds == {Kind.TUPLE}:
        pairs = zip(left.data, right.data, strict=True)
        return next((order for pair in pairs if (order := compare(env, *pair))), 0)
    target = plain(env, left)
    kind = env.own_type(target)
    comparable = _interface(env, kind, "System.IComparable`1", kind) or _interface(env, kind, "System.IComparable")
    if comparable is None:
        raise EvaluationError(f"Values of type '{target.type.name}' cannot be compared: they have no CompareTo")
    return int(_asked(env, target, comparable, "CompareTo", right))


def _interface(env: Environment, kind: Type, name: str, *arguments: Type) -> Type | None:
    """The interface of a name and type arguments that a type implements; None where it does not."""
    implemented = (one for one in ancestors_of(env.universe, kind) if one.full_name == name)
    return next((one for one in implemented if one.arguments == arguments), None)


def _order_of_numbers(left: Any, right: Any) -> int:
    left_nan, right_nan = (isinstance(one, float) and math.isnan(one) for one in (left, right))
    if left_nan or right_nan:
        return int(right_nan) - int(left_nan)
    return int(left > right) - int(left < right)


# methods


_Pick = Callable[[Iterable[Operand], bool], "Operand | None"]
"""Chooses one of the elements (True: of those that a condition holds for); None where there are none."""


def matching(items: Iterable[Operand], test: Function | None) -> Iterable[Operand]:
    """The elements that a condition holds for."""
    return items if test is None else (item for item in items if test(item).data)


def _first(items: Iterable[Operand], is_conditional: bool) -> Operand | None:
    return next(iter(items), None)


def _last(items: Iterable[Operand], is_conditional: bool) -> Operand | None:
    result: Operand | None = None
    for item in items:
        result = item
    return result


def _single(items: Iterable[Operand], is_conditional: bool) -> Operand | None:
    some = list(islice(items, 2))
    if len(some) > 1:
        raise EvaluationError(_MANY_MATCH if is_conditional else _MANY)
    return some[0] if some else None


def _picked(pick: _Pick, *, or_default: bool = False) -> Callable[..., Operand]:
    """First, Last and Single, and (`or_default`) FirstOrDefault and its like, Find, too."""

    def method(call: Call, items: Query, test: Function | None = None, default: Operand | None = None) -> Operand:
        item = pick(matching(items, test), test is not None) or default
        if item is not None:
            return item
        if or_default:
            return default_of(call.env, call.result)
        raise EvaluationError(_EMPTY if test is None else _NO_MATCH)

    return method


first, last, single = _picked(_first), _picked(_last), _picked(_single)
first_or_default, last_or_default = _picked(_first, or_default=True), _picked(_last, or_default=True)
single_or_default = _picked(_single, or_default=True)


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


def contains(call: Call, items: Query, value: Operand) -> Operand:
    """`Contains(value)`."""
    key = key_of(call.env, value)
    return boolean(any(key_of(call.env, item) == key for item in items))


def for_each(call: Call, items: Query, action: Function) -> Operand:
    """`ForEach(action)`."""
    for item in buffered(items):
        action(item)
    return Operand(types.VOID, None)


def _total(env: Environment, kind: Type, numbers: Iterable[Any]) -> tuple[Any, int]:
    """(the sum of numbers of a type, checked; how many there are)."""
    operation = binary_operation(env.universe, "+", kind, kind, Flags(checked=True))
    assert operation is not None
    total, many = Operand(kind, Decimal(0) if kind is types.DECIMAL else 0.0 if kind is types.R8 else 0), 0
    for number in numbers:
        total = operation.apply(env, total, Operand(kind, number))
        many += 1
    return total.data, many


def _numbers(items: Iterable[Operand], project: Function | None) -> Iterable[Any]:
    """The nulls of nullable numbers are left out."""
    projected = items if project is None else map(project, items)
    return (item.data for item in projected if item.data is not None)


def sum_of(call: Call, items: Query, project: Function | None = None) -> Operand:
    """`Sum`."""
    kind = call.result.stripped
    wide = types.R8 if kind is types.R4 else kind
    total, _ = _total(call.env, wide, _numbers(items, project))
    return Operand(call.result, cast(call.env, Operand(wide, total), kind).data)


def average(call: Call, items: Query, project: Function | None = None) -> Operand:
    """`Average`: of integers a double, of a nullable type null where there is no number."""
    kind, env = call.result.stripped, call.env
    if kind is types.DECIMAL:
        exact, many = _total(env, kind, _numbers(items, project))
        quotient = numeric.decimal_quotient(exact, Decimal(many)) if many else None
    else:
        given = list(_numbers(items, project))
        are_whole = all(isinstance(number, int) for number in given)
        exact, many = _total(env, types.I8 if are_whole else types.R8, given)
        quotient = cast(env, Operand(types.R8, float(exact) / many), kind).data if many else None
    if quotient is None and call.result.kind is not Kind.NULLABLE:
        raise EvaluationError(_EMPTY)
    return Operand(call.result, quotient)


def extreme(sign: int, *, is_by: bool = False) -> Callable[..., Operand]:
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


def aggregate(items: Iterable[Operand], function: Function, seed: Operand | None = None) -> Operand:
    """`Aggregate`."""
    result = seed
    for item in items:
        result = item if result is None else function(result, item)
    if result is None:
        raise EvaluationError(_EMPTY)
    return result


# collections of the program


MOST_MADE = 10_000
"""How many elements of a result are put into an array or list of the program."""
_MADE = frozenset({Kind.LAMBDA, Kind.SEQUENCE, Kind.TUPLE})
"""Kinds of what only the expression has."""
_PAIR = "System.Collections.Generic.KeyValuePair`2"
_LIST = "System.Collections.Generic.List`1"


def in_program(env: Environment, query: Query) -> Operand:
    """All that a query gives: an array, a Lookup of groups, or a Grouping where it is a group itself.

    Raises `EvaluationError` for too many elements.
    """
    if isinstance(query, Group):
        return _of_lookup(env, "First", query.type, [query])
    items = _all(env, query)
    if isinstance(query, Lookup) or _are_groups(env, items):
        return _lookup(env, query.element, [item.data for item in items])
    return _array(env, items, query.element)


def to_array(env: Environment, items: Iterable[Operand], element: Type) -> Operand:
    """An array of the program with all elements. Raises `EvaluationError` for too many."""
    every = _all(env, items)
    if _are_groups(env, every):
        return _of_lookup(env, "ToArray", element, [item.data for item in every])
    return _array(env, every, element)


def _array(env: Environment, items: Sequence[Operand], element: Type) -> Operand:
    return create_array(env, element, [_element(env, item, element) for item in items])


def to_list(env: Environment, items: Iterable[Operand], element: Type) -> Operand:
    """As `to_array`, as a List<T>."""
    array = to_array(env, items, element)
    return _copied(env, framework_type(env, _LIST, (element,)), array)


def collected(
    env: Environment, items: Iterable[Operand], make: Callable[[list[Operand]], Operand]
) -> Operand | Callable[[], Operand]:
    """What makes a collection of the program of all elements; the collection itself where they are no values yet."""
    every = _all(env, items)
    return partial(make, every) if _are_values(every) else make(every)


def _are_values(items: Iterable[Operand]) -> bool:
    """Whether nothing is left to run of what made them."""
    return not any(item.type.kind in _MADE or item.type is types.PAIR for item in items)


def to_dictionary(
    call: Call, items: Query, by: Function, element: Function | None = None
) -> Operand | Callable[[], Operand]:
    """`ToDictionary(key)` and `ToDictionary(key, element)`.

    Raises `EvaluationError`, `CalleeThrew` for a key that comes twice.
    """
    env = call.env
    every = buffered(islice(items, MOST_MADE + 1))
    if len(every) > MOST_MADE:
        raise EvaluationError(f"No dictionary of more than {MOST_MADE:,} elements is made here: take a part of them")
    keys = [by(item) for item in every]
    held = [element(item) if element is not None else item for item in every]
    make = partial(_dictionary, env, call.result, keys, held)
    return make if _are_values([*keys, *held]) else make()


def _dictionary(env: Environment, kind: Type, keys: Sequence[Operand], held: Sequence[Operand]) -> Operand:
    of_keys, of_values = kind.arguments
    pair = framework_type(env, _PAIR, kind.arguments)
    pairs = [
        Operand(types.PAIR, (_element(env, key, of_keys), _element(env, value, of_values), pair))
        for key, value in zip(keys, held, strict=True)
    ]
    return _copied(env, kind, create_array(env, pair, pairs))


def _all(env: Environment, items: Iterable[Operand]) -> list[Operand]:
    opened = len(env.enumerators)
    every = buffered(islice(items, MOST_MADE + 1))
    dispose(env, opened)
    if len(every) > MOST_MADE:
        raise EvaluationError(f"The query gives more than {MOST_MADE:,} elements: take some of them, or count them")
    return every


def _element(env: Environment, item: Operand, kind: Type) -> Operand:
    """An element of a collection, as the program has it, but for pairs of its type and tuples."""
    if item.type is types.PAIR and item.data[2] is kind:
        return item
    if item.type.kind not in (Kind.LAMBDA, Kind.SEQUENCE):
        return plain(env, item)
    return item.data.in_program(env) if item.type.kind is Kind.LAMBDA else in_program(env, item.data)


def _are_groups(env: Environment, items: Sequence[Operand]) -> bool:
    """Whether there are elements, all of them groups, each with a key of its own."""
    keys = [item.data.key for item in items if isinstance(item.data, Group)]
    return 0 < len(items) == len(keys) == len({key_of(env, key) for key in keys})


def _of_lookup(env: Environment, name: str, grouping: Type, groups: Sequence[Group]) -> Operand:
    """What a method of LINQ gives for a Lookup."""
    return run_enumerable(env, name, [enumerable(env, _lookup(env, grouping, groups), grouping)], (grouping,))


def _lookup(env: Environment, grouping: Type, groups: Sequence[Group]) -> Operand:
    """A Lookup<TKey, TElement>, whose groups come in the order of GroupBy's.

    The program makes it of the numbers of all elements, with two functions that give the key and the element of each.
    """
    keys, items = list[Operand](), list[Operand]()
    for group in groups:
        key = plain(env, group.key)
        for item in group:
            items.append(_element(env, item, grouping.arguments[1]))
            keys.append(key)
            if len(items) > MOST_MADE:
                raise EvaluationError(f"The groups have more than {MOST_MADE:,} elements: take some of them")
    numbers = run_enumerable(env, "Range", [Operand(types.I4, 0), Operand(types.I4, len(items))])
    given = [enumerable(env, numbers, types.I4)]
    for kind, column in zip(grouping.arguments, (keys, items), strict=True):
        given.append(_getter(env, kind, column))
    return run_enumerable(env, "ToLookup", given, (types.I4, *grouping.arguments))


def _getter(env: Environment, kind: Type, items: Sequence[Operand]) -> Operand:
    """A delegate of the program that gives the item with a number."""
    array = create_array(env, kind, items)
    listed = _copied(env, framework_type(env, _LIST, (kind,)), array)
    method = framework_method(env, listed.type, "get_Item", 1)
    return env.runner.delegate(env, framework_type(env, "System.Func`2", (types.I4, kind)), method, listed)


def _copied(env: Environment, kind: Type, array: Operand) -> Operand:
    """A collection of a type with the items of an array."""
    items = framework_type(env, "System.Collections.Generic.IEnumerable`1", (array.type.element,))
    return env.runner.construct(env, kind, framework_method(env, kind, ".ctor", 1, [items]), [array])
