"""Texts that a type's own ToString gives, by following it where it only reads."""

from __future__ import annotations

from dap_dotnet.errors import DapDotnetError
from dap_dotnet.runtime.model import TEXT_LIMIT, ElementType, TypeId, Value
from dap_dotnet.symbols.modules import CacheSlot, LoadedModule
from dap_dotnet.values.context import Program
from dap_dotnet.values.layouts import definition_name
from dap_dotnet.values.lineage import hides, lineage, overrides

_CALL = "this.ToString()"
_CALL_OF_HIDDEN = "((object)this).ToString()"
_OWN = frozenset({"System.Object", "System.ValueType", "System.Enum"})
"""Types whose ToString says no more than the type's name, or what is shown anyway."""

_CALLS: CacheSlot[dict[TypeId, str | None]] = CacheSlot("how types' own ToString is called", lambda _: {})
_NOT_FOLLOWED: CacheSlot[set[TypeId]] = CacheSlot("types whose ToString does more than read", lambda _: set())


def call_of(program: Program, type_id: TypeId) -> str | None:
    """The expression that calls the ToString by which .NET shows a `this` of an exact type.

    None where the type and its bases, but for object and ValueType, do not override it.
    """
    module = _module_of(program, type_id)
    if module is None:
        return None
    known = module.cached(_CALLS)
    if type_id not in known:
        known[type_id] = _call_of(program, type_id)
    return known[type_id]


def _module_of(program: Program, type_id: TypeId) -> LoadedModule | None:
    return program.modules.get(program.debuggee.type_info(type_id).module)


def _call_of(program: Program, type_id: TypeId) -> str | None:
    """`new string ToString()` is no override of object's, and neither is what overrides that one."""
    is_own = is_hidden = False
    for _, info in lineage(program, type_id):
        if definition_name(program, info) in _OWN:
            break
        if hides(program, info, "ToString"):
            is_own, is_hidden = False, True
        is_own |= overrides(program, info, "ToString")
    if not is_own:
        return None
    return _CALL_OF_HIDDEN if is_hidden else _CALL


def followed(program: Program, value: Value) -> str | None:
    """The text where ToString only reads; None where it does more, which is remembered of the type."""
    module = _module_of(program, value.type) if value.type is not None else None
    if module is None or program.expressions is None or value.type is None:
        return None
    known = module.cached(_NOT_FOLLOWED)
    call = call_of(program, value.type)
    if value.type in known or call is None:
        return None
    try:
        return text_of(program.expressions.value(program, value, call))
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
