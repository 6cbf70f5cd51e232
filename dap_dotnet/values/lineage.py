"""The classes that an exact type derives from, and what they override."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.runtime.model import TypeDefToken, TypeId, TypeInfo
from dap_dotnet.symbols.modules import CacheSlot
from dap_dotnet.symbols.types import is_override
from dap_dotnet.values.context import Program

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
