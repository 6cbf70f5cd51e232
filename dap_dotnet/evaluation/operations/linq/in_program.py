"""What a query gives as an object of the program: an array, a list, a dictionary, a Lookup of its groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create_array
from dap_dotnet.evaluation.operations.framework import framework_method, framework_type
from dap_dotnet.evaluation.operations.linq.comparing import key_of
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
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type

MOST_MADE = 10_000
"""How many elements of a result are put into an array or list of the program."""
_MADE = frozenset({Kind.LAMBDA, Kind.SEQUENCE, Kind.TUPLE})
"""Kinds of what only the expression has."""
_PAIR = "System.Collections.Generic.KeyValuePair`2"
_LIST = "System.Collections.Generic.List`1"


def in_program(env: Environment, sequence: Query) -> Operand:
    """All that a query gives: an array, a Lookup of groups, or a Grouping where it is a group itself.

    Raises `EvaluationError` for too many elements.
    """
    if isinstance(sequence, Group):
        return _of_lookup(env, "First", sequence.type, [sequence])
    items = _all(env, sequence)
    if isinstance(sequence, Lookup) or _are_groups(env, items):
        return _lookup(env, sequence.element, [item.data for item in items])
    return _array(env, items, sequence.element)


def to_array(env: Environment, items: Iterable[Operand], element: Type) -> Operand:
    """An array of the program with all elements. Raises `EvaluationError` for too many."""
    every = _all(env, items)
    if _are_groups(env, every):
        return _of_lookup(env, "ToArray", element, [item.data for item in every])
    return _array(env, every, element)


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


def _array(env: Environment, items: Sequence[Operand], element: Type) -> Operand:
    return create_array(env, element, [_element(env, item, element) for item in items])


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
