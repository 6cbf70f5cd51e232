"""Which methods of LINQ, and which of List<T> and Array that take a function, the adapter runs itself.

One is taken by the method that the binder has resolved: its name and what its parameters take, as the metadata declares
them. Overloads that are not here the program runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.linq import sequence_methods as gives
from dap_dotnet.evaluation.operations.linq import values
from dap_dotnet.evaluation.operations.linq.in_program import collected, to_array, to_dictionary, to_list
from dap_dotnet.evaluation.operations.linq.sequences import (
    Call,
    Query,
    dispose,
    is_read_here,
    lazily,
    operand_of,
    sequence_of,
)
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import ExactMethod, Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import delegate_signature
from dap_dotnet.evaluation.types.universe import Universe

if TYPE_CHECKING:
    from portablepdb.signatures import TypeSignature

ENUMERABLE = "System.Linq.Enumerable"
_LIST = "System.Collections.Generic.List`1"
_Method = Callable[..., Any]
"""Gets a `Call` and the arguments, each as `_TAKEN` says; gives an operand, or an iterator over some, or a query.

None: the program has to run it.
"""


def _items(call: Call, items: Query) -> Iterator[Operand]:
    return iter(items)


_METHODS: dict[str, _Method] = {
    "Aggregate(items, function2)": values.aggregate,
    "Aggregate(items, value, function2)": lambda call, items, seed, function: values.aggregate(
        call, items, function, seed
    ),
    "Aggregate(items, value, function2, function)": lambda call, items, seed, function, result: result(
        values.aggregate(call, items, function, seed)
    ),
    "All(items, function)": values.all_of,
    "Any(items)": values.any_of,
    "Any(items, function)": values.any_of,
    "Append(items, value)": gives.append,
    "Average(items)": values.average,
    "Average(items, function)": values.average,
    "Cast(items)": gives.cast_items,
    "Chunk(items, int)": gives.chunk,
    "Concat(items, items)": gives.concat,
    "Contains(items, value)": values.contains,
    "Count(items)": values.count,
    "Count(items, function)": values.count,
    "DefaultIfEmpty(items)": gives.default_if_empty,
    "DefaultIfEmpty(items, value)": gives.default_if_empty,
    "Distinct(items)": gives.distinct,
    "DistinctBy(items, function)": gives.distinct,
    "ElementAt(items, int)": values.element_at,
    "Except(items, items)": gives.except_of,
    "ExceptBy(items, items, function)": gives.except_of,
    "First(items)": values.first,
    "First(items, function)": values.first,
    "FirstOrDefault(items)": values.first_or_default,
    "FirstOrDefault(items, function)": values.first_or_default,
    "FirstOrDefault(items, function, value)": values.first_or_default,
    "FirstOrDefault(items, value)": lambda call, items, value: values.first_or_default(call, items, None, value),
    "GroupBy(items, function)": gives.group_by,
    "GroupBy(items, function, function)": gives.group_by,
    "GroupBy(items, function, function2)": gives.group_results,
    "GroupBy(items, function, function, function2)": lambda call, items, by, element, result: gives.group_results(
        call, items, by, result, element
    ),
    "GroupJoin(items, items, function, function, function2)": gives.group_join,
    "Index(items)": gives.index,
    "Intersect(items, items)": gives.intersect,
    "IntersectBy(items, items, function)": gives.intersect,
    "Join(items, items, function, function, function2)": gives.join,
    "Last(items)": values.last,
    "Last(items, function)": values.last,
    "LastOrDefault(items)": values.last_or_default,
    "LastOrDefault(items, function)": values.last_or_default,
    "LastOrDefault(items, function, value)": values.last_or_default,
    "LastOrDefault(items, value)": lambda call, items, value: values.last_or_default(call, items, None, value),
    "LongCount(items)": values.count,
    "LongCount(items, function)": values.count,
    "Max(items)": values.max_of,
    "Max(items, function)": values.max_of,
    "MaxBy(items, function)": values.max_by,
    "Min(items)": values.min_of,
    "Min(items, function)": values.min_of,
    "MinBy(items, function)": values.min_by,
    "OfType(items)": gives.of_type,
    "Order(items)": gives.order(descending=False),
    "OrderBy(items, function)": gives.order(descending=False),
    "OrderBy(items, function, comparer)": gives.order(descending=False),
    "OrderByDescending(items, function)": gives.order(descending=True),
    "OrderByDescending(items, function, comparer)": gives.order(descending=True),
    "OrderDescending(items)": gives.order(descending=True),
    "Prepend(items, value)": gives.prepend,
    "Range(int, int)": gives.range_of,
    "Repeat(value, int)": gives.repeat,
    "Reverse(items)": gives.reverse,
    "Select(items, function)": gives.select,
    "Select(items, function2)": gives.select_numbered,
    "SelectMany(items, function)": gives.select_many,
    "SelectMany(items, function, function2)": gives.select_many,
    "SelectMany(items, function2)": gives.select_many_numbered,
    "SelectMany(items, function2, function2)": gives.select_many_numbered,
    "Single(items)": values.single,
    "Single(items, function)": values.single,
    "SingleOrDefault(items)": values.single_or_default,
    "SingleOrDefault(items, function)": values.single_or_default,
    "SingleOrDefault(items, function, value)": values.single_or_default,
    "SingleOrDefault(items, value)": lambda call, items, value: values.single_or_default(call, items, None, value),
    "Skip(items, int)": gives.skip,
    "SkipLast(items, int)": gives.skip_last,
    "SkipWhile(items, function)": gives.skip_while,
    "Sum(items)": values.sum_of,
    "Sum(items, function)": values.sum_of,
    "Take(items, int)": gives.take,
    "TakeLast(items, int)": gives.take_last,
    "TakeWhile(items, function)": gives.take_while,
    "ThenBy(items, function)": gives.then_by(descending=False),
    "ThenBy(items, function, comparer)": gives.then_by(descending=False),
    "ThenByDescending(items, function)": gives.then_by(descending=True),
    "ThenByDescending(items, function, comparer)": gives.then_by(descending=True),
    "ToArray(items)": _items,
    "ToDictionary(items, function)": to_dictionary,
    "ToDictionary(items, function, function)": to_dictionary,
    "ToList(items)": _items,
    "ToLookup(items, function)": gives.to_lookup,
    "ToLookup(items, function, function)": gives.to_lookup,
    "Union(items, items)": gives.union,
    "UnionBy(items, items, function)": gives.union,
    "Where(items, function)": gives.where,
    "Where(items, function2)": gives.where_numbered,
    "Zip(items, items)": gives.zip_of,
    "Zip(items, items, function2)": gives.zip_of,
}
_OF_COLLECTIONS: dict[str, _Method] = {
    "ConvertAll(items, function)": gives.select,
    "Exists(items, function)": values.any_of,
    "Find(items, function)": values.first_or_default,
    "FindAll(items, function)": gives.where,
    "FindIndex(items, function)": values.find_index,
    "FindIndex(items, int, function)": lambda call, items, start, test: values.find_index(call, items, test, start),
    "FindLast(items, function)": values.last_or_default,
    "FindLastIndex(items, function)": values.find_last_index,
    "ForEach(items, function)": values.for_each,
    "TrueForAll(items, function)": values.all_of,
}
_TABLES = {ENUMERABLE: _METHODS, _LIST: _OF_COLLECTIONS, "System.Array": _OF_COLLECTIONS}
"""By the types that declare them."""
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


# what the methods get of the operands; None: only the program can go on


def _taken_items(env: Environment, operand: Operand, kind: Type) -> Query | None:
    return sequence_of(env, operand, kind.arguments[0] if kind.arguments else None)


def _taken_function(env: Environment, operand: Operand, kind: Type) -> Callable[..., Operand] | None:
    function = operand.data
    if not isinstance(function, Lambda) or function.needs_program:
        return None
    return partial(function.invoke, env)


def _taken_number(env: Environment, operand: Operand, kind: Type) -> int:
    return int(operand.data)


def _taken_value(env: Environment, operand: Operand, kind: Type) -> Operand:
    return operand


_TAKEN: dict[str, Callable[[Environment, Operand, Type], Any]] = {
    "items": _taken_items,
    "function": _taken_function,
    "function2": _taken_function,
    "int": _taken_number,
    "value": _taken_value,
    "comparer": _taken_value,
}


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

    method: _Method
    is_partial: bool
    """Whether it may stop before the last element."""
    result: Type
    gives: Callable[..., Operand] | None
    """Makes of the elements that it gives a collection of the program; None: it is no such method."""
    is_lazy: bool
    type_arguments: tuple[Type, ...]
    parameters: tuple[tuple[Callable[[Environment, Operand, Type], Any], Type], ...]
    """What the method gets of each operand, by the type of the parameter."""
    asks_source: bool
    """Whether it is LINQ's own, which asks some collections for more than their elements."""

    def run(self, env: Environment, operands: Sequence[Operand]) -> Operand | Callable[[], Operand] | None:
        """What it gives, or what lets the program make that of all elements, which are known then.

        None: the program has to run the method. Raises `EvaluationError`.
        """
        if self.asks_source and env.caller is not None and not is_read_here(env, operands[0]):
            return None
        arguments = list[Any]()
        for (take, kind), operand in zip(self.parameters, operands, strict=True):
            taken = take(env, operand, kind)
            if taken is None:
                return None
            arguments.append(lazily(env, taken) if self.is_partial and isinstance(taken, Query) else taken)
        call = Call(env, self.result, self.type_arguments)
        return self._lazy(call, arguments) if self.is_lazy else self._at_once(call, arguments)

    def _lazy(self, call: Call, arguments: Sequence[Any]) -> Operand | None:
        """A query; the iterator that tells whether there is one has not begun."""
        made = self.method(call, *arguments)
        if isinstance(made, Query):
            return operand_of(made)
        if made is None:
            return None
        return operand_of(Query(lambda: self.method(call, *arguments), self.result.arguments[0]))

    def _at_once(self, call: Call, arguments: Sequence[Any]) -> Operand | Callable[[], Operand]:
        env = call.env
        opened, outer, env.is_partial = len(env.enumerators), env.is_partial, False
        try:
            made: Any = self.method(call, *arguments)
            if self.gives is not None:
                made = collected(env, made, partial(self.gives, env, element=self.result.arguments[0]))
            result: Operand | Callable[[], Operand] = made
        finally:
            env.is_partial = outer
        dispose(env, opened)
        return result


