"""Names of tuple elements: the compiler keeps them beside the types, flattened (Roslyn: TupleElementNames).

First the names of the tuple's own elements, then those of each element that is a tuple itself, in order.
"""

from __future__ import annotations

from dap_dotnet.evaluation.types.csharp_types import Type
from dap_dotnet.symbols.modules import LoadedModule

Names = tuple[str | None, ...]
_PREFIX = "System.ValueTuple`"
_ATTRIBUTE = "System.Runtime.CompilerServices.TupleElementNamesAttribute"


def is_tuple(kind: Type) -> bool:
    """Whether a type is a ValueTuple with elements."""
    return kind.full_name.startswith(_PREFIX)


def _count(kind: Type) -> int:
    """How many names a type takes."""
    if not is_tuple(kind):
        return sum(_count(argument) for argument in kind.arguments)
    return len(kind.arguments) + sum(_count(argument) for argument in kind.arguments)


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
    start = len(kind.arguments) + sum(_count(argument) for argument in kind.arguments[:index])
    return index + 1, names[start : start + _count(kind.arguments[index])]


def of_local(module: LoadedModule, method: int, il_offset: int, slot: int) -> Names:
    """The names of a local variable's tuple; () when it has none."""
    from portablepdb.blob_reader import BlobReader
    from portablepdb.custom_debug_info import decode_tuple_names

    pdb = module.pdb
    if pdb is None:
        return ()
    for scope in pdb.scopes(method):
        if not scope.covers(il_offset):
            continue
        for row_id, (found, _, _) in scope.variable_rows():
            if found == slot:
                value = pdb.custom_value(0x33 << 24 | row_id, "tuple_names")
                return tuple(decode_tuple_names(BlobReader(value, 0, pdb.file))) if value is not None else ()
    return ()


def of_member(module: LoadedModule, token: int) -> Names:
    """The names that the attribute on a field or a parameter gives; () when it has none."""
    metadata = module.metadata
    if metadata is None:
        return ()
    for attribute in metadata.attributes_of(token):
        if attribute.type_name == _ATTRIBUTE and attribute.fixed_arguments:
            values = attribute.fixed_arguments[0].value or ()
            return tuple(getattr(value, "value", value) for value in values)
    return ()
