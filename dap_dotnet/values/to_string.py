"""Texts that a type's own ToString gives, by following it where it only reads."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, TypeId, Value
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name
from dap_dotnet.values.lineage import lineage, overrides

CALL = "this.ToString()"
_OWN = frozenset({"System.Object", "System.ValueType", "System.Enum"})
"""Types whose ToString says no more than the type's name, or what is shown anyway."""

_OVERRIDING: CacheSlot[dict[TypeId, bool]] = CacheSlot("whether a type has a ToString of its own", lambda _: {})
_NOT_FOLLOWED: CacheSlot[set[TypeId]] = CacheSlot("types whose ToString does more than read", lambda _: set())


def has_to_string(program: Program, type_id: TypeId) -> bool:
    """Whether an exact type, or a base but for object and ValueType, overrides ToString."""
    module = _module_of(program, type_id)
    if module is None:
        return False
    known = module.cached(_OVERRIDING)
    found = known.get(type_id)
    if found is None:
        found = known[type_id] = _overrides(program, type_id)
    return found


def _module_of(program: Program, type_id: TypeId) -> LoadedModule | None:
    return program.modules.get(program.debuggee.type_info(type_id).module)


def _overrides(program: Program, type_id: TypeId | None) -> bool:
    for _, info in lineage(program, type_id):
        if definition_name(program, info) in _OWN:
            return False
        if overrides(program, info, "ToString"):
            return True
    return False


def followed(program: Program, value: Value) -> str | None:
    """The text where ToString only reads; None where it does more, which is remembered of the type."""
    module = _module_of(program, value.type) if value.type is not None else None
    if module is None or program.expressions is None or value.type is None:
        return None
    known = module.cached(_NOT_FOLLOWED)
    if value.type in known:
        return None
    try:
        return text_of(program.expressions.value(program, value, CALL))
    except DapDotnetError:
        known.add(value.type)
        return None


def text_of(result: Value) -> str | None:
    """What ToString has given, as it is shown; None for null."""
    if result.is_null or result.error is not None or result.element_type is not ElementType.STRING:
        return None
    text = result.text or ""
    if len(text) > TEXT_LIMIT or (len(text) < result.length and len(text.encode("utf-16-le")) // 2 < result.length):
        return f"{{{text[:TEXT_LIMIT]}…}}"
    return f"{{{text}}}"
