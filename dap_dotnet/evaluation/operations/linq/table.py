"""Which methods of LINQ, and which of List<T> and Array that take a function, the adapter runs itself.

One is taken by the method that the binder has resolved: its name and what its parameters take, as the metadata declares
them. Overloads that are not here the program runs.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain, dropwhile, islice, takewhile
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.linq import sequence_methods as gives
from dap_dotnet.evaluation.operations.linq import sequences, values
from dap_dotnet.evaluation.operations.linq.values import to_array, to_dictionary, to_list
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type, boolean
from dap_dotnet.evaluation.types.declarations import declared_method, delegate_signature
from dap_dotnet.evaluation.types.universe import Universe

if TYPE_CHECKING:
    from portablepdb.signatures import TypeSignature

ENUMERABLE = "System.Linq.Enumerable"
_LIST = "System.Collections.Generic.List`1"
_Method = Callable[..., Any]
"""Gets a `Call` and the arguments, each as `_taken` says; gives an operand, or an iterator over some, or a query.

None: the program has to run it.
"""


def _count(call: sequences.Call, items: sequences.Query, test: sequences.Function | None = None) -> Operand:
    return Operand(call.result, sum(1 for _ in values.matching(items, test)))


def _with_options(table: dict[str, _Method]) -> dict[str, _Method]:
    """With an entry for each overload of those whose last parameters, in brackets, may be left out."""
    return {
        key: method
        for pattern, method in table.items()
        for key in dict.fromkeys((re.sub(r"\[.*\]", "", pattern), pattern.replace("[", "").replace("]", "")))
    }


_METHODS = _with_options(
    {
        "Aggregate(items, function2)": lambda call, items, function: values.aggregate(items, function),
        "Aggregate(items, value, function2)": lambda call, items, seed, function: values.aggregate(
            items, function, seed
        ),
        "Aggregate(items, value, function2, function)": lambda call, items, seed, function, result: result(
            values.aggregate(items, function, seed)
        ),
        "All(items, function)": lambda call, items, test: boolean(all(test(item).data for item in items)),
        "Any(items[, function])": lambda call, items, test=None: boolean(
            any(True for _ in values.matching(items, test))
        ),
        "Append(items, value)": lambda call, items, value: chain(items, [value]),
        "Average(items[, function])": values.average,
        "Cast(items)": gives.cast_items,
        "Chunk(items, int)": gives.chunk,
        "Concat(items, items)": lambda call, items, other: chain(items, other),
        "Contains(items, value)": values.contains,
        "Count(items[, function])": _count,
        "DefaultIfEmpty(items[, value])": gives.default_if_empty,
        "Distinct(items)": gives.once,
        "DistinctBy(items, function)": gives.once,
        "ElementAt(items, int)": values.element_at,
        "Except(items, items)": gives.compared(has_key=False),
        "ExceptBy(items, items, function)": gives.compared(has_key=False),
        "First(items[, function])": values.first,
        "FirstOrDefault(items[, function])": values.first_or_default,
        "FirstOrDefault(items, function, value)": values.first_or_default,
        "FirstOrDefault(items, value)": lambda call, items, value: values.first_or_default(call, items, None, value),
        "GroupBy(items, function[, function])": gives.group_by,
        "GroupBy(items, function, function2)": gives.group_results,
        "GroupBy(items, function, function, function2)": lambda call, items, by, element, result: gives.group_results(
            call, items, by, result, element
        ),
        "GroupJoin(items, items, function, function, function2)": gives.group_join,
        "Index(items)": lambda call, items: (
            Operand(types.TUPLE, (number, item)) for item, number in gives.numbered(items)
        ),
        "Intersect(items, items)": gives.compared(has_key=True),
        "IntersectBy(items, items, function)": gives.compared(has_key=True),
        "Join(items, items, function, function, function2)": gives.join,
        "Last(items[, function])": values.last,
        "LastOrDefault(items[, function])": values.last_or_default,
        "LongCount(items[, function])": _count,
        "Max(items[, function])": values.extreme(1),
        "MaxBy(items, function)": values.extreme(1, is_by=True),
        "Min(items[, function])": values.extreme(-1),
        "MinBy(items, function)": values.extreme(-1, is_by=True),
        "OfType(items)": gives.of_type,
        "Order(items)": gives.order(descending=False),
        "OrderBy(items, function[, comparer])": gives.order(descending=False),
        "OrderByDescending(items, function[, comparer])": gives.order(descending=True),
        "OrderDescending(items)": gives.order(descending=True),
        "Prepend(items, value)": lambda call, items, value: chain([value], items),
        "Range(int, int)": gives.range_of,
        "Repeat(value, int)": gives.repeat,
        "Reverse(items)": gives.reverse,
        "Select(items, function)": lambda call, items, project: map(project, items),
        "Select(items, function2)": lambda call, items, project: (project(*pair) for pair in gives.numbered(items)),
        "SelectMany(items, function[, function2])": lambda call, items, project, result=None: gives.flattened(
            call, ((item, project(item)) for item in items), result
        ),
        "SelectMany(items, function2[, function2])": lambda call, items, project, result=None: gives.flattened(
            call, ((pair[0], project(*pair)) for pair in gives.numbered(items)), result
        ),
        "Single(items[, function])": values.single,
        "SingleOrDefault(items[, function])": values.single_or_default,
        "Skip(items, int)": lambda call, items, count: islice(items, max(count, 0), None),
        "SkipLast(items, int)": gives.skip_last,
        "SkipWhile(items, function)": lambda call, items, test: dropwhile(lambda item: test(item).data, items),
        "Sum(items[, function])": values.sum_of,
        "Take(items, int)": lambda call, items, count: islice(items, max(count, 0)),
        "TakeLast(items, int)": gives.take_last,
        "TakeWhile(items, function)": lambda call, items, test: takewhile(lambda item: test(item).data, items),
        "ThenBy(items, function[, comparer])": gives.then_by(descending=False),
        "ThenByDescending(items, function[, comparer])": gives.then_by(descending=True),
        "ToArray(items)": lambda call, items: iter(items),
        "ToDictionary(items, function[, function])": to_dictionary,
        "ToList(items)": lambda call, items: iter(items),
        "ToLookup(items, function[, function])": gives.to_lookup,
        "Union(items, items)": lambda call, items, other: gives.once(call, chain(items, other)),
        "UnionBy(items, items, function)": lambda call, items, other, by: gives.once(call, chain(items, other), by),
        "Where(items, function)": lambda call, items, test: (item for item in items if test(item).data),
        "Where(items, function2)": lambda call, items, test: (
            pair[0] for pair in gives.numbered(items) if test(*pair).data
        ),
        "Zip(items, items[, function2])": gives.zip_of,
    }
)
_OF_COLLECTIONS = _with_options(
    {
        "ConvertAll(items, function)": _METHODS["Select(items, function)"],
        "Exists(items, function)": _METHODS["Any(items, function)"],
        "Find(items, function)": values.first_or_default,
        "FindAll(items, function)": _METHODS["Where(items, function)"],
        "FindIndex(items, function)": values.find_index,
        "FindIndex(items, int, function)": lambda call, items, start, test: values.find_index(call, items, test, start),
        "FindLast(items, function)": values.last_or_default,
        "FindLastIndex(items, function)": lambda call, items, test: Operand(
            types.I4, max((place for place, item in enumerate(items) if test(item).data), default=-1)
        ),
        "ForEach(items, function)": values.for_each,
        "TrueForAll(items, function)": _METHODS["All(items, function)"],
    }
)
TABLES = {ENUMERABLE: _METHODS, _LIST: _OF_COLLECTIONS, "System.Array": _OF_COLLECTIONS}
"""What the adapter runs itself, by the types that declare it."""
LINQ_NAMES = tuple(sorted({key.partition("(")[0] for key in _METHODS} | {"AsEnumerable"}))
"""The names of LINQ's methods."""
_PARTIAL = frozenset({
    "First", "FirstOrDefault", "Any", "All", "Contains", "ElementAt", "Take", "TakeWhile", "Zip",
})  # fmt: skip
"""Methods that may stop before the last element."""


