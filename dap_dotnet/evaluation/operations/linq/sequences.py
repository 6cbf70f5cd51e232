"""Sequences that the adapter itself goes through: the program's collections, read in pages, and queries over them.

A query is lazy, as in C#: its elements come one by one, and only as far as they are asked for. Its sources stay in
flight to the end of the evaluation, so that a lambda may run the program's code between two elements. What only the
program enumerates it does all at once, into an array; what may stop early (`First`, `Take`) it runs itself then: the
sequence may have no end, or do something for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from dap_dotnet.errors import EvaluationError, Thrown
from dap_dotnet.evaluation.diagnostics import calls_forbidden
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.framework import call_framework, framework_method, framework_type
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declarations import ancestors_of, is_subtype, sequence_element
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.collections.items import Item
from dap_dotnet.values.collections.known import known_collection

MOST_ELEMENTS = 1_000_000
"""How many elements a query goes through at most."""
_PAGE = 256
_READ = frozenset({
    "System.Collections.Generic.List`1", "System.Collections.Generic.Stack`1", "System.Collections.Generic.Queue`1",
    "System.Collections.Generic.Dictionary`2", "System.Collections.Generic.HashSet`1",
    "System.Collections.Generic.LinkedList`1", "System.Collections.Generic.SortedSet`1",
    "System.Collections.Generic.SortedDictionary`2", "System.Collections.Generic.SortedList`2",
    "System.Collections.ObjectModel.Collection`1", "System.Collections.ObjectModel.ObservableCollection`1",
    "System.Collections.ObjectModel.ReadOnlyCollection`1", "System.Collections.Immutable.ImmutableArray`1",
    "System.Collections.Immutable.ImmutableList`1", "System.ArraySegment`1", "System.Collections.ArrayList",
})  # fmt: skip
"""Collections whose items are read in the order of enumeration; classes derived from them may enumerate others."""
_COUNTED = frozenset({"System.Collections.Generic.ICollection`1", "System.Collections.ICollection"})
"""LINQ asks these for more than their enumerator."""


InProgram = Callable[[Environment], Operand]
"""Lets the program make LINQ's own object of a query."""


class Query:
    """The data of an operand of kind SEQUENCE: what a query gives. Its elements come anew for each iterator."""

    __slots__ = ("_begin", "element", "in_program", "is_enumerated")

    def __init__(self, begin: Callable[[], Iterator[Operand]], element: Type, *, is_enumerated: bool = False) -> None:
        """`element`: their type. `is_enumerated`: only code of the program enumerates what it goes through."""
        self._begin = begin
        self.element = element
        self.is_enumerated = is_enumerated
        self.in_program: InProgram | None = None
        """None: LINQ has no object of its own for it."""

    def __iter__(self) -> Iterator[Operand]:
        return self._begin()


class Call(Struct):
    """What a method of LINQ knows of the call besides its arguments."""

    env: Environment
    result: Type
    """What it gives."""
    type_arguments: tuple[Type, ...]
    """Those of the resolved method."""


class Group(Query):
    """An IGrouping: elements with the key that they have in common."""

    __slots__ = ("key", "type")

    def __init__(self, members: list[Operand], kind: Type, key: Operand) -> None:
        """`kind`: the IGrouping<TKey, TElement>."""
        super().__init__(lambda: iter(members), kind.arguments[1])
        self.key = key
        self.type = kind


class Lookup(Query):
    """An ILookup: groups, by what equal keys have in common (`values.key_of`)."""

    __slots__ = ("groups",)

    def __init__(self, groups: dict[Hashable, Operand], element: Type) -> None:
        super().__init__(lambda: iter(groups.values()), element)
        self.groups = groups


Entry = TypeVar("Entry")
Function = Callable[..., Operand]
"""A lambda or a method, of as many operands as it has parameters."""


def operand_of(sequence: Query) -> Operand:
    """A query as an operand."""
    return Operand(types.SEQUENCE, sequence)


def sequence_of(env: Environment, operand: Operand, element: Type | None = None) -> Query | None:
    """What an operand enumerates; None for what is no sequence. Raises `Thrown` for null, as LINQ does.

    `element`: the type of the elements; None: as the operand's type has it, else that of the object.
    """
    if isinstance(operand.data, Query):
        return operand.data
    own = env.own_type(operand) if operand.data is not None else operand.type
    kind = element or _element_of(env, operand.type) or _element_of(env, own)
    if kind is None:
        return None
    if operand.data is None:
        raise Thrown("System.ArgumentNullException", "Value cannot be null: the sequence is null")
    if own.kind is Kind.STRING:
        text = env.text(Operand(own, operand.data)) or ""
        return Query(lambda: _chars(env, text), types.CHAR)
    read = _array if own.kind is Kind.ARRAY else _collection if own.full_name in _READ else _enumerated
    return Query(lambda: read(env, operand, kind), kind, is_enumerated=read is _enumerated)


def _element_of(env: Environment, kind: Type) -> Type | None:
    """The type of what a value of a type enumerates: objects where it does not say; None for what is no sequence."""
    if kind.kind is Kind.STRING:
        return types.CHAR
    element = sequence_element(env.universe, kind)
    is_untyped = element is None and any(
        one.full_name == "System.Collections.IEnumerable" for one in ancestors_of(env.universe, kind)
    )
    return types.OBJECT if is_untyped else element


