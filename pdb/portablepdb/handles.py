"""Tokens, row ids and heap offsets as distinct types, and the numbers of the metadata tables (ECMA-335 II.22)."""

from __future__ import annotations

from enum import IntEnum
from typing import NewType

RowId = NewType("RowId", int)
"""A 1-based row number in a table that the context names; 0 is nil."""

StringOffset = NewType("StringOffset", int)
"""A byte offset into the #Strings heap."""

BlobOffset = NewType("BlobOffset", int)
"""A byte offset into the #Blob heap; 0 is the nil blob."""

GuidIndex = NewType("GuidIndex", int)
"""A 1-based index into the #GUID heap; 0 is nil."""

UserStringOffset = NewType("UserStringOffset", int)
"""A byte offset into the #US heap: the low three bytes of a ldstr operand."""


class TableNumber(IntEnum):
    """Numbers of the tables of ECMA-335 II.22 and of the Portable PDB tables (0x30 and above)."""

    MODULE = 0x00
    TYPE_REF = 0x01
    TYPE_DEF = 0x02
    FIELD_PTR = 0x03
    FIELD = 0x04
    METHOD_PTR = 0x05
    METHOD_DEF = 0x06
    PARAM_PTR = 0x07
    PARAM = 0x08
    INTERFACE_IMPL = 0x09
    MEMBER_REF = 0x0A
    CONSTANT = 0x0B
    CUSTOM_ATTRIBUTE = 0x0C
    FIELD_MARSHAL = 0x0D
    DECL_SECURITY = 0x0E
    CLASS_LAYOUT = 0x0F
    FIELD_LAYOUT = 0x10
    STAND_ALONE_SIG = 0x11
    EVENT_MAP = 0x12
    EVENT_PTR = 0x13
    EVENT = 0x14
    PROPERTY_MAP = 0x15
    PROPERTY_PTR = 0x16
    PROPERTY = 0x17
    METHOD_SEMANTICS = 0x18
    METHOD_IMPL = 0x19
    MODULE_REF = 0x1A
    TYPE_SPEC = 0x1B
    IMPL_MAP = 0x1C
    FIELD_RVA = 0x1D
    ENC_LOG = 0x1E
    ENC_MAP = 0x1F
    ASSEMBLY = 0x20
    ASSEMBLY_PROCESSOR = 0x21
    ASSEMBLY_OS = 0x22
    ASSEMBLY_REF = 0x23
    ASSEMBLY_REF_PROCESSOR = 0x24
    ASSEMBLY_REF_OS = 0x25
    FILE = 0x26
    EXPORTED_TYPE = 0x27
    MANIFEST_RESOURCE = 0x28
    NESTED_CLASS = 0x29
    GENERIC_PARAM = 0x2A
    METHOD_SPEC = 0x2B
    GENERIC_PARAM_CONSTRAINT = 0x2C
    DOCUMENT = 0x30
    METHOD_DEBUG_INFORMATION = 0x31
    LOCAL_SCOPE = 0x32
    LOCAL_VARIABLE = 0x33
    LOCAL_CONSTANT = 0x34
    IMPORT_SCOPE = 0x35
    STATE_MACHINE_METHOD = 0x36
    CUSTOM_DEBUG_INFORMATION = 0x37


class Token(int):
    """A metadata token (II.24.2.6, III.1.9): table number in the high byte, row id in the low three. Row id 0 is nil.

    An int that shows itself in hexadecimal. The objects of the library (types, methods, references) are tokens
    themselves, which also know what they name: wherever a token goes, the object goes too.
    """

    __slots__ = ()

    @property
    def table(self) -> TableNumber:
        """The table. ValueError for a number that no specification has, such as that of a user string (0x70)."""
        return TableNumber(self >> 24)

    @property
    def row_id(self) -> RowId:
        """The row in the table, from 1; 0 is nil."""
        return RowId(self & 0xFFFFFF)

    @property
    def is_nil(self) -> bool:
        """Whether it names nothing."""
        return not self & 0xFFFFFF

    def __repr__(self) -> str:
        return f"Token(0x{int(self):08x})"

    def __str__(self) -> str:
        return f"0x{int(self):08x}"


def make_token(table: int, row_id: int) -> Token:
    """The token of a row of a table."""
    return Token(table << 24 | row_id)


def table_of(token: int) -> int:
    """The table number of a token."""
    return token >> 24


def row_of(token: int) -> RowId:
    """The row id of a token; 0 is nil."""
    return RowId(token & 0xFFFFFF)
