"""Names of tuple elements: the compiler keeps them beside the types, flattened (Roslyn: TupleElementNames).

First the names of a tuple's own elements, then those of each element that has tuples itself, in order. A tuple of more
than seven elements has the others in a tuple of their own, its eighth argument, whose own names are empty.
"""

from __future__ import annotations

from dap_dotnet.runtime.model import ElementType, TypeId, Value
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name
from dap_dotnet.values.members import find_field
from dap_dotnet.values.typenames import tuple_length, tuple_rest

Names = tuple["str | None", ...]
"""Of all tuples in one type; () for none."""
_ATTRIBUTE = "System.Runtime.CompilerServices.TupleElementNamesAttribute"
_TUPLE = "System.ValueTuple`"
_REST = 7
_MAX_DEPTH = 32
_OF_MEMBERS: CacheSlot[dict[int, Names]] = CacheSlot("names of tuple elements by member", lambda _: {})
_OF_LOCALS: CacheSlot[dict[tuple[int, int, int], Names]] = CacheSlot("names of tuple elements by local", lambda _: {})


def is_tuple(program: Program, type_id: TypeId | None) -> bool:
    """Whether a type is a ValueTuple with elements."""
    if type_id is None:
        return False
    info = program.debuggee.type_info(type_id)
    return len(info.arguments) > 0 and definition_name(program, info).startswith(_TUPLE)


def length(program: Program, type_id: TypeId) -> int:
    """How many elements a tuple has, those from the eighth on too."""
    return tuple_length(program, program.debuggee.type_info(type_id))


def count(program: Program, type_id: TypeId | None, depth: int = 0) -> int:
    """How many names a type takes."""
    if type_id is None or depth > _MAX_DEPTH:
        return 0
    arguments = program.debuggee.type_info(type_id).arguments
    if not arguments:
        return 0
    own = length(program, type_id) if is_tuple(program, type_id) else 0
    return own + sum(count(program, argument, depth + 1) for argument in arguments)


def fitting(program: Program, type_id: TypeId | None, names: Names) -> Names:
    """The names, where it is sure that they are those of an exact type; else ().

    They come from where the value is declared. A class of the user's could be derived from what is declared there, and
    use the tuples in another order; arrays, tuples, nullables and what the framework has do not.
    """
    if not names or type_id is None or count(program, type_id) != len(names):
        return ()
    info = program.debuggee.type_info(type_id)
    module = program.modules.get(info.module)
    if info.element_type in (ElementType.SZARRAY, ElementType.ARRAY) or is_tuple(program, type_id):
        return names
    return names if module is not None and not module.is_user_code else ()


def of_arguments(program: Program, type_id: TypeId, names: Names) -> list[Names]:
    """The names inside of each generic argument of a type, or of an array's element type."""
    arguments = program.debuggee.type_info(type_id).arguments
    start = length(program, type_id) if is_tuple(program, type_id) else 0
    found = []
    for argument in arguments:
        end = start + count(program, argument)
        found.append(names[start:end])
        start = end
    return found


def of_elements(program: Program, type_id: TypeId, names: Names) -> list[tuple[str | None, Names]]:
    """(its name, the names inside of it) of each element of a tuple, those beyond seven too."""
    own = names[: length(program, type_id)] or (None,) * length(program, type_id)
    inner = of_arguments(program, type_id, names)
    rest = tuple_rest(program, program.debuggee.type_info(type_id))
    if rest is not None:
        inner = inner[:_REST] + [within for _, within in of_elements(program, rest.type, inner[_REST])]
    return list(zip(own, inner, strict=True))


def of_local(module: LoadedModule, method: int, il_offset: int, slot: int) -> Names:
    """The names in a local variable's type; () when it has none."""
    from portablepdb.blob_reader import BlobReader
    from portablepdb.custom_debug_info import decode_tuple_names

    pdb = module.pdb
    if pdb is None:
        return ()
    known = module.cached(_OF_LOCALS)
    key = (method, il_offset, slot)
    if key in known:
        return known[key]
    known[key] = ()
    for scope in pdb.scopes(method):
        if not scope.covers(il_offset):
            continue
        for row_id, (found, _, _) in scope.variable_rows():
            if found == slot:
                value = pdb.custom_value(0x33 << 24 | row_id, "tuple_names")
                known[key] = tuple(decode_tuple_names(BlobReader(value, 0, pdb.file))) if value is not None else ()
                return known[key]
    return ()


def of_member(module: LoadedModule, token: int) -> Names:
    """The names that the attribute on a field, a property or a parameter gives; () when it has none."""
    metadata = module.metadata
    if metadata is None:
        return ()
    known = module.cached(_OF_MEMBERS)
    if token not in known:
        known[token] = ()
        for attribute in metadata.attributes_of(token):
            if attribute.type_name == _ATTRIBUTE and attribute.fixed_arguments:
                values = attribute.fixed_arguments[0].value or ()
                known[token] = tuple(getattr(value, "value", value) for value in values)
    return known[token]


def of_declared(program: Program, declaring: TypeId, token: int, value: Value) -> Names:
    """The names in the type of a field or property of `declaring` that has this value."""
    if not count(program, value.type):
        return ()
    module = program.modules.get(program.debuggee.type_info(declaring).module)
    return of_member(module, token) if module is not None else ()


def of_field(program: Program, type_id: TypeId | None, name: str) -> Names:
    """The names in the type of an instance field as it is declared, where it may have parameters for other tuples."""
    found = find_field(program, type_id, name)
    module = program.modules.get(program.debuggee.type_info(found.type).module) if found is not None else None
    return of_member(module, found.field.token) if module is not None and found is not None else ()


def completed(program: Program, type_id: TypeId | None, own: Names, inner: Names) -> Names:
    """The names of a tuple whose elements have those of `own`, with the names inside of them, where there are some."""
    wanted = count(program, type_id) - len(own)
    return (*own, *(inner if len(inner) == wanted else (None,) * wanted)) if wanted >= 0 else ()


def of_parameter(module: LoadedModule, method: int, sequence: int) -> Names:
    """The names in a parameter's type; `sequence` counts from 1, without `this`."""
    if module.metadata is None:
        return ()
    rows = module.metadata.method(method).parameter_rows
    return next((of_member(module, row.token) for row in rows if row.sequence == sequence), ())