class Lambda(ABC):
    """The data of an operand of kind LAMBDA: a lambda or a method."""

    __slots__ = ()
    needs_program = False
    """Whether only the program can run it."""

    @abstractmethod
    def invoke(self, env: Environment, *arguments: Operand) -> Operand:
        """Its result. Raises `EvaluationError`."""

    @abstractmethod
    def in_program(self, env: Environment) -> Operand:
        """The delegate of the program, or the expression tree. Raises `EvaluationError`."""


def _taken(env: Environment, role: str, operand: Operand, kind: Type) -> Any:
    """What a method gets of an operand, for a parameter of a type; None: only the program can go on."""
    if role == "items":
        return sequences.sequence_of(env, operand, kind.arguments[0] if kind.arguments else None)
    if role.startswith("function"):
        function = operand.data
        is_run_here = isinstance(function, Lambda) and not function.needs_program
        return partial(function.invoke, env) if is_run_here else None
    return int(operand.data) if role == "int" else operand


def _role(universe: Universe, declared: TypeSignature, kind: Type) -> str:
    """What a parameter takes, by its declared type and by the type that it has in this call."""
    from portablepdb.signatures import MethodParameter, TypeParameter

    if isinstance(declared, (MethodParameter, TypeParameter)):
        return "value"
    if kind is types.I4:
        return "int"
    if kind.kind is Kind.ARRAY or kind.full_name in _SEQUENCES:
        return "items"
    if kind.full_name == "System.Collections.Generic.IComparer`1":
        return "comparer"
    signature = delegate_signature(universe, kind)
    count = len(signature.parameters) if signature is not None else 0
    return kind.full_name if not count else "function" if count == 1 else f"function{count}"


