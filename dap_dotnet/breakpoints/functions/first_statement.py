"""Where the breakpoint of a function goes in one of its methods."""

from __future__ import annotations

from typing import NamedTuple

from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule
from dap_dotnet.symbols.spans import Span, span_of


class FirstStatement(NamedTuple):
    """Where a method's breakpoint goes. Without symbols there is no `span` and no `path`."""

    method: MethodToken
    il_offset: int
    span: Span | None
    path: str | None


def first_statement(module: LoadedModule, method: MethodToken) -> FirstStatement:
    """The first visible sequence point, of an async method or iterator in its MoveNext; else IL offset 0."""
    from portablepdb import PortablePdbError

    pdb = module.pdb
    if pdb is None:
        return FirstStatement(method, 0, None, None)
    try:
        body = MethodToken(pdb.state_machine_of(method) or method)
        for point in pdb.sequence_points(body):
            if not point.is_hidden:
                return FirstStatement(body, point.il_offset, span_of(point), point.document.name)
    except PortablePdbError:
        return FirstStatement(method, 0, None, None)
    return FirstStatement(body, 0, None, None)
