"""Fields of framework types that the debugger knows by name, checked against the metadata before they are believed.

The fields of a framework's types are nobody's promise: each is looked for by its name, and its value must be of the
kind that is expected. What is not as expected is shown as any other object, never as a wrong value.
"""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import ElementType, TypeDefToken, TypeId, TypeInfo, Value
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.symbols.types import members
from dap_dotnet.values import primitives
from dap_dotnet.values.context import Program
from dap_dotnet.values.members import DeclaredField, find_field, read_fields
from dap_dotnet.values.typenames import full_name

_NAMES: CacheSlot[dict[TypeDefToken, str]] = CacheSlot("full names of types", lambda _: {})
_FIELDS: CacheSlot[dict[TypeDefToken, tuple[tuple[str, ElementType | None], ...]]] = CacheSlot(
    "names and types of instance fields", lambda _: {}
)


def definition_name(program: Program, info: TypeInfo) -> str:
    """`full_name`, looked up once for each type; empty when there is no metadata."""
    module = program.modules.get(info.module)
    if module is None or info.token is None:
        return ""
    names = module.cached(_NAMES)
    found = names.get(info.token)
    if found is None:
        found = names[info.token] = full_name(program, info)
    return found


def own_fields(program: Program, info: TypeInfo) -> tuple[tuple[str, ElementType | None], ...]:
    """Names and primitive types (None: another type) of the instance fields that a type itself declares, in order."""
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None:
        return ()
    known = module.cached(_FIELDS)
    found = known.get(info.token)
    if found is None:
        declared = []
        for one in members(module, info.token).fields:
            if not one.is_static:
                code = getattr(module.metadata.field(one.token).signature, "code", None)
                declared.append((one.name, ElementType(code) if code is not None else None))
        found = known[info.token] = tuple(declared)
    return found


def find_known_field(program: Program, type_id: TypeId | None, names: str) -> DeclaredField | None:
    """An instance field by its name, or by one of several that `|` separates: each release has its own."""
    for name in names.split("|"):
        found = find_field(program, type_id, name)
        if found is not None and not found.field.is_static:
            return found
    return None


def read_known(program: Program, value: Value, names: Sequence[str]) -> list[Value] | None:
    """Instance fields by name (`find_known_field`), in one call; None unless all are there and can be read."""
    found = [find_known_field(program, value.type, name) for name in names]
    wanted = [one for one in found if one is not None]
    if len(wanted) != len(names) or not (value.handle is not None or value.parts is not None):
        return None
    try:
        values = [read for _, read in read_fields(program, value, wanted)]
    except DapDotnetError:
        return None
    return values if len(values) == len(names) and all(read.error is None for read in values) else None


def integer(value: Value) -> int | None:
    """An integer field's value; None for all other types."""
    number = primitives.decode(value.element_type, value.raw)
    return number if type(number) is int else None


def is_array(value: Value) -> bool:
    """Whether a field holds a one-dimensional array."""
    return value.element_type is ElementType.SZARRAY and not value.is_null and value.handle is not None
