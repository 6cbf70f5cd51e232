"""What a query gives as an object of the program: an array, a list, a dictionary, LINQ's own groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create_array
from dap_dotnet.evaluation.operations.framework import framework_method, framework_type
from dap_dotnet.evaluation.operations.linq.sequences import (
    GROUPING,
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


def in_program(env: Environment, query: Query) -> Operand:
    """All that a query gives, as an array; groups and lookups are LINQ's own. Raises `EvaluationError` for too many."""
    if query.in_program is not None and isinstance(query, Group | Lookup):
        return query.in_program(env)
    if query.in_program is not None and query.element.full_name == GROUPING:
        groups = enumerable(env, query.in_program(env), query.element)
        return run_enumerable(env, "ToArray", [groups], (query.element,))
    return to_array(env, query, query.element)


def to_array(env: Environment, items: Iterable[Operand], element: Type) -> Operand:
    """An array of the program with all elements. Raises `EvaluationError` for too many."""
    return create_array(env, element, [_element(env, item, element) for item in _all(env, items)])


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


def _copied(env: Environment, kind: Type, array: Operand) -> Operand:
    """A collection of a type with the items of an array."""
    items = framework_type(env, "System.Collections.Generic.IEnumerable`1", (array.type.element,))
    return env.runner.construct(env, kind, framework_method(env, kind, ".ctor", 1, [items]), [array])
