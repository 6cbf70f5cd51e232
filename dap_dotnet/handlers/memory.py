"""`readMemory` and `writeMemory`."""

from __future__ import annotations

import base64
import binascii

from dap_dotnet.errors import RuntimeCallError, UserError
from dap_dotnet.protocol.messages.memory import (
    ReadMemoryArguments,
    ReadMemoryResponseBody,
    WriteMemoryArguments,
    WriteMemoryResponseBody,
)
from dap_dotnet.runtime.api import Debuggee
from dap_dotnet.session.session import Session

_PAGE = 4096
_MOST = 1 << 24
"""Bytes that one request gives at most; the client asks again for more."""
_END = 1 << 64


def read_memory(session: Session, arguments: ReadMemoryArguments) -> ReadMemoryResponseBody:
    """Bytes of the program, as far as they can be read."""
    debuggee = session.need_stopped()
    address = _address(arguments.memory_reference, arguments.offset)
    if arguments.count < 0:
        raise UserError("The number of bytes must not be negative.")
    count = min(arguments.count, _MOST, _END - address)
    data = _read(debuggee, address, count)
    missing = count - len(data)
    return ReadMemoryResponseBody(
        address=f"0x{address:016x}",
        unreadable_bytes=missing or None,
        data=base64.b64encode(data).decode("ascii") if data else None,
    )


def _read(debuggee: Debuggee, address: int, count: int) -> bytes:
    """What can be read from the beginning: all at once, else page by page."""
    if not count:
        return b""
    try:
        data = debuggee.read_memory(address, count)
    except RuntimeCallError:
        data = b""
    while len(data) < count:
        size = min(count - len(data), _PAGE - (address + len(data)) % _PAGE)
        try:
            part = debuggee.read_memory(address + len(data), size)
        except RuntimeCallError:
            break
        data += part
        if len(part) < size:
            break
    return data


def write_memory(session: Session, arguments: WriteMemoryArguments) -> WriteMemoryResponseBody:
    """Write bytes to the program's memory: all of them or none."""
    debuggee = session.need_stopped()
    address = _address(arguments.memory_reference, arguments.offset)
    try:
        content = base64.b64decode(arguments.data, validate=True)
    except (binascii.Error, ValueError):
        raise UserError("The bytes to write are not base64.") from None
    if address + len(content) > _END:
        raise UserError("The bytes do not fit into the address space.")
    if not content:
        return WriteMemoryResponseBody(bytes_written=0)
    try:
        debuggee.write_memory(address, content)
    except RuntimeCallError as error:
        raise UserError(f"The memory at {address:#x} cannot be written ({error.hresult_name}).") from error
    session.values_changed()
    return WriteMemoryResponseBody(bytes_written=len(content))


def _address(reference: str, offset: int | None) -> int:
    """The address that a reference means. Raises `UserError`."""
    try:
        address = int(reference.strip(), 0) + (offset or 0)
    except ValueError:
        raise UserError(f"'{reference[:40]}' is not a memory reference of this session.") from None
    if not 0 <= address < _END:
        raise UserError(f"The address {address:#x} is outside of memory.")
    return address
