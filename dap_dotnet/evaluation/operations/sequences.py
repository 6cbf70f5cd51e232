"""Sequences that the adapter itself goes through: the program's collections, read in pages, and queries over them.

A query is lazy, as in C#: its elements come one by one, and only as far as they are asked for. Its sources stay in
flight to the end of the evaluation, so that a lambda may run the program's code between two elements.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import count, islice

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import Diagnostic, null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.anonymous_objects import in_program
from dap_dotnet.evaluation.operations.creation import create_array
from dap_dotnet.evaluation.operations.lambdas import Lambda
from dap_dotnet.evaluation.operations.program_enumerators import dispose, gathered, pulled
from dap_dotnet.evaluation.rules.applicable import Given
from dap_dotnet.evaluation.rules.overloads import choose
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types import tuple_names
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand, Type
from dap_dotnet.evaluation.types.declared_methods import candidates
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.evaluation.types.inheritance import ancestors
from dap_dotnet.evaluation.types.tuple_names import names_by_type
from dap_dotnet.runtime.model import Value
from dap_dotnet.values.collections.items import Item
from dap_dotnet.values.collections.known import known_collection

MOST_ELEMENTS = 1_000_000
"""How many elements a query goes through at most."""
MOST_MADE = 10_000
"""How many elements of a result are put into an array or list of the program."""
_PAGE = 256
_ENUMERABLE = "System.Collections.Generic.IEnumerable`1"
PAIR = "System.Collections.Generic.KeyValuePair`2"
_READ = frozenset({
    "System.Collections.Generic.List`1", "System.Collections.Generic.Stack`1", "System.Collections.Generic.Queue`1",
    "System.Collections.Generic.Dictionary`2", "System.Collections.Generic.HashSet`1",
    "System.Collections.Generic.LinkedList`1", "System.Collections.Generic.SortedSet`1",
    "System.Collections.Generic.SortedDictionary`2", "System.Collections.Generic.SortedList`2",
    "System.Collections.ObjectModel.Collection`1", "System.Collections.ObjectModel.ObservableCollection`1",
    "System.Collections.ObjectModel.ReadOnlyCollection`1", "System.Collections.Immutable.ImmutableArray`1",
    "System.Collections.Immutable.ImmutableList`1", "System.ArraySegment`1",
})  # fmt: skip
"""Collections whose items are read in the order of enumeration; classes derived from them may enumerate others."""

Elements = Callable[[Environment], Iterator[Operand]]


class Sequence:
    """The data of an operand of kind SEQUENCE: what a query gives."""

    __slots__ = ("_shown", "by_key", "element", "elements", "in_program", "key", "names", "sorted_by", "sorted_from")

    def __init__(
        self,
        elements: Elements,
        element: Type | Sequence | None,
        key: Operand | None = None,
        *,
        shown: Callable[[], Type | None] | None = None,
        names: tuple_names.Names = (),
    ) -> None:
        """`elements` begins anew each time; `key`: a group's.

        `element`: their type, or a sequence that has elements of the same; None: only the elements show it, or `shown`.
        `names`: those of tuples in that type.
        """
        self.elements = elements
        self.names: tuple_names.Names = element.names if isinstance(element, Sequence) else names
        self.element: Type | None = element.element if isinstance(element, Sequence) else element
        self._shown = element.shown_element if isinstance(element, Sequence) else shown
        self.key = key
        self.in_program: Callable[[Environment], Operand] | None = None
        """Lets the program make LINQ's own object of it; None where that is not known."""
        self.sorted_by: tuple[tuple[Callable[[Environment, Operand], Operand], bool, Operand | None], ...] = ()
        """Of an ordered query: its keys, most important first, each with whether it is descending, and its comparer."""
        self.by_key: dict[Hashable, Operand] | None = None
        """Of a lookup: its groups by what equal keys have in common (`ordering.key_of`)."""
        self.sorted_from: Sequence | None = None
        """Of an ordered query: what it orders."""

    def shown_element(self) -> Type | None:
        """The type of the elements, also where there are none: what the lambda that makes them shows; None: nothing."""
        return self.element or (self._shown() if self._shown is not None else None)


