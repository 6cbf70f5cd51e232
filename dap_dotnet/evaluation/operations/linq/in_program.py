"""What a query gives as an object of the program: an array, a list, a dictionary, a Lookup of its groups."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as Many
from itertools import islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.creation import create, create_array
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.linq.comparing import key_of
from dap_dotnet.evaluation.operations.linq.program_enumerators import dispose, run_enumerable
from dap_dotnet.evaluation.operations.linq.sequences import Call, Function, Group, Sequence, buffered, plain
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.runtime.model import MethodToken

MOST_MADE = 10_000
"""How many elements of a result are put into an array or list of the program."""
_GROUPING = "System.Linq.IGrouping`2"
_PAIR = "System.Collections.Generic.KeyValuePair`2"
_LIST = "System.Collections.Generic.List`1"


def in_program(env: Environment, sequence: Sequence) -> Operand:
    """All that a query gives: an array, a Lookup of groups, or a Grouping where it is a group itself.

    Raises `EvaluationError` for too many elements.
    """
    if isinstance(sequence, Group):
        return run_enumerable(env, "First", [_lookup(env, sequence.type, [sequence])])
    items = _all(env, sequence)
    if _are_groups(env, items):
        return _lookup(env, sequence.element, [item.data for item in items])
    return _array(env, items, sequence.element)


def to_array(env: Environment, items: Iterable[Operand], element: Type) -> Operand:
    """An array of the program with all elements. Raises `EvaluationError` for too many."""
    every = _all(env, items)
    if _are_groups(env, every):
        return run_enumerable(env, "ToArray", [_lookup(env, element, [item.data for item in every])])
    return _array(env, every, element)


def to_list(env: Environment, items: Iterable[Operand], element: Type) -> Operand:
    """As `to_array`, a List<T>."""
    array = to_array(env, items, element)
    return _list_of(env, array)


def to_dictionary(call: Call, items: Sequence, by: Function, element: Function | None = None) -> Operand:
    """`ToDictionary(key)` and `ToDictionary(key, element)`.

    Raises `EvaluationError`, `CalleeThrew` for a key that comes twice.
    """
    env, kinds = call.env, call.result.arguments
    every = buffered(env, islice(items, MOST_MADE + 1))
    if len(every) > MOST_MADE:
        raise EvaluationError(f"No dictionary of more than {MOST_MADE:,} elements is made here: take a part of them")
    pair = env.universe.named(_PAIR, kinds)
    if pair is None:
        raise EvaluationError("The program has not loaded KeyValuePair<TKey, TValue>")
    columns = [_settled(env, map(by, every), kinds[0])]
    columns.append(_settled(env, map(element, every) if element is not None else every, kinds[1]))
    pairs = [Operand(types.PAIR, (key, value, pair)) for key, value in zip(*columns, strict=True)]
    return create(env, call.result, Given([create_array(env, pair, pairs)]))


def _settled(env: Environment, items: Iterable[Operand], kind: Type) -> list[Operand]:
    """Keys or values of a type, as the program has them."""
    kept = list[Operand]()
    for item in items:
        given = _element(env, item, kind)
        if given.type is not kind and given.type is not types.PAIR:
            given = convert_implicitly(env, given, kind)
        kept.append(Operand(given.type, given.data, given.value))
        if isinstance(given.data, tuple) and given.type is not types.PAIR:
            env.runner.put_on_heap(env, kept[-1])
    return kept


def _all(env: Environment, items: Iterable[Operand]) -> list[Operand]:
    opened = len(env.enumerators)
    every = buffered(env, islice(items, MOST_MADE + 1))
    if len(env.enumerators) > opened:
        dispose(env, opened, types.NULL_OPERAND)
    if len(every) > MOST_MADE:
        raise EvaluationError(f"The query gives more than {MOST_MADE:,} elements: take some of them, or count them")
    return every


def _array(env: Environment, items: Many[Operand], element: Type) -> Operand:
    return create_array(env, element, [_element(env, item, element) for item in items])


def _element(env: Environment, item: Operand, kind: Type) -> Operand:
    """An element of a collection, as the program has it, but for pairs of its type and tuples."""
    if item.type is types.PAIR and item.data[2] is kind:
        return item
    if item.type.kind not in (Kind.LAMBDA, Kind.SEQUENCE):
        return plain(env, item)
    return item.data.in_program(env) if item.type.kind is Kind.LAMBDA else in_program(env, item.data)


def _are_groups(env: Environment, items: Many[Operand]) -> bool:
    """Whether there are elements, all of them groups, each with a key of its own."""
    keys = [item.data.key for item in items if isinstance(item.data, Group)]
    return 0 < len(items) == len(keys) == len({key_of(env, key) for key in keys})


def _lookup(env: Environment, grouping: Type, groups: Many[Group]) -> Operand:
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
    given = [run_enumerable(env, "Range", [Operand(types.I4, 0), Operand(types.I4, len(items))])]
    for kind, column in zip(grouping.arguments, (keys, items), strict=True):
        given.append(_getter(env, kind, column))
    return run_enumerable(env, "ToLookup", given)


def _getter(env: Environment, kind: Type, items: Many[Operand]) -> Operand:
    """A delegate of the program that gives the item with a number."""
    array = create_array(env, kind, items)
    listed = _list_of(env, array)
    (method,) = [one for one in candidates(env.universe, listed.type) if one.method.name == "get_Item"]
    delegate = env.universe.named("System.Func`2", (types.I4, kind))
    if delegate is None:
        raise EvaluationError("The program has no System.Func")
    return env.runner.delegate(env, delegate, ExactMethod(listed.type, MethodToken(method.method.token)), listed)


def _list_of(env: Environment, array: Operand) -> Operand:
    kind = env.universe.named(_LIST, (array.type.element,))
    if kind is None:
        raise EvaluationError("The program has not loaded List<T>")
    return create(env, kind, Given([array]))
