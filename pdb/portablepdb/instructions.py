"""Instructions decoded from IL bytes (ECMA-335 III)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from .errors import MalformedError, TruncatedError
from .handles import Token
from .opcodes import OPCODES, OpCode, Operand
from .records import Record

_SIMPLE = {
    Operand.INT8: struct.Struct("<b"),
    Operand.UINT8: struct.Struct("<B"),
    Operand.INT32: struct.Struct("<i"),
    Operand.INT64: struct.Struct("<q"),
    Operand.FLOAT32: struct.Struct("<f"),
    Operand.FLOAT64: struct.Struct("<d"),
    Operand.METHOD: struct.Struct("<I"),
    Operand.FIELD: struct.Struct("<I"),
    Operand.TYPE: struct.Struct("<I"),
    Operand.STRING: struct.Struct("<I"),
    Operand.SIGNATURE: struct.Struct("<I"),
    Operand.TOKEN: struct.Struct("<I"),
    Operand.VARIABLE8: struct.Struct("<B"),
    Operand.VARIABLE16: struct.Struct("<H"),
    Operand.ARGUMENT8: struct.Struct("<B"),
    Operand.ARGUMENT16: struct.Struct("<H"),
    Operand.TARGET8: struct.Struct("<b"),
    Operand.TARGET32: struct.Struct("<i"),
}
_TARGETS = (Operand.TARGET8, Operand.TARGET32)
_TOKENS = (Operand.METHOD, Operand.FIELD, Operand.TYPE, Operand.STRING, Operand.SIGNATURE, Operand.TOKEN)


class Instruction(Record):
    """An instruction: its IL ``offset``, ``opcode`` (with ``name``), ``operand`` and ``size`` in bytes.

    The operand is None, an int or float, a token (a plain int; ``token`` is the Token, of which Metadata.entity gives
    the object and Metadata.display the words), the number of a local or argument, the IL offset that a branch goes to,
    or a tuple of them. ``opcode.operand`` says which.
    """

    offset: int
    opcode: OpCode
    operand: int | float | tuple[int, ...] | None
    size: int

    @property
    def token(self) -> Token | None:
        """The operand as a Token: of a member, type, signature or string; None for operands that are none."""
        found = self.operand
        return Token(found) if isinstance(found, int) and self.opcode.operand in _TOKENS else None

    def __repr__(self) -> str:
        shown = self.operand
        if isinstance(shown, int) and self.opcode.operand in _TOKENS:
            return f"<Instruction IL_{self.offset:04x} {self.opcode.name} 0x{shown:08x}>"
        return f"<Instruction IL_{self.offset:04x} {self.opcode.name}{'' if shown is None else f' {shown}'}>"


def decode_instructions(il: bytes, file: str = "<il>", origin: int = 0) -> Iterator[Instruction]:
    """The instructions of IL bytes; branch operands are absolute IL offsets, a switch's a tuple of them.

    ``origin`` is the file offset of the first byte, for messages. Raises MalformedError, TruncatedError.
    """
    position = 0
    size = len(il)
    while position < size:
        start = position
        value = il[position]
        position += 1
        if value == 0xFE and position < size:
            value = 0xFE00 | il[position]
            position += 1
        known = _DECODERS.get(value)
        if known is None:
            raise MalformedError(f"0x{value:02x} is not an opcode (ECMA-335 III)", file=file, offset=origin + start)
        opcode, unpack, width, is_target = known
        operand: Any = None
        try:
            if unpack is not None:
                operand = unpack(il, position)[0]
                position += width
                if is_target:
                    operand += position
            elif width:  # a switch
                count = int.from_bytes(il[position : position + 4], "little")
                position += 4
                if position + count * 4 > size:
                    raise struct.error
                base = position + count * 4
                operand = tuple([base + delta for delta in struct.unpack_from(f"<{count}i", il, position)])
                position = base
        except struct.error:
            raise TruncatedError(
                f"the IL ends inside the operand of {opcode.name}", file=file, offset=origin + start
            ) from None
        yield _new(Instruction, (start, opcode, operand, position - start))


def _decoder(opcode: OpCode) -> tuple[OpCode, Any, int, bool]:
    """How an operand is read: by an ``unpack_from`` of so many bytes, or as a switch (no function, but a width)."""
    layout = _SIMPLE.get(opcode.operand)
    if layout is None:
        return opcode, None, int(opcode.operand is Operand.SWITCH), False
    return opcode, layout.unpack_from, layout.size, opcode.operand in _TARGETS


_DECODERS = {value: _decoder(opcode) for value, opcode in OPCODES.items()}
_new = tuple.__new__
