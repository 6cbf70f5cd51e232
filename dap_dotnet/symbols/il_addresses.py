"""IL instructions as addresses, which clients take for those of a processor.

An address is a number of 64 bits that says itself what it means, with fixed groups of hexadecimal digits::

    0x1 0003 00002a 0001f
      │    │      │     └ IL offset, in bytes
      │    │      └ row of the method in the MethodDef table (its token without 0x06)
      │    └ number of the module, as in `module` events
      └ it is IL: no address of the program's memory begins so

So the addresses of a method are in the order of its code, and the same for the whole run of the program.
"""

from __future__ import annotations

from dap_dotnet.runtime.model import BreakpointLocation, MethodToken, ModuleId

_OFFSET_BITS, _ROW_BITS, _MODULE_BITS = 20, 24, 16
_IL = 1
_METHOD_DEF = 0x06000000
MOST_IL_BYTES = 1 << _OFFSET_BITS
"""IL behind so many bytes of a method has no address."""


def il_address(location: BreakpointLocation) -> int | None:
    """The address of an IL offset of a method; None where the module's number or the offset is too large for one."""
    if location.module >> _MODULE_BITS or not 0 <= location.il_offset < MOST_IL_BYTES:
        return None
    upper = (_IL << _MODULE_BITS | location.module) << _ROW_BITS | (location.method & 0xFFFFFF)
    return upper << _OFFSET_BITS | location.il_offset


def location_of(address: int) -> BreakpointLocation | None:
    """What an address means; None for one that is not of IL. Module, method and offset need not exist."""
    if address >> (_OFFSET_BITS + _ROW_BITS + _MODULE_BITS) != _IL:
        return None
    upper, il_offset = divmod(address, MOST_IL_BYTES)
    module, row = divmod(upper, 1 << _ROW_BITS)
    return BreakpointLocation(ModuleId(module & ((1 << _MODULE_BITS) - 1)), MethodToken(_METHOD_DEF | row), il_offset)


def reference_text(address: int) -> str:
    """An address as DAP writes it."""
    return f"0x{address:016x}"
