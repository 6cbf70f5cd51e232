"""Parameters of primary constructors that members use, from the IL of the constructor. Pure.

The C# compiler moves each into a field first of all, and the initialisers use that field as the members do.
"""

from __future__ import annotations

import itertools

from dap_dotnet.runtime.model import MethodToken, TypeDefToken
from dap_dotnet.symbols.metadata_names import field_name
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo
from dap_dotnet.symbols.types import members

_CONSTRUCTOR = ".ctor"
_MOST_METHODS = 500


def moved_parameters(module: LoadedModule, method: MethodToken, il_offset: int) -> frozenset[int]:
    """The numbers (from 1) of a constructor's parameters that are in fields at an IL offset; none of other methods."""
    return frozenset(number for number, behind in _MOVES(module, method).items() if behind <= il_offset)


def _moves(module: LoadedModule, method: MethodToken) -> dict[int, int]:
    """By the numbers of parameters the IL offset behind the store into the field."""
    from portablepdb import PortablePdbError

    metadata = module.metadata
    try:
        own = metadata.method(method) if metadata is not None else None
        if metadata is None or own is None or own.name != _CONSTRUCTOR or own.body is None:
            return {}
        declared = members(module, TypeDefToken(own.declaring_type)).fields
        kept = {one.name: one.shown_name for one in declared if one.is_parameter}
        found: dict[int, int] = {}
        for load, store in itertools.pairwise(own.body.instructions()) if kept else ():
            if store.opcode.name != "stfld" or not load.opcode.name.startswith("ldarg"):
                continue
            assert isinstance(store.operand, int)
            suffix = load.opcode.name.partition(".")[2]
            number = int(suffix) if suffix.isdigit() else load.operand
            assert isinstance(number, int)
            name = own.parameters.get(number)
            if name is not None and kept.get(field_name(metadata, store.operand)) == name:
                found[number] = store.offset + store.size
    except PortablePdbError:
        return {}
    return found


_MOVES = ModuleMemo("parameters of primary constructors in fields", _moves, _MOST_METHODS)