_ORDERED = "System.Linq.IOrderedEnumerable`1"
_LAZY = frozenset({"System.Collections.Generic.IEnumerable`1", _ORDERED})
_SEQUENCES = _LAZY | {"System.Collections.IEnumerable", _LIST}


class Resolved(Struct, frozen=True):
    """A method that the binder has resolved and the adapter runs itself."""

    run: Callable[[Environment, Sequence[Operand], sequences.InProgram], Operand | Callable[[], Operand] | None]
    """What it gives of operands, or what lets the program make that of all elements, which are known then.

    The last argument lets the program run the method. None: it has to. Raises `EvaluationError`.
    """
    is_lazy: bool


def resolved(
    universe: Universe, method: ExactMethod, target: Type | None, kinds: Sequence[Type], result: Type
) -> Resolved | None:
    """What runs a method of a type in `TABLES` in the adapter; None where only the program does.

    `target` is the type of the object (None: it is static), `kinds` are those of its parameters. `result`: what it
    gives.
    """
    from portablepdb.signatures import GenericInstance, SzArrayType

    declared = declared_method(universe, method).method
    parameters = declared.signature.parameters
    roles = [_role(universe, one, kind) for one, kind in zip(parameters, kinds, strict=True)]
    if target is not None:
        roles, kinds = ["items", *roles], [target, *kinds]
    apply = TABLES[method.owner.full_name].get(f"{declared.name}({', '.join(roles)})")
    if apply is None:
        return None
    return_type = declared.signature.return_type
    is_lazy = isinstance(return_type, GenericInstance) and result.full_name in _LAZY
    is_partial = declared.name in _PARTIAL and method.owner.full_name == ENUMERABLE
    collect: Callable[..., Operand] | None = to_array if isinstance(return_type, SzArrayType) else None
    if isinstance(return_type, GenericInstance) and result.full_name == _LIST:
        collect = to_list

    def run(
        env: Environment, operands: Sequence[Operand], in_program: sequences.InProgram
    ) -> Operand | Callable[[], Operand] | None:
        arguments = [_taken(env, role, one, kind) for role, one, kind in zip(roles, operands, kinds, strict=True)]
        pairs = zip(operands, arguments, strict=True)
        enumerated = [one for one, taken in pairs if isinstance(taken, sequences.Query) and taken.is_enumerated]
        is_left = env.caller is not None and any(is_partial or sequences.asks_for_more(env, one) for one in enumerated)
        if is_left or any(one is None for one in arguments):
            return None
        call = sequences.Call(env, result, method.type_arguments)
        given: Any = apply(call, *arguments)
        if is_lazy and given is not None:  # the iterator that tells whether there is a query has not begun
            if not isinstance(given, sequences.Query):
                given = sequences.Query(lambda: apply(call, *arguments), result.arguments[0])
            given.in_program, given.is_enumerated = in_program, bool(enumerated)
            return sequences.operand_of(given)
        if collect is not None:
            return partial(collect, env, values.all_of(given), element=result.arguments[0])
        value: Operand | Callable[[], Operand] | None = given
        return value

    return Resolved(run, is_lazy)
