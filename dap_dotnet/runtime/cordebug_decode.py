"""Structures of cordebug_shim.h, as bytes, to the terms of the model; and the buffers they are read into.

A bulk call fills arrays of fixed-size structures; `struct` takes a whole array apart faster than cffi's attributes
do one by one. The layouts are checked against the compiler's when this module is imported.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from dap_dotnet.errors import InternalError
from dap_dotnet.runtime._shim import BUFFER_TOO_SMALL, check, ffi, hresult_name, lib, new_sized
from dap_dotnet.runtime.model import (
    NOT_INITIALISED,
    NOT_LOADED,
    ElementType,
    Frame,
    FrameKind,
    MethodToken,
    ModuleId,
    TypeId,
    Value,
    ValueHandle,
)

_VALUE = struct.Struct("<QQiIIIIIII16s")
_FRAME = struct.Struct("<QIIIIIII4x")
for _layout, _name in ((_VALUE, "cds_value"), (_FRAME, "cds_frame")):
    if _layout.size != ffi.sizeof(_name):
        raise InternalError(f"The native part of dap-dotnet has another version ({_name}); install the package again.")

_NULL: int = lib.CDS_VALUE_NULL
_BOXED: int = lib.CDS_VALUE_BOXED
_REFERENCE: int = lib.CDS_VALUE_REFERENCE
_MISSING: int = lib.CDS_VALUE_MISSING
_NO_OFFSET: int = lib.CDS_NO_OFFSET
_HANDLER: int = lib.CDS_FRAME_HANDLER
_LEFT: int = lib.CDS_FRAME_LEFT

_STRING = int(ElementType.STRING)
_UNKNOWN = ElementType.END
_ELEMENT_TYPES = {int(member): member for member in ElementType}
_FRAME_KINDS = {
    lib.CDS_FRAME_IL: FrameKind.IL,
    lib.CDS_FRAME_NATIVE: FrameKind.NATIVE,
    lib.CDS_FRAME_INTERNAL: FrameKind.INTERNAL,
}

_VALUE_ERRORS = {
    0x80131303: NOT_LOADED,  # CORDBG_E_CLASS_NOT_LOADED
    0x80131304: "optimized away",  # CORDBG_E_IL_VAR_NOT_AVAILABLE
    0x80131305: "invalid reference",  # CORDBG_E_BAD_REFERENCE_VALUE
    # CORDBG_E_STATIC_VAR_NOT_AVAILABLE: of static fields that are pointers it is all that the runtime ever says.
    0x8013131A: f"{NOT_INITIALISED}, or a static pointer, which the runtime does not provide",
}


def value_error(hresult: int) -> str:
    """Why one value cannot be read, in a few words, or the HRESULT's name."""
    unsigned = hresult & 0xFFFFFFFF
    return _VALUE_ERRORS.get(unsigned) or hresult_name(unsigned)


class ValueBuffer:
    """Where the shim writes values and the heads of their strings. Grows when a call asks for more; session thread."""

    def __init__(self, capacity: int = 128, text_capacity: int = 32768) -> None:
        self._buffer: Any = new_sized("cds_value_buffer")
        self._reserve(capacity, text_capacity)

    def _reserve(self, capacity: int, text_capacity: int) -> None:
        self._values = ffi.new("cds_value[]", capacity)
        self._text = ffi.new("uint16_t[]", text_capacity)
        self._buffer.values = self._values
        self._buffer.text = self._text
        self._buffer.capacity = capacity
        self._buffer.text_capacity = text_capacity

    def read(
        self,
        call: Callable[[Any], int],
        text_limit: int,
        read_text: Callable[[ValueHandle, int], str],
    ) -> list[Value]:
        """Make a bulk call, which gets the buffer, and decode what it wrote.

        `read_text` brings the head of a string for which the buffer had no room.
        """
        buffer = self._buffer
        buffer.text_limit = text_limit
        code = call(buffer)
        if code == BUFFER_TOO_SMALL:
            self._reserve(buffer.count * 2, int(buffer.text_capacity))
            code = call(buffer)
        check(code)
        count: int = buffer.count
        raw = ffi.buffer(self._values, count * _VALUE.size)
        values = []
        for fields in _VALUE.iter_unpack(raw):
            text = None
            if fields[4] == _STRING and not fields[5] & _NULL and fields[2] >= 0:
                length, text_offset, text_length = fields[6:9]
                if text_length < min(length, text_limit):
                    text = read_text(fields[0], text_limit)
                else:
                    text = utf16(self._text + text_offset, text_length)
            values.append(_made(fields, text))
        return values