def given_by(source: Sequence, project: Lambda | None, *others: Type | None) -> Type | None:
    """The type of the elements, or of what a lambda gives for them; None where only a value shows it.

    `others`: the types of the lambda's further parameters.
    """
    element = source.shown_element()
    if project is None or element is None:
        return element
    kinds = [kind for kind in (element, *others) if kind is not None]
    if project.source is None or len(kinds) <= len(others):
        return None
    try:
        project.source.names_by_type = names_by_type([Operand(element, None, None, source.names)])
        return project.source.result_type(kinds)
    except EvaluationError:
        return None


def operand_of(sequence: Sequence) -> Operand:
    """A query as an operand."""
    return Operand(types.SEQUENCE, sequence)


def sequence_of(env: Environment, operand: Operand) -> Sequence | None:
    """What an operand enumerates; None for what is no sequence. Raises `EvaluationError` for null."""
    if isinstance(operand.data, Sequence):
        return operand.data
    if operand.type.kind is Kind.STRING and operand.data is None:
        raise null_reference("the sequence")
    own = env.own_type(operand) if operand.data is not None else operand.type
    if own.kind is Kind.STRING:
        text = env.text(Operand(own, operand.data)) or ""
        return Sequence(lambda env: _chars(env, text), types.CHAR)
    element = element_of(env, own)
    if element is None:
        return None
    seen = _element_of(env, operand.type) if operand.type.kind is Kind.CLASS and operand.type is not own else None
    if seen is not None and seen.is_reference and element.is_reference:
        element = seen  # of a sequence of a base class
    if operand.data is None:
        raise null_reference("the sequence")
    env.kept.append(operand)
    read = _array if own.kind is Kind.ARRAY else _collection if own.full_name in _READ else _enumerated
    names = _element_names(env, operand.type if read is _enumerated else own, element, operand.names)
    if not names:
        return Sequence(lambda env: read(env, operand, element), element)
    return Sequence(
        lambda env: (_with_names(item, element, names) for item in read(env, operand, element)), element, names=names
    )


def _element_names(env: Environment, own: Type, element: Type, names: tuple_names.Names) -> tuple_names.Names:
    """The names of tuples in the elements that the source gives to the collection's."""
    if not names or tuple_names.count(own) != len(names):
        return ()
    if len(own.arguments) > 1 and element.full_name == PAIR:
        module = env.universe.module_of(own)
        return names if module is not None and not module.is_user_code else ()  # which may have another order
    place = len(own.arguments) - 1 if own.full_name.endswith("+ValueCollection") else 0
    return tuple_names.of_argument(own, names, place)


def _with_names(item: Operand, element: Type, names: tuple_names.Names) -> Operand:
    if item.type is types.PAIR:
        for index in range(2):
            item.data[index].names = tuple_names.of_argument(element, names, index)
    else:
        item.names = names
    return item


def is_read_here(env: Environment, operand: Operand) -> bool:
    """Whether the adapter goes through a value as LINQ would: it reads its storage, or pulls its elements."""
    if isinstance(operand.data, Sequence) or operand.type.kind is Kind.STRING or operand.data is None:
        return True
    own = env.own_type(operand)
    if own.kind in (Kind.ARRAY, Kind.STRING) or own.full_name in _READ:
        return True
    definition = env.universe.definition_of(own)
    known = ancestors(env.universe, definition, own.arguments) if definition is not None else []
    return not any(one.full_name in _COUNTED for one in known)  # LINQ asks these for more than their enumerator


_COUNTED = frozenset({"System.Collections.Generic.ICollection`1", "System.Collections.ICollection"})


def inner_sequence(env: Environment, operand: Operand) -> Sequence:
    """What an operand enumerates. CS0029 for what is no sequence."""
    found = sequence_of(env, operand)
    if found is None:
        raise Diagnostic("CS0029", operand.type.name, types.SEQUENCE.name)
    return found


