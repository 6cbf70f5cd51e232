"""Who catches an exception, where the runtime does not say: from the exception clauses of the methods on the stack.

Since .NET 9 the runtime reports a catch handler without its frame when a handler of the same method runs: a rethrow in
an inner catch, or a throw in an inner finally, that the outer catch takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dap_dotnet.runtime.model import Frame
from dap_dotnet.symbols.modules import LoadedModule, ModuleCatalog

if TYPE_CHECKING:
    from portablepdb.il import ExceptionClause


def catcher(modules: ModuleCatalog, stack: Iterable[Frame], lineage: Sequence[str]) -> LoadedModule | None:
    """The module of the first method on a stack that has a handler for an exception; None when no method has one.

    `stack` begins with the method that throws; frames that an exception has left are passed over. `lineage` has the
    full names of the exception's type and its bases. A filter counts as a handler: the runtime has found one, and only
    the filter knows.
    """
    for frame in stack:
        if frame.is_left or frame.method is None or frame.il_offset is None:
            continue
        module = modules.get(frame.module)
        if module is not None and any(_takes(module, clause, lineage) for clause in _clauses_at(module, frame)):
            return module
    return None


def _clauses_at(module: LoadedModule, frame: Frame) -> list[ExceptionClause]:
    """The clauses that protect the place where a frame stands."""
    from portablepdb import PortablePdbError

    assert frame.method is not None
    assert frame.il_offset is not None
    try:
        body = module.metadata.method_body(frame.method) if module.metadata is not None else None
    except PortablePdbError:
        body = None
    clauses = body.exception_clauses if body is not None else ()
    return [one for one in clauses if one.try_offset <= frame.il_offset < one.try_offset + one.try_length]


def _takes(module: LoadedModule, clause: ExceptionClause, lineage: Sequence[str]) -> bool:
    from portablepdb import PortablePdbError
    from portablepdb.il import CATCH, FILTER

    if clause.kind != CATCH or clause.catch_type is None:
        return clause.kind in (CATCH, FILTER)
    assert module.metadata is not None
    try:
        name = module.metadata.type_name(clause.catch_type)
    except PortablePdbError:
        return True  # a constructed type: it may be this one
    return name in lineage or name == "System.Object"
