"""LINQ's methods, and those of List<T> that take a lambda, over sequences that the adapter goes through itself.

Lazy where C# is: what gives a sequence gives a query, whose elements come when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Many
from itertools import chain, islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.aggregates import AGGREGATES
from dap_dotnet.evaluation.operations.casts import cast, is_instance
from dap_dotnet.evaluation.operations.creation import create
from dap_dotnet.evaluation.operations.element_names import renamed
from dap_dotnet.evaluation.operations.enumerating import run_enumerable
from dap_dotnet.evaluation.operations.groups import in_program
from dap_dotnet.evaluation.operations.joining import JOINING
from dap_dotnet.evaluation.operations.lambdas import Lambda
from dap_dotnet.evaluation.operations.operand_values import boxed
from dap_dotnet.evaluation.operations.ordering import Comparer, key_of, merged
from dap_dotnet.evaluation.operations.program_enumerators import dispose
from dap_dotnet.evaluation.operations.sequences import (
    Sequence,
    buffered,
    given_by,
    inner_sequence,
    lazily,
    numbered,
    operand_of,
    sequence_of,
    to_array,
    untyped_sequence,
)
from dap_dotnet.evaluation.operations.shaping import SHAPING, Arguments, Method, has_key
from dap_dotnet.evaluation.operations.to_dictionary import to_dictionary
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type, TypeArguments
from dap_dotnet.evaluation.types.inheritance import ancestors_of
from dap_dotnet.evaluation.types.universe import Universe

_Keys = tuple[tuple[Callable[[Environment, Operand], Operand], bool, "Operand | None"], ...]
"""As `Sequence.sorted_by`."""


def query(
    env: Environment, target: Operand | None, name: str, arguments: Arguments, type_arguments: Many[Type] = ()
) -> Operand | None:
    """`target.name(arguments)` over a sequence; None for a method that the program has to run."""
    if target is not None and name in METHOD_NAMES and has_provider(env.universe, target.type):
        raise EvaluationError(
            f"'{name}' of an IQueryable is run by its provider, with System.Linq.Queryable: the program has not loaded "
            "that, or its code may not run here"
        )
    if target is not None and target.type.kind is Kind.LAMBDA:
        raise EvaluationError("A lambda has no type by itself, so that it cannot be called")
    if any(isinstance(one.data, Lambda) and one.data.needs_program for one in arguments):
        return None
    if name in ("Cast", "OfType") and target is not None and len(type_arguments) == 1 and not arguments:
        return _of_type(env, target, type_arguments, casts=name == "Cast")
    if name == "Contains" and target is not None and len(arguments) == 1:
        lookup = target.data if isinstance(target.data, Sequence) else None
        if lookup is not None and lookup.by_key is not None:
            return types.boolean(has_key(env, lookup, arguments[0]))
    method = _METHODS.get(name) or AGGREGATES.get(name)
    source = sequence_of(env, target) if target is not None and method is not None else None
    return _applied(env, method, name, source, arguments) if method is not None and source is not None else None


def has_provider(universe: Universe, kind: Type) -> bool:
    """Whether a type is one of IQueryable, whose queries its provider runs."""
    return kind.kind is Kind.CLASS and any(one.full_name == PROVIDED for one in ancestors_of(universe, kind))


PROVIDED = "System.Linq.IQueryable"
_PARTIAL = frozenset({
    "First", "FirstOrDefault", "Any", "All", "Contains", "ElementAt", "ElementAtOrDefault", "Take", "TakeWhile", "Zip",
})  # fmt: skip
"""Methods that may stop before the last element."""


def _applied(env: Environment, method: Method, name: str, source: Sequence, arguments: Arguments) -> Operand | None:
    opened, outer = len(env.enumerators), env.is_partial
    if any(argument.type is types.DEFAULT for argument in arguments):
        if source.element is None:
            raise Diagnostic("CS8716")
        kind = source.element
        arguments = [cast(env, one, kind) if one.type is types.DEFAULT else one for one in arguments]
    env.is_partial = False
    try:
        result = method(env, lazily(source) if name in _PARTIAL else source, arguments)
    finally:
        env.is_partial = outer
    if result is not None and len(env.enumerators) > opened:
        dispose(env, opened, result)
    return result


_OF_ARRAYS = frozenset({
    "Find", "FindAll", "FindLast", "FindIndex", "FindLastIndex", "Exists", "TrueForAll", "ConvertAll", "ForEach",
})  # fmt: skip


def static_query(env: Environment, owner: Type, name: str, arguments: Arguments) -> Operand | None:
    """`Array.Find(array, lambda)`, `Enumerable.Where(source, lambda)`, `Enumerable.Range(1, 3)`; None for others."""
    is_enumerable = owner.full_name == "System.Linq.Enumerable"
    is_ours = is_enumerable or (owner.full_name == "System.Array" and name in _OF_ARRAYS)
    if is_enumerable:
        if name in ("Range", "Repeat"):
            return _counted(name, arguments)
        is_ours = bool(arguments) and any(one.type.kind in (Kind.LAMBDA, Kind.SEQUENCE) for one in arguments)
        return query(env, arguments[0], name, arguments[1:]) if is_ours else None
    is_array = owner.full_name == "System.Array" and name in _OF_ARRAYS
    if not is_array or len(arguments) < 2 or not isinstance(arguments[-1].data, Lambda):
        return None
    if arguments[-1].data.needs_program:
        return None
    if arguments[0].type.kind is not Kind.ARRAY:
        return None
    found = query(env, arguments[0], {"FindAll": "Where", "ConvertAll": "Select"}.get(name, name), arguments[1:])
    return as_array(env, found) if found is not None else None


def _counted(name: str, arguments: Arguments) -> Operand | None:
    """Enumerable.Range and Repeat: the program would make all of their elements at once."""
    if len(arguments) != 2 or arguments[1].type is not types.I4 or arguments[1].data < 0:
        return None
    first, most = arguments[0], arguments[1].data
    if name == "Repeat":
        return operand_of(Sequence(lambda env: _each(env, (first for _ in range(most))), first.type))
    if first.type is not types.I4 or first.data + most - 1 > 2**31 - 1:
        return None
    start = first.data
    return operand_of(
        Sequence(lambda env: _each(env, (Operand(types.I4, start + number) for number in range(most))), types.I4)
    )


def _each(env: Environment, items: Iterator[Operand]) -> Iterator[Operand]:
    for item in items:
        env.step()
        yield item


def as_array(env: Environment, operand: Operand) -> Operand:
    """A query as an array of the program, which its own methods take; other operands as they are."""
    return to_array(env, operand.data) if operand.type.kind is Kind.SEQUENCE else operand


def _lambda(arguments: Arguments, count: int = 1) -> Lambda | None:
    """The only argument, where it is a lambda of so many parameters."""
    if len(arguments) == 1 and isinstance(arguments[0].data, Lambda) and arguments[0].data.count == count:
        return arguments[0].data
    return None


def _number(arguments: Arguments) -> int | None:
    return int(arguments[0].data) if len(arguments) == 1 and arguments[0].type is types.I4 else None


# what gives sequences


def _where(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    plain, indexed = _lambda(arguments), _lambda(arguments, 2)
    if plain is not None:
        test = plain.test
        return operand_of(Sequence(lambda env: (item for item in source.elements(env) if test(env, item)), source))
    if indexed is None:
        return None
    return operand_of(
        Sequence(
            lambda env: (item for item, number in numbered(source.elements(env)) if indexed.test(env, item, number)),
            source,
        )
    )


def _select(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    plain, indexed = _lambda(arguments), _lambda(arguments, 2)
    if plain is not None:
        return operand_of(
            Sequence(
                lambda env: (_made(plain.invoke(env, item)) for item in source.elements(env)),
                None,
                shown=lambda: given_by(source, plain),
            )
        )
    if indexed is None:
        return None
    return operand_of(
        Sequence(
            lambda env: (_made(indexed.invoke(env, *pair)) for pair in numbered(source.elements(env))),
            None,
            shown=lambda: given_by(source, indexed, types.I4),
        )
    )


def _made(item: Operand) -> Operand:
    """What a lambda has made of an element. CS0411 where it makes nothing."""
    if item.type.kind is Kind.VOID:
        raise Diagnostic("CS0411 element")
    return item


def _take(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    number = _number(arguments)
    if number is None:
        return None
    return operand_of(Sequence(lambda env: islice(source.elements(env), max(number, 0)), source))


def _skip(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    number = _number(arguments)
    if number is None:
        return None
    return operand_of(Sequence(lambda env: islice(source.elements(env), max(number, 0), None), source))


def _take_while(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    test = _lambda(arguments)
    if test is None:
        return None

    def elements(env: Environment) -> Iterator[Operand]:
        for item in source.elements(env):
            if not test.test(env, item):
                return
            yield item

    return operand_of(Sequence(elements, source))


def _skip_while(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    test = _lambda(arguments)
    if test is None:
        return None

    def elements(env: Environment) -> Iterator[Operand]:
        skips = True
        for item in source.elements(env):
            skips = skips and test.test(env, item)
            if not skips:
                yield item

    return operand_of(Sequence(elements, source))


def _distinct(env: Environment, source: Sequence, arguments: Arguments, *, by: Lambda | None = None) -> Operand | None:
    if arguments:
        return None

    def elements(env: Environment) -> Iterator[Operand]:
        seen = set()
        for item in source.elements(env):
            key = key_of(env, by.invoke(env, item) if by is not None else item)
            if key not in seen:
                seen.add(key)
                yield item

    return operand_of(Sequence(elements, source))


def _distinct_by(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    by = _lambda(arguments)
    return _distinct(env, source, (), by=by) if by is not None else None


def _reverse(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if arguments:
        return None
    return operand_of(Sequence(lambda env: reversed(buffered(env, source.elements(env))), source))


def _concat(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if len(arguments) != 1 or isinstance(arguments[0].data, Lambda):
        return None
    other = inner_sequence(env, arguments[0])
    return operand_of(
        Sequence(lambda env: chain(source.elements(env), other.elements(env)), source.element or other.element)
    )


def _order(*, descending: bool, then: bool) -> Method:
    def order(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        by, comparer = _lambda(arguments[:1]), arguments[1] if len(arguments) == 2 else None
        if by is None or len(arguments) > 2 or (then and not source.sorted_by):
            return None
        if comparer is not None:
            env.kept.append(comparer)
        unsorted = source.sorted_from if then and source.sorted_from is not None else source
        keys = (*(source.sorted_by if then else ()), (by.invoke, descending, comparer))
        made = Sequence(lambda env: iter(_sorted(env, unsorted, keys)), source)
        made.sorted_by, made.sorted_from = keys, unsorted
        return operand_of(made)

    return order


def _order_itself(*, descending: bool) -> Method:
    def order(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
        if arguments:
            return None
        keys: _Keys = ((lambda env, item: item, descending, None),)
        made = Sequence(lambda env: iter(_sorted(env, source, keys)), source)
        made.sorted_by, made.sorted_from = keys, source
        return operand_of(made)

    return order


def _sorted(env: Environment, source: Sequence, keys: _Keys) -> list[Operand]:
    items, comparer = buffered(env, source.elements(env)), Comparer(env)
    columns = []
    for by, _, _ in keys:
        column = list[Operand]()
        for item in items:
            column.append(by(env, item))
            env.kept.append(column[-1])  # at once: the next one may run the program
        columns.append(column)

    def compare(left: int, right: int) -> int:
        for column, (_, descending, own) in zip(columns, keys, strict=True):
            found = comparer.compare(column[left], column[right], own)
            if found:
                return -found if descending else found
        return 0

    return merged(items, compare)


def _of_type(env: Environment, target: Operand, wanted: Many[Type], *, casts: bool) -> Operand:
    """Cast (of boxes, as C# has it: no conversions of numbers) and OfType."""
    source, kind = untyped_sequence(env, target), wanted[0]
    names = wanted.names[0] if isinstance(wanted, TypeArguments) else ()

    def elements(env: Environment) -> Iterator[Operand]:
        for item in source.elements(env):
            if casts:
                given = boxed(env, item) if item.type.is_value_type else item
                yield renamed(cast(env, given, kind), kind, names)
            elif is_instance(env, item, kind):
                yield renamed(cast(env, item, kind), kind, names)

    return operand_of(Sequence(elements, kind))


# what makes collections


def _to_array(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if arguments:
        return None
    made = in_program(env, source)
    return made if made.type.kind is Kind.ARRAY else run_enumerable(env, "ToArray", [made])


def _to_list(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    if arguments:
        return None
    array = in_program(env, source)
    env.kept.append(array)
    if array.type.kind is not Kind.ARRAY:
        return run_enumerable(env, "ToList", [array])
    kind = env.universe.named("System.Collections.Generic.List`1", (array.type.element,))
    if kind is None:
        raise EvaluationError("The program has not loaded List<T>")
    made = create(env, kind, Given([array]))
    made.names = array.names
    return made


def _find_all(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    found = _where(env, source, arguments)
    return _to_list(env, found.data, ()) if found is not None else None


def _for_each(env: Environment, source: Sequence, arguments: Arguments) -> Operand | None:
    """List<T>.ForEach: the lambda's values are not wanted."""
    action = _lambda(arguments)
    if action is None:
        return None
    for item in buffered(env, source.elements(env)):
        action.invoke(env, item)
    return Operand(types.VOID, None)


_METHODS: dict[str, Method] = {
    "ForEach": _for_each,
    "Where": _where,
    "Select": _select,
    "ConvertAll": lambda env, source, arguments: (
        _to_list(env, found.data, ()) if (found := _select(env, source, arguments)) is not None else None
    ),
    "Take": _take,
    "Skip": _skip,
    "TakeWhile": _take_while,
    "SkipWhile": _skip_while,
    "Distinct": _distinct,
    "DistinctBy": _distinct_by,
    "Reverse": _reverse,
    "Concat": _concat,
    "OrderBy": _order(descending=False, then=False),
    "OrderByDescending": _order(descending=True, then=False),
    "ThenBy": _order(descending=False, then=True),
    "ThenByDescending": _order(descending=True, then=True),
    "AsEnumerable": lambda env, source, arguments: operand_of(source) if not arguments else None,
    "ToArray": _to_array,
    "ToDictionary": to_dictionary,
    "ToList": _to_list,
    "FindAll": _find_all,
    "Order": _order_itself(descending=False),
    "OrderDescending": _order_itself(descending=True),
    **JOINING,
    **SHAPING,
}
METHOD_NAMES = tuple(sorted({*_METHODS, *AGGREGATES, "Cast", "OfType"}))
"""The methods that take a lambda, or a query."""
