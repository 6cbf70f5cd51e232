"""Assembles IL for tests."""

from __future__ import annotations

import struct
from typing import Any

from portablepdb.opcodes import OPCODES

_VALUES = {opcode.name: opcode.value for opcode in OPCODES.values()}


class Il:
    """Instructions, one after the other; the methods chain, `ret` ends."""

    def __init__(self) -> None:
        self._bytes = b""

    def op(self, name: str, operand: bytes = b"") -> Il:
        value = _VALUES[name]
        self._bytes += (bytes([value]) if value < 0x100 else value.to_bytes(2, "big")) + operand
        return self

    def token(self, name: str, member: Any) -> Il:
        return self.op(name, struct.pack("<I", member if isinstance(member, int) else member.token))

    def ldarg(self, index: int) -> Il:
        return self.op("ldarg.s", bytes([index]))

    def ldc(self, value: int) -> Il:
        return self.op("ldc.i4", struct.pack("<i", value))

    def ldfld(self, field: Any) -> Il:
        return self.token("ldfld", field)

    def branch(self, name: str, distance: int) -> Il:
        """A short branch over `distance` bytes, counted from the next instruction."""
        return self.op(name, struct.pack("<b", distance))

    def ret(self) -> bytes:
        return self.op("ret")._bytes
