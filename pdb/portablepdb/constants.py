"""Local constant signatures (Portable PDB 1.0, "LocalConstantSig Blob")."""

from __future__ import annotations

import struct
from decimal import Decimal
from typing import Any

from .blob_reader import BlobReader
from .handles import Token
from .records import Record

# Element types (II.23.1.16).
BOOLEAN, CHAR, STRING, VALUETYPE, CLASS, OBJECT = 0x02, 0x03, 0x0E, 0x11, 0x12, 0x1C
_CMOD_REQD, _CMOD_OPT = 0x1F, 0x20
_WIDTHS = {0x02: 1, 0x03: 2, 0x04: 1, 0x05: 1, 0x06: 2, 0x07: 2, 0x08: 4, 0x09: 4, 0x0A: 8, 0x0B: 8, 0x0C: 4, 0x0D: 8}
_SIGNED = (0x04, 0x06, 0x08, 0x0A)
_FLOATS = {0x0C: "<f", 0x0D: "<d"}
_DECIMAL_BYTES, _TICKS_BYTES = 13, 8


class ConstantValue(Record):
    """A decoded local constant.

    ``type_code`` is the element type (II.23.1.16). ``modifiers`` are (is_required, type token) in blob order.
    ``type_token`` is the enum, class or value type, None for plain primitives. ``value``: bool, int, float, str (char
    and string), Decimal, int ticks of a VB Date, or None (null references). ``raw`` are the value's bytes as
    stored, ``rest`` what follows a value and its type and has no meaning in the specification.
    """

    type_code: int
    modifiers: tuple[tuple[bool, int], ...]
    type_token: Token | None
    value: Any
    raw: bytes
    rest: bytes

    @property
    def has_raw(self) -> bool:
        """Whether the value stands after a class or value type, so that ``raw`` is all there is to show."""
        return self.type_code in (VALUETYPE, CLASS)


def decode_constant(blob: bytes, origin: int = 0, file: str = "<blob>") -> ConstantValue:
    """Decode a constant's signature; ``origin`` is its file offset. Raises MalformedError, TruncatedError.

    A value type other than Decimal (13 bytes) and Date (8 bytes) keeps its bytes as value.
    """
    reader = BlobReader(blob, origin, file)
    modifiers = []
    code = reader.compressed("the type of a constant")
    while code in (_CMOD_REQD, _CMOD_OPT):
        modifiers.append((code == _CMOD_REQD, reader.type_def_or_ref()))
        code = reader.compressed("the type of a constant")
    token: Token | None = None
    raw = rest = b""
    value: Any = None
    if code in _WIDTHS:
        raw = reader.take(_WIDTHS[code], "a constant's value")
        value = primitive_value(code, raw)
    elif code == STRING:
        raw = reader.rest()
        value = None if raw == b"\xff" else raw[: len(raw) & ~1].decode("utf-16-le", "surrogatepass")
    elif code in (VALUETYPE, CLASS):
        token = Token(reader.type_def_or_ref())
        raw = reader.rest()
        if raw:
            value = raw
            if code == VALUETYPE and len(raw) == _DECIMAL_BYTES:
                value = decode_decimal(raw, reader)
            elif code == VALUETYPE and len(raw) == _TICKS_BYTES:
                value = int.from_bytes(raw, "little", signed=True)
    elif code != OBJECT:
        raise reader.malformed(f"0x{code:x} is not a type that a local constant may have")
    if reader.remaining and code in _WIDTHS:
        token = Token(reader.type_def_or_ref())
    rest = reader.rest()
    return ConstantValue(code, tuple(modifiers), token, value, raw, rest)


def primitive_value(code: int, raw: bytes) -> bool | int | float | str:
    """The value of a primitive of element type 0x02..0x0d from its little-endian bytes."""
    if code == BOOLEAN:
        return raw[0] != 0
    if code == CHAR:
        return raw.decode("utf-16-le", "surrogatepass")
    if code in _FLOATS:
        number: float = struct.unpack(_FLOATS[code], raw)[0]
        return number
    return int.from_bytes(raw, "little", signed=code in _SIGNED)


def decode_decimal(raw: bytes, reader: BlobReader) -> Decimal:
    """A System.Decimal of 13 bytes: sign and scale in the first, then 96 bits of the number."""
    scale = raw[0] & 0x7F
    if scale > 28:
        raise reader.malformed(f"a decimal constant has scale {scale}; 28 is the greatest")
    number = int.from_bytes(raw[1:], "little")
    return Decimal((raw[0] >> 7, tuple(int(digit) for digit in str(number)), -scale))


def decode_field_constant(code: int, raw: bytes) -> Any:
    """The value of a Constant row (II.22.9): as the local constants, but a null reference is CLASS with four zeroes.

    Raises TruncatedError when the blob is too short for its type, MalformedError for a type that cannot be here.
    """
    reader = BlobReader(raw)
    if code in _WIDTHS:
        return primitive_value(code, reader.take(_WIDTHS[code], "a constant's value"))
    if code == STRING:
        return raw[: len(raw) & ~1].decode("utf-16-le", "surrogatepass")
    if code == CLASS:
        return None
    raise reader.malformed(f"0x{code:x} is not a type that a constant may have (II.22.9)")
