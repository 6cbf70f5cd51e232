"""LINQ's methods that number, cut, count or look up elements, and set operations by a key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from collections.abc import Sequence as Many
from itertools import chain, islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.joining import group_by
from dap_dotnet.evaluation.operations.lambdas import Lambda
from dap_dotnet.evaluation.operations.ordering import key_of
from dap_dotnet.evaluation.operations.sequences import (
    Sequence,
    buffered,
    inner_sequence,
    numbered,
    operand_of,
    to_array,
)
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand

Arguments = Many[Operand]
Method = Callable[[Environment, Sequence, Arguments], "Operand | None"]
"""None: the method has no such overload."""
_PAIR = "System.Collections.Generic.KeyValuePair`2"


def _key(arguments: Arguments) -> Lambda | None:
    """The last argument, where it is a lambda of one parameter."""
    found = arguments[-1].data if arguments else None
    return found if isinstance(found, Lambda) and found.count == 1 else None


def _chunk(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if len(arguments) != 1 or arguments[0].type is not types.I4 or arguments[0].data < 1:
        return None
    size = int(arguments[0].data)

    def elements(env: Environment) -> Iterator[Operand]:
        items = source.elements(env)
        while part := buffered(env, islice(items, size)):
            made = to_array(env, _of(part, source))
            env.kept.append(made)
            yield made

    return operand_of(Sequence(elements, None))


def _of(items: list[Operand], source: Sequence) -> Sequence:
    return Sequence(lambda env: iter(items), source)


def _index(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if arguments:
        return None
    names = ("Index", "Item")

    def elements(env: Environment) -> Iterator[Operand]:
        for item, number in numbered(source.elements(env)):
            env.kept.append(item)
            yield Operand(types.TUPLE, (number, item), None, names)

    return operand_of(Sequence(elements, None))


def _count_by(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    by = _key(arguments)
    if by is None or len(arguments) != 1:
        return None

    def elements(env: Environment) -> Iterator[Operand]:
        found: dict[Hashable, tuple[Operand, int]] = {}
        for item in source.elements(env):
            key = by.invoke(env, item)
            env.kept.append(key)
            known = found.setdefault(key_of(env, key), (key, 0))
            found[key_of(env, key)] = known[0], known[1] + 1
        for key, count in found.values():
            yield _pair(env, key, Operand(types.I4, count))

    return operand_of(Sequence(elements, None))


def _pair(env: Environment, key: Operand, value: Operand) -> Operand:
    kind = env.universe.named(_PAIR, (key.type, value.type))
    if kind is None:
        raise EvaluationError("The program has not loaded KeyValuePair<TKey, TValue>")
    return Operand(types.PAIR, (key, value, kind))


def _set_by(*, joins: bool, wanted: bool = False) -> Method:
    """UnionBy (`joins`); IntersectBy and ExceptBy, whose argument is of keys: those that are `wanted`, or not."""

    def operation(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        by = _key(arguments)
        if by is None or len(arguments) != 2 or isinstance(arguments[0].data, Lambda):
            return None
        other = inner_sequence(env, arguments[0])

        def elements(env: Environment) -> Iterator[Operand]:
            keys = set() if joins else {key_of(env, key) for key in other.elements(env)}
            seen = set[Hashable]()
            for item in chain(source.elements(env), other.elements(env)) if joins else source.elements(env):
                env.kept.append(item)
                key = key_of(env, by.invoke(env, item))
                if key not in seen and (joins or (key in keys) is wanted):
                    seen.add(key)
                    yield item

        return operand_of(Sequence(elements, source))

    return operation


def _default_if_empty(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if len(arguments) != 1 or isinstance(arguments[0].data, Lambda):
        return None
    kind = source.shown_element()
    default = arguments[0] if kind is None else cast(env, arguments[0], kind)
    env.kept.append(default)

    def elements(env: Environment) -> Iterator[Operand]:
        is_empty = True
        for item in source.elements(env):
            is_empty = False
            yield item
        if is_empty:
            yield default

    return operand_of(Sequence(elements, source))


def _to_lookup(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    """ToLookup(key) and (key, element): its groups, which are also found by their keys."""
    if not 0 < len(arguments) < 3 or any(not isinstance(one.data, Lambda) or one.data.count != 1 for one in arguments):
        return None
    groups = group_by(env, source, arguments)
    assert groups is not None
    found = buffered(env, groups.data.elements(env))
    made = Sequence(lambda env: iter(found), None)
    made.by_key = {key_of(env, group.data.key): group for group in found}
    return operand_of(made)


def has_key(env: Environment, lookup: Sequence, key: Operand) -> bool:
    """`lookup.Contains(key)`."""
    return lookup.by_key is not None and key_of(env, key) in lookup.by_key


SHAPING: dict[str, Method] = {
    "Chunk": _chunk,
    "Index": _index,
    "CountBy": _count_by,
    "UnionBy": _set_by(joins=True),
    "IntersectBy": _set_by(joins=False, wanted=True),
    "ExceptBy": _set_by(joins=False),
    "DefaultIfEmpty": _default_if_empty,
    "ToLookup": _to_lookup,
}