def resolved(
    universe: Universe, method: ExactMethod, target: Type | None, kinds: Sequence[Type], result: Type
) -> Resolved | None:
    """What runs a method in the adapter; None where only the program does.

    `target` is the type of the object (None: it is static), `kinds` are those of its parameters. `result`: what it
    gives.
    """
    from portablepdb.signatures import GenericInstance, SzArrayType

    table, module = _TABLES.get(method.owner.full_name), universe.module_of(method.owner)
    if table is None or module is None or module.metadata is None:
        return None
    declared = module.metadata.method(method.token)
    parameters = declared.signature.parameters
    roles = [_role(universe, one, kind) for one, kind in zip(parameters, kinds, strict=True)]
    if target is not None:
        roles, kinds = ["items", *roles], [target, *kinds]
    found = table.get(f"{declared.name}({', '.join(roles)})")
    if found is None:
        return None
    returned = declared.signature.return_type
    is_list = isinstance(returned, GenericInstance) and result.full_name == _LIST
    return Resolved(
        found,
        declared.name in _PARTIAL and method.owner.full_name == ENUMERABLE,
        result,
        to_array if isinstance(returned, SzArrayType) else to_list if is_list else None,
        isinstance(returned, GenericInstance) and result.full_name in _LAZY,
        method.type_arguments,
        tuple((_TAKEN[role], kind) for role, kind in zip(roles, kinds, strict=True)),
        method.owner.full_name == ENUMERABLE and roles[0] == "items",
    )
