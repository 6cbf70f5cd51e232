"""DebuggerTypeProxy: the type whose members a variables view shows in the place of an object's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from dap_dotnet.runtime.model import TypeDefToken, TypeId
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.symbols.reflection_names import ReflectionName, parse_reflection_name
from dap_dotnet.values.context import Program
from dap_dotnet.values.debugger_attributes import TYPE_PROXY, attribute_for
from dap_dotnet.values.lineage import lineage

if TYPE_CHECKING:
    from portablepdb.custom_attributes import CustomAttribute


class TypeProxy(Struct, frozen=True):
    """A proxy type by the name that the attribute gives it."""

    name: ReflectionName
    """Without an assembly it is in that of the type with the attribute."""
    shown_for: TypeId
    """The exact type that has the attribute: its generic arguments are those of a proxy that is left open."""
    is_frameworks: bool
    """See `Display`."""


_NAMES: CacheSlot[dict[TypeDefToken, tuple[ReflectionName, bool] | None]] = CacheSlot("proxies of types", lambda _: {})
_FOUND: CacheSlot[dict[TypeId, TypeProxy | None]] = CacheSlot("proxies of exact types", lambda _: {})


def proxy_of(program: Program, type_id: TypeId | None) -> TypeProxy | None:
    """The proxy of an exact type, or of the nearest of its bases that has one; None when it is shown by itself."""
    module = program.modules.get(program.debuggee.type_info(type_id).module) if type_id is not None else None
    if module is None or type_id is None:
        return None
    known = module.cached(_FOUND)
    if type_id not in known:
        known[type_id] = _find(program, type_id)
    return known[type_id]


def _find(program: Program, type_id: TypeId | None) -> TypeProxy | None:
    for declaring, info in lineage(program, type_id):
        module = program.modules.get(info.module)
        if module is not None and info.token is not None:
            found = _name_of(program, module, info.token)
            if found is not None:
                return TypeProxy(found[0], declaring, found[1])
    return None


def _name_of(program: Program, module: LoadedModule, token: TypeDefToken) -> tuple[ReflectionName, bool] | None:
    known = module.cached(_NAMES)
    if token not in known:
        found = attribute_for(program, module, token, TYPE_PROXY)
        name = _named(found[0]) if found is not None else None
        known[token] = (name, found[1]) if found is not None and name is not None else None
    return known[token]


def _named(attribute: CustomAttribute) -> ReflectionName | None:
    """The attribute takes a Type or a name, which are written in one way."""
    given = attribute.fixed_arguments[0].value if attribute.fixed_arguments else None
    return parse_reflection_name(given) if isinstance(given, str) else None
