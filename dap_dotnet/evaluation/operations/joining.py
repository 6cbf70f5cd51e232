"""LINQ's methods that put several sequences together, or make one of another shape, over `operations.sequences`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from collections.abc import Sequence as Many
from itertools import chain

from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.implicit import convert_implicitly
from dap_dotnet.evaluation.operations.lambdas import Lambda
from dap_dotnet.evaluation.operations.ordering import key_of
from dap_dotnet.evaluation.operations.sequences import (
    Sequence,
    buffered,
    element_of,
    given_by,
    inner_sequence,
    lazily,
    numbered,
    operand_of,
)
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type

Arguments = Many[Operand]
Method = Callable[[Environment, Sequence, Arguments], "Operand | None"]
_ENUMERABLE, _GROUPING = "System.Collections.Generic.IEnumerable`1", "System.Linq.IGrouping`2"


def _lambdas(arguments: Arguments, *counts: int) -> list[Lambda] | None:
    """The arguments, where they are lambdas of so many parameters."""
    found = [one.data for one in arguments if isinstance(one.data, Lambda)]
    return found if [one.count for one in found] == list(counts) and len(found) == len(arguments) else None


def select_many(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    """SelectMany, with and without a result selector, and with the index."""
    made = _lambdas(arguments, 1) or _lambdas(arguments, 2) or _lambdas(arguments, 1, 2) or _lambdas(arguments, 2, 2)
    if made is None:
        return None
    project, select = made[0], made[1].invoke if len(made) > 1 else None

    def elements(env: Environment) -> Iterator[Operand]:
        for item, number in numbered(source.elements(env)):
            env.kept.append(item)
            found = project.invoke(env, item) if project.count == 1 else project.invoke(env, item, number)
            if found.data is None:
                raise null_reference("the sequence")
            for inner in inner_sequence(env, found).elements(env):
                yield select(env, item, inner) if select is not None else inner

    def shown() -> Type | None:
        inner = element_of(env, given_by(source, project, *([types.I4] if project.count == 2 else [])))
        return given_by(source, made[1], inner) if len(made) > 1 else inner

    return operand_of(Sequence(elements, None, shown=shown))


def group_by(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    """GroupBy(key), (key, element), (key, result) and (key, element, result)."""
    for counts in ((1,), (1, 1), (1, 2), (1, 1, 2)):
        made = _lambdas(arguments, *counts)
        if made is not None:
            break
    else:
        return None
    by = made[0]
    element = made[1].invoke if counts[1:2] == (1,) else None
    result = made[-1].invoke if counts[-1] == 2 else None
    kind = source.element if element is None else None

    def elements(env: Environment) -> Iterator[Operand]:
        for key, items in _grouped(env, source, by, element).values():
            group = operand_of(_group(items, kind, key))
            yield result(env, key, group) if result is not None else group

    def shown() -> Type | None:
        kinds = given_by(source, by), given_by(source, made[1] if element is not None else None)
        group = _named(env, _GROUPING if result is None else _ENUMERABLE, kinds if result is None else kinds[1:])
        if result is None or kinds[0] is None:
            return group
        return given_by(Sequence(source.elements, kinds[0]), made[-1], group)

    return operand_of(Sequence(elements, None, shown=shown))


def _named(env: Environment, name: str, arguments: Many[Type | None]) -> Type | None:
    """A generic type of the framework; None where an argument is not known."""
    known = tuple(kind for kind in arguments if kind is not None)
    return env.universe.named(name, known) if len(known) == len(arguments) else None


def _grouped(
    env: Environment, source: Sequence, by: Lambda, element: Callable[[Environment, Operand], Operand] | None = None
) -> dict[Hashable, tuple[Operand, list[Operand]]]:
    """By what keys are equal in: the first key, and the elements in order. Everything stays in flight."""
    groups: dict[Hashable, tuple[Operand, list[Operand]]] = {}
    for item in buffered(env, source.elements(env)):
        key = by.invoke(env, item)
        env.kept.append(key)
        chosen = element(env, item) if element is not None else item
        env.kept.append(chosen)
        groups.setdefault(key_of(env, key), (key, []))[1].append(chosen)
    return groups


def _group(items: list[Operand], element: Type | None, key: Operand | None = None) -> Sequence:
    return Sequence(lambda env: iter(items), element, key)


def _join(*, groups: bool) -> Method:
    def join(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        made = _lambdas(arguments[1:], 1, 1, 2)
        if made is None or isinstance(arguments[0].data, Lambda):
            return None
        outer, inner, select = made
        other = inner_sequence(env, arguments[0])

        def elements(env: Environment) -> Iterator[Operand]:
            found = _grouped(env, other, inner)
            found.pop(None, None)  # null joins nothing
            for item in source.elements(env):
                env.kept.append(item)
                key = key_of(env, outer.invoke(env, item))
                matching = found[key][1] if key in found else []
                if groups:
                    yield select.invoke(env, item, operand_of(_group(matching, other.element)))
                else:
                    yield from (select.invoke(env, item, one) for one in matching)

        def shown() -> Type | None:
            element = other.shown_element()
            return given_by(source, select, _named(env, _ENUMERABLE, (element,)) if groups else element)

        return operand_of(Sequence(elements, None, shown=shown))

    return join


def _zip(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    made = _lambdas(arguments[1:], 2) if len(arguments) == 2 else []
    if not arguments or made is None or isinstance(arguments[0].data, Lambda):
        return None
    other = lazily(inner_sequence(env, arguments[0]))
    names = ("First", "Second")

    def elements(env: Environment) -> Iterator[Operand]:
        for first, second in zip(_kept(env, source.elements(env)), _kept(env, other.elements(env)), strict=False):
            yield made[0].invoke(env, first, second) if made else Operand(types.TUPLE, (first, second), None, names)

    def shown() -> Type | None:
        kinds = source.shown_element(), other.shown_element()
        if made:
            return given_by(source, made[0], kinds[1])
        return _named(env, "System.ValueTuple`2", kinds)

    return operand_of(Sequence(elements, None, shown=shown, names=() if made else names))


def _kept(env: Environment, items: Iterator[Operand]) -> Iterator[Operand]:
    """Elements that stay in flight: the program may run for what comes beside one."""
    for item in items:
        env.kept.append(item)
        yield item


def _set_operation(*, keeps_first: bool, wants_second: bool | None) -> Method:
    """Union (`wants_second` None), Intersect and Except: each element once, in order."""

    def operation(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        if len(arguments) != 1 or isinstance(arguments[0].data, Lambda):
            return None
        other = inner_sequence(env, arguments[0])

        def elements(env: Environment) -> Iterator[Operand]:
            seen: set[Hashable] = set()
            second = {key_of(env, one) for one in other.elements(env)} if wants_second is not None else set()
            found = source.elements(env) if keeps_first else chain(source.elements(env), other.elements(env))
            for item in found:
                key = key_of(env, item)
                if key not in seen and (wants_second is None or (key in second) is wants_second):
                    seen.add(key)
                    yield item

        return operand_of(Sequence(elements, source))

    return operation


def _added(*, before: bool) -> Method:
    """Prepend and Append."""

    def added(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        if len(arguments) != 1 or isinstance(arguments[0].data, Lambda):
            return None
        one = arguments[0]
        kind = source.shown_element()
        if kind is not None:
            one = convert_implicitly(env, one, kind)
        env.kept.append(one)

        def elements(env: Environment) -> Iterator[Operand]:
            return chain([one], source.elements(env)) if before else chain(source.elements(env), [one])

        return operand_of(Sequence(elements, source))

    return added


def _at_the_end(*, takes: bool) -> Method:
    """TakeLast and SkipLast."""

    def part(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        if len(arguments) != 1 or arguments[0].type is not types.I4:
            return None
        number = max(int(arguments[0].data), 0)

        def elements(env: Environment) -> Iterator[Operand]:
            items = buffered(env, source.elements(env))
            middle = max(len(items) - number, 0)
            return iter(items[middle:] if takes else items[:middle])

        return operand_of(Sequence(elements, source))

    return part


JOINING: dict[str, Method] = {
    "SelectMany": select_many,
    "GroupBy": group_by,
    "Join": _join(groups=False),
    "GroupJoin": _join(groups=True),
    "Zip": _zip,
    "Union": _set_operation(keeps_first=False, wants_second=None),
    "Intersect": _set_operation(keeps_first=True, wants_second=True),
    "Except": _set_operation(keeps_first=True, wants_second=False),
    "Append": _added(before=False),
    "Prepend": _added(before=True),
    "TakeLast": _at_the_end(takes=True),
    "SkipLast": _at_the_end(takes=False),
}