def asks_for_more(env: Environment, operand: Operand) -> bool:
    """Whether LINQ asks what only the program enumerates for more than its elements."""
    own = env.own_type(operand)
    return any(one.full_name in _COUNTED for one in ancestors_of(env.universe, own))


def _chars(env: Environment, text: str) -> Iterator[Operand]:
    env.step(len(text))
    data = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(data), 2):
        yield Operand(types.CHAR, int.from_bytes(data[at : at + 2], "little"))


def _array(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    array: Value = operand.data

    def read(start: int) -> list[Value]:
        if array.handle is None:
            raise EvaluationError(f"The array cannot be read: {array.error or 'it is no longer available'}")
        return env.debuggee.elements(array.handle, start, _PAGE)

    return (env.operand(value, element) for value in _paged(env, read))


def _paged(env: Environment, read: Callable[[int], Sequence[Entry]]) -> Iterator[Entry]:
    """What is read in pages, each from a position on; the rest of a page is read again when the program has run."""
    start = 0
    while page := read(start):
        env.step(len(page))
        calls = env.calls
        for entry in page:
            if env.calls != calls:
                break
            start += 1
            yield entry
        if start > MOST_ELEMENTS:
            raise EvaluationError(f"The query goes through more than {MOST_ELEMENTS:,} elements")


def _collection(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    """The items of a known collection; entries of a dictionary are pairs."""

    def read(start: int) -> Sequence[Item]:
        collection = known_collection(env.program, operand.data)
        if collection is None:
            raise EvaluationError(f"The items of '{env.own_type(operand).name}' cannot be read")
        return collection.page(start, _PAGE)

    for item in _paged(env, read):
        if item.key is None:
            yield env.operand(item.value, element)
        else:
            kinds = element.arguments
            yield Operand(types.PAIR, (env.operand(item.key, kinds[0]), env.operand(item.value, kinds[1]), element))


def _enumerated(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    """What only the program's own code enumerates. Raises `EvaluationError` for too many."""
    made = first_items(env, operand, MOST_ELEMENTS + 1, element)
    if made.data.length > MOST_ELEMENTS:
        raise EvaluationError(
            f"The query needs all elements of a sequence of more than {MOST_ELEMENTS:,}, if it ends: take a part of "
            "it, as in Take(1000)"
        )
    yield from _array(env, made, element)


def buffered(items: Iterable[Operand]) -> list[Operand]:
    """All elements. Raises `EvaluationError` for too many."""
    every = list(islice(items, MOST_ELEMENTS + 1))
    if len(every) > MOST_ELEMENTS:
        raise EvaluationError(f"The query gives more than {MOST_ELEMENTS:,} elements")
    return every


def plain(env: Environment, operand: Operand) -> Operand:
    """A dictionary's pair as one of the program; others as they are. Raises `EvaluationError`."""
    if operand.type is types.ANONYMOUS:
        raise calls_forbidden("The constructor of an anonymous object")
    if operand.type is not types.PAIR:
        return operand
    key, value, kind = operand.data
    return env.runner.construct(env, kind, framework_method(env, kind, ".ctor", 2), [key, value])


_SEQUENCE = "System.Collections.Generic.IEnumerable`1"
_LINQ, _ENUMERABLE = "System.Linq", "System.Linq.Enumerable"


def first_items(env: Environment, target: Operand, most: int, element: Type | None = None) -> Operand:
    """An array with the first items that an object enumerates, at most so many. The program runs for it.

    `element`: it is enumerated as an IEnumerable of these; None: as the one that it is, or as one of objects. Raises
    `EvaluationError`, also for what the program's code threw.
    """
    own = sequence_element(env.universe, env.own_type(target))
    kind = element or own or types.OBJECT
    if not enumerates(env, target, kind):
        untyped = Operand(framework_type(env, "System.Collections.IEnumerable"), target.data, target.value)
        target = run_enumerable(env, "Cast", [untyped], (kind,))
    taken = run_enumerable(env, "Take", [enumerable(env, target, kind), Operand(types.I4, most)], (kind,))
    return run_enumerable(env, "ToArray", [enumerable(env, taken, kind)], (kind,))


def enumerates(env: Environment, operand: Operand, element: Type) -> bool:
    """Whether an object is an IEnumerable<element>: one of int is none of object."""
    own = sequence_element(env.universe, env.own_type(operand))
    return own is not None and (own is element or (own.is_reference and is_subtype(env.universe, own, element)))


def enumerable(env: Environment, operand: Operand, element: Type) -> Operand:
    """An object as an IEnumerable<element>, which it is."""
    return Operand(framework_type(env, _SEQUENCE, (element,)), operand.data, operand.value)


def run_enumerable(
    env: Environment, name: str, arguments: Sequence[Operand], type_arguments: tuple[Type, ...] = ()
) -> Operand:
    """A method of System.Linq.Enumerable, whatever the program has loaded: the one with parameters of these types."""
    owner = env.universe.named(_ENUMERABLE)
    if owner is None:
        call_framework(
            env, None, "System.Reflection.Assembly", "Load", [Operand(types.STRING, _LINQ)], parameters=[types.STRING]
        )
        owner = framework_type(env, _ENUMERABLE)
    kinds = [one.type for one in arguments]
    method = framework_method(env, owner, name, len(kinds), kinds, type_arguments=type_arguments)
    return env.runner.run(env, method, None, arguments)
