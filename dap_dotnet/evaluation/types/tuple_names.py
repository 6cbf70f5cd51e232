"""Names of tuple elements: the compiler keeps them beside the types, flattened (Roslyn: TupleElementNames).

First the names of the tuple's own elements, then those of each element that is a tuple itself, in order.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.evaluation.types.csharp_types import Operand, Type
from dap_dotnet.evaluation.types.universe import Universe
from dap_dotnet.values.tuple_names import Names, of_local, of_member

__all__ = [
    "TUPLE_REST",
    "Names",
    "count",
    "element",
    "elements",
    "is_tuple",
    "length",
    "names_by_type",
    "of_argument",
    "of_local",
    "of_member",
]
_PREFIX = "System.ValueTuple`"
TUPLE_REST = 7
"""The elements that a tuple has itself; the others are in a tuple of their own, its eighth argument."""


def is_tuple(kind: Type) -> bool:
    """Whether a type is a ValueTuple with elements."""
    return kind.full_name.startswith(_PREFIX)


def are_alike(one: Type, other: Type) -> bool:
    """Whether both are tuples of as many elements, which have no more than a tuple has itself."""
    return is_tuple(one) and is_tuple(other) and len(one.arguments) == len(other.arguments) <= TUPLE_REST


def length(kind: Type) -> int:
    """How many elements a tuple has, those from the eighth on too."""
    rest = _rest(kind)
    return len(kind.arguments) if rest is None else TUPLE_REST + length(rest)


def elements(kind: Type) -> tuple[Type, ...]:
    """The types of a tuple's elements, those from the eighth on too."""
    rest = _rest(kind)
    return kind.arguments if rest is None else (*kind.arguments[:TUPLE_REST], *elements(rest))


def tuple_type(universe: Universe, kinds: Sequence[Type]) -> Type | None:
    """The type of tuples with such elements; None where the framework has none."""
    if len(kinds) <= TUPLE_REST:
        return universe.named(f"{_PREFIX}{len(kinds)}", tuple(kinds)) if kinds else None
    rest = tuple_type(universe, kinds[TUPLE_REST:])
    return universe.named(f"{_PREFIX}{TUPLE_REST + 1}", (*kinds[:TUPLE_REST], rest)) if rest is not None else None


def _rest(kind: Type) -> Type | None:
    """The tuple that has the elements beyond seven; None for a shorter one."""
    last = kind.arguments[TUPLE_REST] if len(kind.arguments) > TUPLE_REST else None
    return last if last is not None and is_tuple(last) else None


def of_argument(kind: Type, names: Names, index: int) -> Names:
    """The names inside of a generic argument of a type that has such names; () where they are not of this type."""
    if len(names) != count(kind):
        return ()
    start = length(kind) if is_tuple(kind) else 0
    start += sum(count(argument) for argument in kind.arguments[:index])
    return names[start : start + count(kind.arguments[index])]


def count(kind: Type) -> int:
    """How many names a type takes."""
    if not is_tuple(kind):
        return sum(count(argument) for argument in kind.arguments)
    return length(kind) + sum(count(argument) for argument in kind.arguments)


def element(kind: Type, names: Names, name: str) -> tuple[int, Names] | None:
    """(number of the element from 1, the names inside of it) of a tuple's element by name; None when it has none."""
    if not is_tuple(kind):
        return None
    own = names[: length(kind)]
    if name in own:
        index = own.index(name)
    elif name.startswith("Item") and name[4:].isdigit() and 0 < int(name[4:]) <= length(kind):
        index = int(name[4:]) - 1
    else:
        return None
    rest = _rest(kind)
    start = length(kind) + sum(count(argument) for argument in kind.arguments[: min(index, TUPLE_REST)])
    if rest is not None and index >= TUPLE_REST:
        within = element(rest, names[start:], f"Item{index - TUPLE_REST + 1}")
        return index + 1, within[1] if within is not None else ()
    return index + 1, names[start : start + count(kind.arguments[index])]


def names_by_type(operands: Sequence[Operand]) -> dict[Type, Names]:
    """The names that the types of operands have for each type with tuples in them; None where they do not agree."""
    found = dict[Type, Names]()

    def add(kind: Type, names: Names) -> None:
        both = zip(found.get(kind, names), names, strict=True)
        found[kind] = tuple(one if one == other else None for one, other in both)
        for number, argument in enumerate(kind.arguments):
            if count(argument):
                add(argument, of_argument(kind, names, number))

    for operand in operands:
        if operand.names and len(operand.names) == count(operand.type):
            add(operand.type, operand.names)
    return found
