"""`disassemble` and `setInstructionBreakpoints`, over the IL of methods."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from dap_dotnet.breakpoints.model import InstructionGroup, InstructionPlace, Wanted
from dap_dotnet.errors import UserError
from dap_dotnet.handlers.breakpoints import answer_when_applied, settings_of
from dap_dotnet.protocol.client_view import ClientView, file_name
from dap_dotnet.protocol.messages.disassembly import (
    DisassembleArguments,
    DisassembledInstruction,
    DisassembleResponseBody,
    InstructionBreakpoint,
    SetInstructionBreakpointsArguments,
    SetInstructionBreakpointsResponseBody,
)
from dap_dotnet.protocol.messages.sources import Source
from dap_dotnet.runtime.model import BreakpointLocation
from dap_dotnet.server import Deferred
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.il_addresses import MOST_IL_BYTES, il_address, location_of, reference_text
from dap_dotnet.symbols.il_listing import ListedInstruction, il_listing
from dap_dotnet.symbols.modules import LoadedModule

_MOST = 100_000
"""Instructions that one request is given."""
_NOTHING = "(no instruction)"


def disassemble(session: Session, arguments: DisassembleArguments) -> DisassembleResponseBody:
    """The IL of a method around an address, with names and source. Before and behind the method are invalid ones."""
    session.need_debuggee()
    count = arguments.instruction_count
    if not 0 <= count <= _MOST:
        raise UserError(f"{count} instructions cannot be given: ask for up to {_MOST:,}.")
    location, start = _location(arguments.memory_reference)
    module = session.modules.get(location.module)
    listing = _listing(module, location)
    assert module is not None
    il_offset = location.il_offset + (arguments.offset or 0)
    first = _number_at(listing, il_offset) + (arguments.instruction_offset or 0)
    bottom = start - location.il_offset
    symbol = None if arguments.resolve_symbols is False else module.method_text(location.method)
    shown = [_shown(session, listing, bottom, number, symbol) for number in range(first, first + count)]
    _drop_repeated(shown)
    return DisassembleResponseBody(instructions=shown)


def _location(reference: str) -> tuple[BreakpointLocation, int]:
    """The place of IL that a reference means, and its address. Raises `UserError`."""
    try:
        address = int(reference.strip(), 0)
    except ValueError:
        raise UserError(f"'{reference[:40]}' is no address of an instruction.") from None
    location = location_of(address)
    if location is None:
        message = f"There is no IL at {address:#x}: take an address of an instruction, as a frame of the stack has it."
        raise UserError(message)
    return location, address


def _listing(module: LoadedModule | None, location: BreakpointLocation) -> Sequence[ListedInstruction]:
    """All instructions of the method. Raises `UserError` where there are none."""
    from portablepdb import PortablePdbError

    if module is None:
        raise UserError("The module of this address is not loaded any more, or never was.")
    try:
        listing = il_listing(module, location.method)
    except PortablePdbError as error:
        raise UserError(f"The IL of method 0x{location.method:08x} cannot be read: {error}.") from error
    if not listing:
        raise UserError(f"{module.method_text(location.method)} has no IL.")
    return listing


def _number_at(listing: Sequence[ListedInstruction], il_offset: int) -> int:
    """The number of the instruction that has the byte; around the method each byte counts as one."""
    end = listing[-1].il_offset + len(listing[-1].content)
    if il_offset < 0:
        return il_offset
    if il_offset >= end:
        return len(listing) + il_offset - end
    return bisect_right(listing, il_offset, key=lambda entry: entry.il_offset) - 1


def _shown(
    session: Session, listing: Sequence[ListedInstruction], bottom: int, number: int, symbol: str | None
) -> DisassembledInstruction:
    if not 0 <= number < len(listing):
        last = listing[-1]
        beyond = last.il_offset + len(last.content) - len(listing)
        address = bottom + number + (beyond if number > 0 else 0)
        return DisassembledInstruction(
            address=reference_text(max(address, 0)), instruction=_NOTHING, presentation_hint="invalid"
        )
    entry = listing[number]
    view, span = session.view, entry.span
    return DisassembledInstruction(
        address=reference_text(bottom + entry.il_offset),
        instruction_bytes=entry.content.hex(" "),
        instruction=entry.text,
        symbol=symbol if number == 0 else None,
        location=_source(session, view, entry.path),
        line=view.line_to_client(span.line) if span else None,
        column=view.column_to_client(span.column) if span else None,
        end_line=view.line_to_client(span.end_line) if span else None,
        end_column=view.column_to_client(span.end_column) if span else None,
    )


def _source(session: Session, view: ClientView, path: str | None) -> Source | None:
    if path is None:
        return None
    local = session.modules.source_map.local_path(path)
    return Source(name=file_name(local), path=view.path_to_client(local))


def _drop_repeated(shown: Sequence[DisassembledInstruction]) -> None:
    """Leave out sources that are those of the instruction before."""
    before = None
    for one in shown:
        if one.location == before:
            one.location = None
        else:
            before = one.location


def set_instruction_breakpoints(session: Session, arguments: SetInstructionBreakpointsArguments) -> Deferred:
    """Replace all instruction breakpoints. While the program runs it is stopped for a moment, unnoticed."""
    asked = [_wanted(sent) for sent in arguments.breakpoints]
    wanted = [one for one in asked if isinstance(one, Wanted)]
    made = iter(session.breakpoints.registry.replace(InstructionGroup(), wanted))
    logical = [next(made) if isinstance(one, Wanted) else one for one in asked]
    return answer_when_applied(session, logical, SetInstructionBreakpointsResponseBody)


def _wanted(sent: InstructionBreakpoint) -> Wanted | UserError:
    try:
        location, _ = _location(sent.instruction_reference)
    except UserError as error:
        return error
    offset = location.il_offset + (sent.offset or 0)
    if not 0 <= offset < MOST_IL_BYTES:
        return UserError("The offset leads out of the method of the address.")
    there = BreakpointLocation(location.module, location.method, offset)
    assert il_address(there) is not None
    return Wanted(InstructionPlace(there), settings_of(sent))
