"""`disassemble` and `setInstructionBreakpoints`, over the IL of methods; the first over native code, too."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from dap_dotnet.breakpoints.model import InstructionGroup, InstructionPlace, Wanted
from dap_dotnet.errors import UserError
from dap_dotnet.handlers import native_code
from dap_dotnet.handlers.breakpoints import answer_when_applied, settings_of
from dap_dotnet.handlers.instructions import Instruction, as_instruction, drop_repeated
from dap_dotnet.protocol.messages.disassembly import (
    DisassembleArguments,
    DisassembledInstruction,
    DisassembleResponseBody,
)
from dap_dotnet.protocol.messages.instruction_breakpoints import (
    InstructionBreakpoint,
    SetInstructionBreakpointsArguments,
    SetInstructionBreakpointsResponseBody,
)
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
    """The IL of a method around an address, with names and source. Those outside the method are invalid.

    At an address that `dap-dotnet/nativeCode` has given, at the same stop: instructions of the processor.
    """
    session.need_debuggee()
    count = arguments.instruction_count
    if not 0 <= count <= _MOST:
        raise UserError(f"Cannot disassemble {count} instructions: ask for 0 to {_MOST:,}.")
    address = _address(arguments.memory_reference)
    code = _il_around(session, address) or _native_around(session, address)
    first = code.number_at(address + (arguments.offset or 0)) + (arguments.instruction_offset or 0)
    symbol = None if arguments.resolve_symbols is False else code.symbol
    shown = [_shown(session, code, number, symbol) for number in range(first, first + count)]
    drop_repeated(shown)
    return DisassembleResponseBody(instructions=shown)


class _Code:
    """The instructions of a method at their addresses, in their order; not empty."""

    def __init__(self, instructions: Sequence[tuple[int, Instruction]], symbol: str) -> None:
        self.instructions = instructions
        self.symbol = symbol
        last_address, last = instructions[-1]
        self.begin = instructions[0][0]
        self.end = last_address + len(last.content)

    def number_at(self, address: int) -> int:
        """The number of the instruction that has the byte; around the method each byte counts as one."""
        if address < self.begin:
            return address - self.begin
        if address >= self.end:
            return len(self.instructions) + address - self.end
        return bisect_right(self.instructions, address, key=lambda entry: entry[0]) - 1


def _address(reference: str) -> int:
    """Raises `UserError`."""
    try:
        return int(reference.strip(), 0)
    except ValueError:
        error = UserError(f"'{reference[:40]}' is not the address of an instruction.")
        error.show_user = bool(reference.strip())  # an editor's view asks without when it has no frame
        raise error from None


def _no_il_at(address: int) -> UserError:
    hint = "use the address of an instruction, as given by a stack frame"
    return UserError(f"There is no IL at {address:#x}: {hint}.")


def _il_around(session: Session, address: int) -> _Code | None:
    """The method of an address that is one of IL; None for others. Raises `UserError` where there is no such IL."""
    location = location_of(address)
    if location is None:
        return None
    module = session.modules.get(location.module)
    listing = _listing(module, location)
    assert module is not None
    bottom = address - location.il_offset
    return _Code([(bottom + one.il_offset, one) for one in listing], module.method_text(location.method))


def _native_around(session: Session, address: int) -> _Code:
    """The method on the stack whose code of the processor has an address. Raises `UserError` where there is none."""
    name, listing = native_code.listing_at(session, address)
    if not listing:
        raise _no_il_at(address)
    return _Code(sorted(((one.address, one) for one in listing), key=lambda entry: entry[0]), name)


def _listing(module: LoadedModule | None, location: BreakpointLocation) -> Sequence[ListedInstruction]:
    """All instructions of the method. Raises `UserError` where there are none."""
    from portablepdb import PortablePdbError

    if module is None:
        raise UserError("The module of this address is no longer loaded, or never was.")
    try:
        listing = il_listing(module, location.method)
    except PortablePdbError as error:
        raise UserError(f"The IL of method 0x{location.method:08x} cannot be read: {error}.") from error
    if not listing:
        raise UserError(f"{module.method_text(location.method)} has no IL.")
    return listing


def _shown(session: Session, code: _Code, number: int, symbol: str | None) -> DisassembledInstruction:
    if not 0 <= number < len(code.instructions):
        address = code.begin + number if number < 0 else code.end + number - len(code.instructions)
        return DisassembledInstruction(
            address=reference_text(max(address, 0)), instruction=_NOTHING, presentation_hint="invalid"
        )
    address, entry = code.instructions[number]
    return as_instruction(session, address, entry, symbol if number == 0 else None)


def set_instruction_breakpoints(session: Session, arguments: SetInstructionBreakpointsArguments) -> Deferred:
    """Replace all instruction breakpoints. A running program is stopped for a moment, without an event."""
    asked = [_wanted(sent) for sent in arguments.breakpoints]
    wanted = [one for one in asked if isinstance(one, Wanted)]
    made = iter(session.breakpoints.registry.replace(InstructionGroup(), wanted))
    logical = [next(made) if isinstance(one, Wanted) else one for one in asked]
    return answer_when_applied(session, logical, SetInstructionBreakpointsResponseBody)


def _wanted(sent: InstructionBreakpoint) -> Wanted | UserError:
    try:
        address = _address(sent.instruction_reference)
    except UserError as error:
        return error
    location = location_of(address)
    if location is None:
        return _no_il_at(address)
    offset = location.il_offset + (sent.offset or 0)
    if not 0 <= offset < MOST_IL_BYTES:
        return UserError("The offset points outside the method.")
    there = BreakpointLocation(location.module, location.method, offset)
    assert il_address(there) is not None
    return Wanted(InstructionPlace(there), settings_of(sent))
