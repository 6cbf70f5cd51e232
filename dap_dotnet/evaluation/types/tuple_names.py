"""Names of tuple elements: the compiler keeps them beside the types, flattened (Roslyn: TupleElementNames).

First the names of the tuple's own elements, then those of each element that is a tuple itself, in order.
"""

from __future__ import annotations

from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.values.tuple_names import Names, of_local, of_member

__all__ = ["Names", "count", "element", "is_tuple", "of_argument", "of_local", "of_member"]
_PREFIX = "System.ValueTuple`"


def is_tuple(kind: Type) -> bool:
    """Whether a type is a ValueTuple with elements."""
    return kind.full_name.startswith(_PREFIX)


def of_argument(kind: Type, names: Names, index: int) -> Names:
    """The names inside of a generic argument of a type that has such names; () where they are not of this type."""
    if len(names) != count(kind):
        return ()
    start = len(kind.arguments) if is_tuple(kind) else 0
    start += sum(count(argument) for argument in kind.arguments[:index])
    return names[start : start + count(kind.arguments[index])]


def count(kind: Type) -> int:
    """How many names a type takes."""
    if not is_tuple(kind):
        return sum(count(argument) for argument in kind.arguments)
    return len(kind.arguments) + sum(count(argument) for argument in kind.arguments)


def element(kind: Type, names: Names, name: str) -> tuple[int, Names] | None:
    """(number of the element from 1, the names inside of it) of a tuple's element by name; None when it has none."""
    if not is_tuple(kind):
        return None
    own = names[: len(kind.arguments)]
    if name in own:
        index = own.index(name)
    elif name.startswith("Item") and name[4:].isdigit() and 0 < int(name[4:]) <= len(kind.arguments):
        index = int(name[4:]) - 1
    else:
        return None
    start = len(kind.arguments) + sum(count(argument) for argument in kind.arguments[:index])
    return index + 1, names[start : start + count(kind.arguments[index])]
