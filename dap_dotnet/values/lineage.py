"""The classes that an exact type derives from."""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.runtime.model import TypeId, TypeInfo
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
