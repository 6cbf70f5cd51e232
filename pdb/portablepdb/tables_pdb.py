# No "from __future__ import annotations" here: the annotations are the declaration and are read at run time.
"""The Portable PDB tables (Portable PDB 1.0, "Tables"), declared once; see schema.py for what is derived."""

from typing import Annotated

from construct import Int16ul, Int32ul

from .coded_indices import HAS_CUSTOM_ATTRIBUTE
from .handles import BlobOffset, GuidIndex, RowId, StringOffset, TableNumber, Token
from .records import Record
from .schema import CodedIndex, HeapIndex, TableIndex

T = TableNumber

STRING = HeapIndex("string")
GUID = HeapIndex("guid")
BLOB = HeapIndex("blob")

HAS_CUSTOM_DEBUG_INFORMATION = CodedIndex(
    "HasCustomDebugInformation",
    5,
    (*HAS_CUSTOM_ATTRIBUTE.tables, T.DOCUMENT, T.LOCAL_SCOPE, T.LOCAL_VARIABLE, T.LOCAL_CONSTANT, T.IMPORT_SCOPE),
)
"""What can have attributes, and five tables more."""


class DocumentRow(Record):
    """Document (0x30): a source file. ``name`` is a document name blob."""

    name: Annotated[BlobOffset, BLOB]
    hash_algorithm: Annotated[GuidIndex, GUID]
    hash: Annotated[BlobOffset, BLOB]
    language: Annotated[GuidIndex, GUID]


class MethodDebugInformationRow(Record):
    """MethodDebugInformation (0x31): parallel to MethodDef. A nil document: the blob names one, or there is none."""

    document: Annotated[RowId, TableIndex(T.DOCUMENT)]
    sequence_points: Annotated[BlobOffset, BLOB]


class LocalScopeRow(Record):
    """LocalScope (0x32): an IL range with its variables and constants; sorted by method, start, falling length."""

    method: Annotated[RowId, TableIndex(T.METHOD_DEF)]
    import_scope: Annotated[RowId, TableIndex(T.IMPORT_SCOPE)]
    variable_list: Annotated[RowId, TableIndex(T.LOCAL_VARIABLE)]
    constant_list: Annotated[RowId, TableIndex(T.LOCAL_CONSTANT)]
    start_offset: Annotated[int, Int32ul]
    length: Annotated[int, Int32ul]


class LocalVariableRow(Record):
    """LocalVariable (0x33): attribute bit 0 hides it from the debugger; ``slot`` is the IL local."""

    attributes: Annotated[int, Int16ul]
    slot: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]


class LocalConstantRow(Record):
    """LocalConstant (0x34): ``signature`` is a local constant signature with the value."""

    name: Annotated[StringOffset, STRING]
    signature: Annotated[BlobOffset, BLOB]


class ImportScopeRow(Record):
    """ImportScope (0x35): the using directives of a namespace or file."""

    parent: Annotated[RowId, TableIndex(T.IMPORT_SCOPE)]
    imports: Annotated[BlobOffset, BLOB]


class StateMachineMethodRow(Record):
    """StateMachineMethod (0x36): the MoveNext method and the iterator or async method the user wrote."""

    move_next_method: Annotated[RowId, TableIndex(T.METHOD_DEF)]
    kickoff_method: Annotated[RowId, TableIndex(T.METHOD_DEF)]


class CustomDebugInformationRow(Record):
    """CustomDebugInformation (0x37): ``kind`` says how to read ``value``; sorted by parent."""

    parent: Annotated[Token, HAS_CUSTOM_DEBUG_INFORMATION]
    kind: Annotated[GuidIndex, GUID]
    value: Annotated[BlobOffset, BLOB]


ROW_TYPES = {
    T.DOCUMENT: DocumentRow,
    T.METHOD_DEBUG_INFORMATION: MethodDebugInformationRow,
    T.LOCAL_SCOPE: LocalScopeRow,
    T.LOCAL_VARIABLE: LocalVariableRow,
    T.LOCAL_CONSTANT: LocalConstantRow,
    T.IMPORT_SCOPE: ImportScopeRow,
    T.STATE_MACHINE_METHOD: StateMachineMethodRow,
    T.CUSTOM_DEBUG_INFORMATION: CustomDebugInformationRow,
}
"""The row class of each Portable PDB table."""

SORTED_BY = {
    T.LOCAL_SCOPE: "method",
    T.STATE_MACHINE_METHOD: "move_next_method",
    T.CUSTOM_DEBUG_INFORMATION: "parent",
}
"""The column by which the rows of a table must be sorted, of the tables that must be."""