def untyped_sequence(env: Environment, operand: Operand) -> Sequence:
    """What an operand enumerates, as objects where it has only the interface without a type. CS1929 for others."""
    found = sequence_of(env, operand)
    if found is not None:
        return found
    own = env.own_type(operand) if operand.data is not None else operand.type
    definition = env.universe.definition_of(own)
    known = ancestors(env.universe, definition, own.arguments) if definition is not None else []
    if not any(one.full_name == "System.Collections.IEnumerable" for one in known):
        raise Diagnostic("CS1929 sequence", operand.type.name)
    if operand.data is None:
        raise null_reference("the sequence")
    env.kept.append(operand)
    if own.full_name == "System.Collections.ArrayList":
        return Sequence(lambda env: _collection(env, operand, types.OBJECT), types.OBJECT)
    return Sequence(lambda env: _all(env, operand, types.OBJECT), types.OBJECT)


def _chars(env: Environment, text: str) -> Iterator[Operand]:
    env.step(len(text))
    return (Operand(types.CHAR, unit) for unit in _units(text))


def _units(text: str) -> Iterator[int]:
    data = text.encode("utf-16-le", "surrogatepass")
    return (int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2))


def element_of(env: Environment, kind: Type | None) -> Type | None:
    """The type of what a value of a type enumerates; None for what is no sequence, and of what is not known."""
    if kind is None or kind.kind is Kind.STRING:
        return types.CHAR if kind is not None else None
    return kind.element if kind.kind is Kind.ARRAY else _element_of(env, kind)


def _element_of(env: Environment, kind: Type) -> Type | None:
    definition = env.universe.definition_of(kind)
    found = ancestors(env.universe, definition, kind.arguments) if definition is not None else []
    return next((one.arguments[0] for one in found if one.full_name == _ENUMERABLE and one.arguments), None)


