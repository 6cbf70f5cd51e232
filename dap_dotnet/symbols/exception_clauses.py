"""Which handlers protect a place in a method, and whether they take an exception."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.async_methods import async_info
from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

if TYPE_CHECKING:
    from portablepdb.il import ExceptionClause

_TYPE_SPEC = 0x1B
"""The table of constructed types (ECMA-335 II.22.39)."""


def clauses_at(module: LoadedModule, method: MethodToken, il_offset: int) -> list[ExceptionClause]:
    """The clauses that protect an IL offset, the innermost one first, as the compiler writes them."""
    return [one for one in clauses_of(module, method) if one.try_offset <= il_offset < one.try_offset + one.try_length]


def is_in_filter(module: LoadedModule, method: MethodToken, il_offset: int) -> bool:
    """Whether an IL offset is in the condition of a catch (`when`), which runs before any frame is left."""
    return any(
        one.filter_offset is not None and one.filter_offset <= il_offset < one.handler_offset
        for one in clauses_of(module, method)
    )


def begins_handler(module: LoadedModule, method: MethodToken, il_offset: int) -> bool:
    """Whether a handler begins at an IL offset: a catch, a finally, or a fault block."""
    return any(one.handler_offset == il_offset for one in clauses_of(module, method))


def is_compilers(module: LoadedModule, method: MethodToken, clause: ExceptionClause) -> bool:
    """Whether the compiler has made a catch of an async method: it has no place in the source.

    One is around the whole method and hands exceptions on to its task; others stand for a finally that awaits.
    """
    from portablepdb.il import CATCH

    if clause.kind != CATCH or module.pdb is None or async_info(module, method) is None:
        return False
    points = module.pdb.sequence_points(method)
    return any(point.is_hidden and point.il_offset == clause.handler_offset for point in points)


def takes(module: LoadedModule, clause: ExceptionClause, lineage: Sequence[str]) -> bool:
    """Whether a clause is a handler for an exception; `lineage` has the full names of its type and its bases.

    A filter counts as one: only the filter knows.
    """
    from portablepdb import PortablePdbError
    from portablepdb.il import CATCH, FILTER

    if clause.kind != CATCH or clause.catch_type is None:
        return clause.kind in (CATCH, FILTER)
    if clause.catch_type >> 24 == _TYPE_SPEC:
        return True  # a constructed type, or a type parameter: it may be this one
    assert module.metadata is not None
    try:
        name = module.metadata.type_name(clause.catch_type)
    except PortablePdbError:
        return True
    return name in lineage or name == "System.Object"


def _find_clauses(module: LoadedModule, method: MethodToken) -> tuple[ExceptionClause, ...]:
    from portablepdb import PortablePdbError

    try:
        body = module.metadata.method_body(method) if module.metadata is not None else None
    except PortablePdbError:
        body = None
    return body.exception_clauses if body is not None else ()


clauses_of = ModuleMemo("exception clauses of methods", _find_clauses)
"""All clauses of a method, inner ones first."""
