"""The first line of Main."""

from __future__ import annotations

from dap_dotnet.runtime.model import BreakpointLocation, MethodToken
from dap_dotnet.symbols.modules import LoadedModule


def entry_location(module: LoadedModule) -> BreakpointLocation | None:
    """Where the user's Main begins; None for modules without an entry point or without symbols for it.

    An async Main is entered through a method that the compiler made; the user's code is in the state machine of the
    method of the same type whose kickoff it calls.
    """
    metadata, pdb = module.metadata, module.pdb
    if metadata is None or pdb is None or not metadata.entry_point:
        return None
    main = metadata.entry_point
    for method in (main, *_async_bodies(module, main)):
        for point in pdb.sequence_points(method):
            if not point.is_hidden:
                return BreakpointLocation(module.id, MethodToken(method), point.il_offset)
    return None


def _async_bodies(module: LoadedModule, main: int) -> list[int]:
    """MoveNext methods of the state machines that Main in the entry point's type kicks off."""
    metadata, pdb = module.metadata, module.pdb
    assert metadata is not None
    assert pdb is not None
    declaring = metadata.method(main).declaring_type
    bodies: list[int] = []
    for nested in metadata.nested_types(declaring):
        for method in metadata.methods_of(nested):
            kickoff = pdb.kickoff_method(method.token)
            if kickoff is not None and metadata.method(kickoff).name in ("Main", "<Main>$"):
                bodies.append(method.token)
    return bodies