def _array(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    for page in _pages(env, lambda start: _elements(env, operand.data, start)):
        for value in page:
            yield env.operand(value, element)


def _elements(env: Environment, array: Value, start: int) -> list[Value]:
    if array.handle is None:
        raise EvaluationError(f"The array cannot be read: {array.error or 'it is no longer available'}")
    return env.debuggee.elements(array.handle, start, _PAGE)


def _pages(env: Environment, read: Callable[[int], list[Value]]) -> Iterator[Iterator[Value]]:
    """Pages of values; one is left, and the rest of it read again, when the program has run."""
    start = 0
    while True:
        page, calls, used = read(start), env.calls, 0

        def valid(page: list[Value] = page, calls: int = calls) -> Iterator[Value]:
            nonlocal used
            for value in page:
                if env.calls != calls:
                    return
                used += 1
                yield value

        if not page:
            return
        env.step(len(page))
        yield valid()
        start += used
        if start > MOST_ELEMENTS:
            raise EvaluationError(f"The query goes through more than {MOST_ELEMENTS:,} elements")


def _collection(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    """The items of a known collection; entries of a dictionary are pairs."""
    keys: dict[int, Item] = {}

    def read(start: int) -> list[Value]:
        collection = known_collection(env.program, operand.data)
        if collection is None:
            raise EvaluationError(f"The items of '{env.own_type(operand).name}' cannot be read")
        items = collection.page(start, _PAGE)
        keys.clear()
        keys.update({id(item.value): item for item in items})
        return [item.value for item in items]

    for page in _pages(env, read):
        for value in page:
            key = keys[id(value)].key
            if key is None:
                yield env.operand(value, element)
            else:
                kinds = element.arguments
                yield Operand(types.PAIR, (env.operand(key, kinds[0]), env.operand(value, kinds[1]), element))


def _enumerated(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    """What only the program's own code enumerates."""
    if env.is_partial:
        yield from pulled(env, operand, element)
    else:
        yield from _all(env, operand, element)


def _all(env: Environment, operand: Operand, element: Type) -> Iterator[Operand]:
    """All elements at once. Raises `EvaluationError` for too many."""
    made = gathered(env, operand, MOST_ELEMENTS)
    if made.data.length > MOST_ELEMENTS:
        raise EvaluationError(
            f"The query needs all elements of a sequence of more than {MOST_ELEMENTS:,}, if it ends: take a part of "
            "it, as in Take(1000)"
        )
    env.kept.append(made)
    yield from _array(env, made, element)


def lazily(source: Sequence) -> Sequence:
    """A sequence of which perhaps not all elements are asked for."""

    def elements(env: Environment) -> Iterator[Operand]:
        items = source.elements(env)
        while True:
            outer, env.is_partial = env.is_partial, True
            try:
                item = next(items, None)
            finally:
                env.is_partial = outer
            if item is None:
                return
            yield item

    return Sequence(elements, source)


def buffered(env: Environment, elements: Iterator[Operand]) -> list[Operand]:
    """All elements, kept in flight. Raises `EvaluationError` for too many."""
    kept: list[Operand] = []
    for element in elements:
        kept.append(element)
        env.kept.append(element)
        if len(kept) > MOST_ELEMENTS:
            raise EvaluationError(f"The query gives more than {MOST_ELEMENTS:,} elements")
    return kept


def to_array(env: Environment, sequence: Sequence) -> Operand:
    """An array of the program with all elements. Raises `EvaluationError` for too many, or of different types."""
    opened = len(env.enumerators)
    items = buffered(env, islice(sequence.elements(env), MOST_MADE + 1))
    if len(env.enumerators) > opened:
        dispose(env, opened, types.NULL_OPERAND)
    if len(items) > MOST_MADE:
        raise EvaluationError(f"The query gives more than {MOST_MADE:,} elements: take some of them, or count them")
    made = [item if item.type is types.PAIR else plain(env, item) for item in items]
    kind = (sequence.element if made else sequence.shown_element()) or common_type(env, made)
    made = [plain(env, item) if item.type is types.PAIR and item.data[2] is not kind else item for item in made]
    array = create_array(env, kind, made)
    if made and made[0].type is not types.ANONYMOUS:
        array.names = made[0].names
    elif not made and tuple_names.count(array.type) == len(sequence.names):
        array.names = sequence.names
    return array


def plain(env: Environment, operand: Operand) -> Operand:
    """A dictionary's pair or an anonymous object as one of the program; others as they are."""
    if operand.type is types.ANONYMOUS:
        made = in_program(env, operand)
        env.kept.append(made)
        return made
    if operand.type is not types.PAIR:
        return operand
    key, value, kind = operand.data
    found = [one for one in candidates(env.universe, kind) if one.method.name == ".ctor"]
    chosen = choose(env.universe, found, Given([key, value]))
    if chosen is None:
        raise EvaluationError(f"A '{kind.name}' cannot be made here")
    made = env.runner.construct(env, kind, chosen.exact, chosen.arguments)
    env.kept.append(made)
    return made


def common_type(env: Environment, items: list[Operand]) -> Type:
    """The type of one of the items that all convert to. Raises `EvaluationError` for none, and for no items."""
    found = (item.data[2] if item.type is types.PAIR else item.type for item in items)
    kinds = dict.fromkeys(kind for kind in found if kind.kind is not Kind.NULL)
    if not items:
        raise EvaluationError("The query gives no elements")
    if types.TUPLE in kinds:
        return _tuple_type(env, items)
    for candidate in kinds:
        if candidate.kind not in (Kind.SEQUENCE, Kind.LAMBDA) and all(
            implicitly_converts(env.universe, kind, candidate) for kind in kinds
        ):
            return candidate
    raise EvaluationError("The elements of the query have no common type that the program could hold")


def _tuple_type(env: Environment, items: list[Operand]) -> Type:
    columns = zip(*(item.data for item in items), strict=True)
    kinds = tuple(common_type(env, list(column)) for column in columns)
    wanted = env.universe.named(f"System.ValueTuple`{len(kinds)}", kinds)
    if wanted is None:
        raise EvaluationError("The program has not loaded System.ValueTuple")
    return wanted


def numbered(elements: Iterator[Operand]) -> Iterator[tuple[Operand, Operand]]:
    """Elements with their numbers, as overloads with an index take them."""
    return zip(elements, (Operand(types.I4, number) for number in count()), strict=False)