def planned_values(event: Any) -> tuple[Value | None, ...]:
    """What the read plan of a breakpoint brought along in its event; None for what is missing. Any thread."""
    raw = ffi.buffer(event.values, event.value_count * _VALUE.size)
    values: list[Value | None] = []
    for fields in _VALUE.iter_unpack(raw):
        flags = fields[5]
        if flags & _MISSING:
            values.append(None)
        elif fields[4] == _STRING and not flags & _NULL:
            values.append(_made(fields, utf16(event.text + fields[7], fields[8])))
        else:
            values.append(_made(fields, None))
    return tuple(values)


def _made(fields: tuple[Any, ...], text: str | None) -> Value:
    handle, address, hresult, type_id, element, flags, length, _, _, raw_size, raw = fields
    element_type = _ELEMENT_TYPES.get(element, _UNKNOWN)
    if hresult < 0:
        return Value(handle=None, type=None, element_type=element_type, error=value_error(hresult))
    return Value(
        handle,
        type_id or None,
        element_type,
        flags & _NULL != 0,
        flags & _BOXED != 0,
        flags & _REFERENCE != 0,
        address,
        raw[:raw_size] if raw_size else b"",
        text,
        length,
    )


class FrameBuffer:
    """Where the shim writes frames. Session thread."""

    def __init__(self, capacity: int = 64) -> None:
        self._capacity = capacity
        self._frames: Any = ffi.new("cds_frame[]", capacity)
        self._count: Any = ffi.new("uint32_t *")
        self._more: Any = ffi.new("int32_t *")

    def read(self, session: Any, thread: int, start: int, count: int) -> tuple[tuple[Frame, ...], bool]:
        """Frames from number `start`, at most `count`, and whether others follow."""
        if count > self._capacity:
            self._capacity = count
            self._frames = ffi.new("cds_frame[]", count)
        frames = self._list(session, thread, start, count, self._more)
        return frames, self._more[0] != 0

    def read_top(self, session: Any, thread: int) -> Frame | None:
        """The first frame; None where there is none."""
        return next(iter(self._list(session, thread, 0, 1, ffi.NULL)), None)

    def _list(self, session: Any, thread: int, start: int, count: int, more: Any) -> tuple[Frame, ...]:
        check(lib.cds_frame_list(session, thread, start, count, self._frames, self._count, more))
        raw = ffi.buffer(self._frames, self._count[0] * _FRAME.size)
        return tuple(_frame(start + place, fields) for place, fields in enumerate(_FRAME.iter_unpack(raw)))

    def read_exception(self, session: Any, exception: int) -> list[Frame]:
        """What an exception came through, at most as many frames as there is room for."""
        check(lib.cds_exception_frames(session, exception, self._frames, self._capacity, self._count))
        raw = ffi.buffer(self._frames, min(self._count[0], self._capacity) * _FRAME.size)
        return [_frame(place, fields) for place, fields in enumerate(_FRAME.iter_unpack(raw))]


def _frame(index: int, fields: tuple[int, ...]) -> Frame:
    stack_address, kind, module, token, il_offset, mapping, internal_type, flags = fields
    return Frame(
        index,
        _FRAME_KINDS[kind],
        ModuleId(module) if module else None,
        MethodToken(token) if token else None,
        il_offset if il_offset != _NO_OFFSET else None,
        mapping,
        internal_type,
        stack_address,
        flags & _HANDLER != 0,
        flags & _LEFT != 0,
    )


def utf16(units: Any, length: int) -> str:
    """UTF-16 code units of the shim as text; lone surrogates stay."""
    return "" if length == 0 else bytes(ffi.buffer(units, length * 2)).decode("utf-16-le", "surrogatepass")


def optional_type(type_id: int) -> TypeId | None:
    """A type id, or None for 0."""
    return TypeId(type_id) if type_id else None
