"""LINQ's methods that give sequences, where they take more than an expression: `table` has them all.

They are iterators, which begin anew whenever the elements are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cmp_to_key
from itertools import islice

from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.linq.sequences import (
    Call,
    Function,
    Group,
    Lookup,
    Query,
    buffered,
    operand_of,
    sequence_of,
)
from dap_dotnet.evaluation.operations.linq.values import compare, key_of, to_array
from dap_dotnet.evaluation.operations.operand_values import boxed, cast, default_of, is_instance
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type

Items = Iterator[Operand]


def numbered(items: Iterable[Operand]) -> Iterator[tuple[Operand, Operand]]:
    """Elements with their numbers, as overloads with an index take them."""
    return ((item, Operand(types.I4, number)) for number, item in enumerate(items))


def range_of(call: Call, first: int, count: int) -> Items | None:
    """`Range(first, count)`; None where the program throws."""
    if count < 0 or first + count - 1 > 2**31 - 1:
        return None
    return _stepped(call.env, (Operand(types.I4, first + number) for number in range(count)))


def repeat(call: Call, value: Operand, count: int) -> Items | None:
    """`Repeat(value, count)`; None where the program throws."""
    return _stepped(call.env, (value for _ in range(count))) if count >= 0 else None


def _stepped(env: Environment, items: Items) -> Items:
    for item in items:
        env.step()
        yield item


def of_type(call: Call, items: Query) -> Items:
    """`OfType<T>()`."""
    (kind,) = call.type_arguments
    return (cast(call.env, item, kind) for item in items if is_instance(call.env, item, kind))


def cast_items(call: Call, items: Query) -> Items:
    """`Cast<T>()`, of boxes: numbers are not converted."""
    env, (kind,) = call.env, call.type_arguments
    return (cast(env, boxed(env, item) if item.type.is_value_type else item, kind) for item in items)


def flattened(call: Call, pairs: Iterator[tuple[Operand, Operand]], result: Function | None = None) -> Items:
    """SelectMany, of elements with their collections; `result` makes one of an element and each of its inner ones."""
    for item, collection in pairs:
        if collection.data is None:
            raise null_reference("the sequence")
        inner = sequence_of(call.env, collection, call.type_arguments[1])
        assert inner is not None
        for one in inner:
            yield result(item, one) if result is not None else one


def take_last(call: Call, items: Query, count: int) -> Items:
    """`TakeLast(count)`."""
    every = buffered(items)
    yield from every[max(len(every) - max(count, 0), 0) :]


def skip_last(call: Call, items: Query, count: int) -> Items:
    """`SkipLast(count)`."""
    every = buffered(items)
    yield from every[: max(len(every) - max(count, 0), 0)]


def reverse(call: Call, items: Query) -> Items:
    """`Reverse()`."""
    yield from reversed(buffered(items))


def chunk(call: Call, items: Query, size: int) -> Items | None:
    """`Chunk(size)`; None where the program throws."""
    source = iter(items)
    parts = iter(lambda: buffered(islice(source, size)), [])
    return (to_array(call.env, part, call.type_arguments[0]) for part in parts) if size > 0 else None


def compared(*, has_key: bool) -> Callable[..., Items]:
    """Intersect (`has_key`) and Except, by the elements themselves or by keys, which `other` has then."""

    def method(call: Call, items: Query, other: Query, by: Function | None = None) -> Items:
        keys = {key_of(call.env, one) for one in other}
        yield from once(call, items, by, lambda key: (key in keys) is has_key)

    return method


def once(
    call: Call,
    items: Iterable[Operand],
    by: Function | None = None,
    accepts: Callable[[Hashable], bool] = lambda key: True,
) -> Items:
    """The first elements with each key that is accepted: Distinct, Union."""
    seen = set[Hashable]()
    for item in items:
        key = key_of(call.env, by(item) if by is not None else item)
        if key not in seen and accepts(key):
            seen.add(key)
            yield item


def default_if_empty(call: Call, items: Query, value: Operand | None = None) -> Items:
    """`DefaultIfEmpty()` and `DefaultIfEmpty(value)`."""
    is_empty = True
    for item in items:
        is_empty = False
        yield item
    if is_empty:
        yield value if value is not None else default_of(call.env, call.type_arguments[0])


def zip_of(call: Call, items: Query, other: Query, result: Function | None = None) -> Items:
    """`Zip(other)` and `Zip(other, result)`."""
    for pair in zip(items, other, strict=False):
        yield result(*pair) if result is not None else Operand(types.TUPLE, pair)


# groups


_Grouped = dict[Hashable, "tuple[Operand, list[Operand]]"]
"""By what keys are equal in: the first key, and the elements in order."""


def _grouped(env: Environment, items: Iterable[Operand], by: Function, element: Function | None = None) -> _Grouped:
    groups = _Grouped()
    for item in buffered(items):
        key = by(item)
        member = element(item) if element is not None else item
        groups.setdefault(key_of(env, key), (key, []))[1].append(member)
    return groups


def group_by(call: Call, items: Query, by: Function, element: Function | None = None) -> Items:
    """`GroupBy(key)` and `GroupBy(key, element)`."""
    (kind,) = call.result.arguments
    for key, members in _grouped(call.env, items, by, element).values():
        yield operand_of(Group(members, kind, key))


def group_results(call: Call, items: Query, by: Function, result: Function, element: Function | None = None) -> Items:
    """`GroupBy(key, result)`, and with what makes an element."""
    kind = call.type_arguments[0 if element is None else 2]
    for key, members in _grouped(call.env, items, by, element).values():
        yield result(key, _of_list(members, kind))


def _of_list(members: list[Operand], kind: Type) -> Operand:
    return operand_of(Query(lambda: iter(members), kind))


def to_lookup(call: Call, items: Query, by: Function, element: Function | None = None) -> Operand:
    """`ToLookup(key)` and `ToLookup(key, element)`."""
    kind = call.env.universe.named("System.Linq.IGrouping`2", call.result.arguments)
    assert kind is not None
    groups = _grouped(call.env, items, by, element)
    return operand_of(Lookup({key: operand_of(Group(one[1], kind, one[0])) for key, one in groups.items()}, kind))


def join(call: Call, items: Query, other: Query, *functions: Function) -> Items:
    """`Join(other, outer key, inner key, result)`."""
    *keys, result = functions
    for item, matching in _matches(call.env, items, other, *keys):
        yield from (result(item, one) for one in matching)


def group_join(call: Call, items: Query, other: Query, *functions: Function) -> Items:
    """`GroupJoin(other, outer key, inner key, result)`."""
    *keys, result = functions
    for item, matching in _matches(call.env, items, other, *keys):
        yield result(item, _of_list(matching, call.type_arguments[1]))


def _matches(
    env: Environment, items: Query, other: Query, outer: Function, inner: Function
) -> Iterator[tuple[Operand, list[Operand]]]:
    groups = _grouped(env, other, inner)
    groups.pop(None, None)  # null joins nothing
    for item in items:
        key = key_of(env, outer(item))
        yield item, groups[key][1] if key in groups else []


# order


Levels = tuple[tuple["Function | None", bool, "Operand | None"], ...]
"""What is sorted by, most important first: by what of an element (None: itself), whether descending, the comparer."""


class Ordered(Query):
    """What OrderBy and ThenBy give."""

    __slots__ = ("levels", "unsorted")

    def __init__(self, env: Environment, unsorted: Query, levels: Levels) -> None:
        super().__init__(lambda: _sorted(env, unsorted, levels), unsorted.element)
        self.unsorted = unsorted
        self.levels = levels


def order(*, descending: bool) -> Callable[..., Query]:
    """OrderBy and Order."""

    def method(call: Call, items: Query, by: Function | None = None, comparer: Operand | None = None) -> Query:
        return Ordered(call.env, items, ((by, descending, comparer),))

    return method


def then_by(*, descending: bool) -> Callable[..., Query | None]:
    """ThenBy; None for what the program has ordered."""

    def method(call: Call, items: Query, by: Function, comparer: Operand | None = None) -> Query | None:
        if not isinstance(items, Ordered):
            return None
        return Ordered(call.env, items.unsorted, (*items.levels, (by, descending, comparer)))

    return method


def _sorted(env: Environment, unsorted: Query, levels: Levels) -> Items:
    items = buffered(unsorted)
    columns = [list(map(by, items)) if by is not None else items for by, _, _ in levels]

    def compared(left: int, right: int) -> int:
        for column, (_, descending, comparer) in zip(columns, levels, strict=True):
            order = compare(env, column[left], column[right], comparer)
            if order:
                return -order if descending else order
        return 0

    yield from (items[number] for number in sorted(range(len(items)), key=cmp_to_key(compared)))
