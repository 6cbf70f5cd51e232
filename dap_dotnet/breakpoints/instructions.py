"""From an IL instruction to the place where the runtime can stop before it."""

from __future__ import annotations

from collections.abc import Sequence

from dap_dotnet.breakpoints.model import InstructionPlace, Site
from dap_dotnet.breakpoints.resolution import Resolution
from dap_dotnet.runtime.model import BreakpointLocation, ModuleId
from dap_dotnet.symbols.il_listing import ListedInstruction, il_listing
from dap_dotnet.symbols.modules import ModuleCatalog

_GONE = "The module with this instruction is not loaded. Disassemble again, and set the breakpoint there."
_REFUSED = "INVALID_INSTRUCTION"


def resolve_instruction(modules: ModuleCatalog, place: InstructionPlace, module: ModuleId | None) -> Resolution:
    """The site of an instruction breakpoint, moved back to where the evaluation stack is empty (see `Resolver`).

    Only there the runtime maps IL offsets exactly.
    """
    from portablepdb import PortablePdbError

    wanted = place.location
    if module is not None and module != wanted.module:
        return Resolution()
    loaded = modules.get(wanted.module)
    if loaded is None:
        return Resolution(reason=_GONE, failed=True, code="MODULE_NOT_LOADED")
    try:
        listing = il_listing(loaded, wanted.method)
    except PortablePdbError as error:
        return Resolution(reason=f"There is no such instruction: {error}.", failed=True, code=_REFUSED)
    if all(entry.il_offset != wanted.il_offset for entry in listing):
        reason = f"No instruction starts at IL offset 0x{wanted.il_offset:x} of {loaded.method_text(wanted.method)}."
        return Resolution(reason=reason, failed=True, code=_REFUSED)
    found = _last_before(listing, wanted.il_offset)
    if found is None:
        reason = "Control never reaches this instruction."
        return Resolution(reason=reason, failed=True, code=_REFUSED)
    location = BreakpointLocation(wanted.module, wanted.method, found.il_offset)
    path = None if found.path is None else modules.source_map.local_path(found.path)
    note = ""
    if found.il_offset != wanted.il_offset:
        note = (
            f"The runtime stops only where the evaluation stack is empty: the breakpoint stands at "
            f"IL_{found.il_offset:04x}, the last such instruction before it."
        )
    return Resolution((Site(location, found.span, path),), note)


def _last_before(listing: Sequence[ListedInstruction], il_offset: int) -> ListedInstruction | None:
    found = None
    for entry in listing:
        if entry.stack_depth == 0:
            found = entry
        if entry.il_offset == il_offset:
            return found if entry.stack_depth is not None else None
    return None
