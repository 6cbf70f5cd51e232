"""The classes that an exact type derives from, and what they override."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import ElementType, TypeDefToken, TypeId, TypeInfo, Value
from dap_dotnet.symbols.metadata_names import resolve
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.types import is_override
from dap_dotnet.values.context import Program

if TYPE_CHECKING:
    from portablepdb.signatures import TypeSignature

_MAX_BASES = 256
"""Damaged memory may have a ring of them."""


def lineage(program: Program, type_id: TypeId | None) -> Iterator[tuple[TypeId, TypeInfo]]:
    """The exact type and its bases, most derived first; a base is looked up when it is asked for. None for None."""
    for _ in range(_MAX_BASES):
        if type_id is None:
            return
        info = program.debuggee.type_info(type_id)
        yield type_id, info
        type_id = info.base


def may_hold(program: Program, module: LoadedModule, declared: TypeSignature, value: Value) -> bool:
    """Whether a variable of a module's method may hold an object: False only where it is sure that its class may not.

    What it is declared as may be an interface, or of a module that is not loaded: then it may.
    """
    from portablepdb.signatures import ArrayType, GenericInstance, NamedType, PrimitiveType, SzArrayType

    if not value.is_reference or value.is_null or value.error is not None:
        return True
    code = value.element_type
    if isinstance(declared, PrimitiveType):
        return declared.code != ElementType.STRING or code is ElementType.STRING
    if isinstance(declared, SzArrayType | ArrayType):
        return code in (ElementType.SZARRAY, ElementType.ARRAY)
    named = declared.generic if isinstance(declared, GenericInstance) else declared
    if not isinstance(named, NamedType) or named.is_value_type:
        return True
    found = resolve(program.modules, module, named.token)
    owner = program.modules.get(found[0]) if found is not None else None
    if found is None or owner is None or owner.metadata is None or value.type is None:
        return True
    if owner.metadata.type_def(found[1]).flags & _INTERFACE or owner.metadata.type_name(found[1]) in _OF_ALL:
        return True
    return any((info.module, info.token) == found for _, info in lineage(program, value.type))


_INTERFACE = 0x20
_OF_ALL = frozenset({"System.Object", "System.ValueType", "System.Enum", "System.Array", "System.Delegate"})
"""Classes whose objects the runtime may describe by other types."""
_DECLARED: CacheSlot[dict[tuple[TypeDefToken, str], bool | None]] = CacheSlot("what a type declares", lambda _: {})


def overrides(program: Program, info: TypeInfo, method: str) -> bool:
    """Whether a type itself, not a base of it, overrides a method without parameters (`get_Count`, `ToString`)."""
    return _declared(program, info, method) is True


def hides(program: Program, info: TypeInfo, method: str) -> bool:
    """Whether a type itself has a method without parameters that overrides none: it hides one of a base (`new`)."""
    return _declared(program, info, method) is False


def _declared(program: Program, info: TypeInfo, method: str) -> bool | None:
    """Whether it overrides; None where the type has no such method."""
    module = program.modules.get(info.module)
    if module is None or module.metadata is None or info.token is None:
        return None
    known, key = module.cached(_DECLARED), (info.token, method)
    if key not in known:
        named = [one for one in module.metadata.methods_of(info.token) if one.name == method]
        own = [is_override(one.flags) for one in named if not one.signature.parameters]
        known[key] = any(own) if own else None
    return known[key]
