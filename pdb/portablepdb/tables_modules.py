# No "from __future__ import annotations" here: the annotations are the declaration and are read at run time.
"""The tables of modules, assemblies, files and edit-and-continue deltas (ECMA-335 II.22), declared once.

schema.py says what is derived from the declarations.
"""

from typing import Annotated

from construct import Int16ul, Int32ul

from .coded_indices import IMPLEMENTATION
from .handles import BlobOffset, GuidIndex, RowId, StringOffset, TableNumber, Token
from .records import Record
from .schema import TableIndex
from .tables_pdb import BLOB, GUID, STRING

T = TableNumber


class ModuleRow(Record):
    """Module (II.22.30)."""

    generation: Annotated[int, Int16ul]
    name: Annotated[StringOffset, STRING]
    mvid: Annotated[GuidIndex, GUID]
    enc_id: Annotated[GuidIndex, GUID]
    enc_base_id: Annotated[GuidIndex, GUID]


class ModuleRefRow(Record):
    """ModuleRef (II.22.31)."""

    name: Annotated[StringOffset, STRING]


class EncLogRow(Record):
    """EncLog (edit-and-continue deltas): what the delta does to ``token``."""

    token: Annotated[Token, Int32ul]
    operation: Annotated[int, Int32ul]


class EncMapRow(Record):
    """EncMap (edit-and-continue deltas): the token that a row of the delta stands for."""

    token: Annotated[Token, Int32ul]


class AssemblyRow(Record):
    """Assembly (II.22.2)."""

    hash_algorithm: Annotated[int, Int32ul]
    major_version: Annotated[int, Int16ul]
    minor_version: Annotated[int, Int16ul]
    build_number: Annotated[int, Int16ul]
    revision_number: Annotated[int, Int16ul]
    flags: Annotated[int, Int32ul]
    public_key: Annotated[BlobOffset, BLOB]
    name: Annotated[StringOffset, STRING]
    culture: Annotated[StringOffset, STRING]


class AssemblyProcessorRow(Record):
    """AssemblyProcessor (II.22.4)."""

    processor: Annotated[int, Int32ul]


class AssemblyOsRow(Record):
    """AssemblyOS (II.22.3)."""

    platform_id: Annotated[int, Int32ul]
    major_version: Annotated[int, Int32ul]
    minor_version: Annotated[int, Int32ul]


class AssemblyRefRow(Record):
    """AssemblyRef (II.22.5)."""

    major_version: Annotated[int, Int16ul]
    minor_version: Annotated[int, Int16ul]
    build_number: Annotated[int, Int16ul]
    revision_number: Annotated[int, Int16ul]
    flags: Annotated[int, Int32ul]
    public_key_or_token: Annotated[BlobOffset, BLOB]
    name: Annotated[StringOffset, STRING]
    culture: Annotated[StringOffset, STRING]
    hash_value: Annotated[BlobOffset, BLOB]


class AssemblyRefProcessorRow(Record):
    """AssemblyRefProcessor (II.22.7)."""

    processor: Annotated[int, Int32ul]
    assembly_ref: Annotated[RowId, TableIndex(T.ASSEMBLY_REF)]


class AssemblyRefOsRow(Record):
    """AssemblyRefOS (II.22.6)."""

    platform_id: Annotated[int, Int32ul]
    major_version: Annotated[int, Int32ul]
    minor_version: Annotated[int, Int32ul]
    assembly_ref: Annotated[RowId, TableIndex(T.ASSEMBLY_REF)]


class FileRow(Record):
    """File (II.22.19)."""

    flags: Annotated[int, Int32ul]
    name: Annotated[StringOffset, STRING]
    hash_value: Annotated[BlobOffset, BLOB]


class ExportedTypeRow(Record):
    """ExportedType (II.22.14)."""

    flags: Annotated[int, Int32ul]
    type_def_id: Annotated[int, Int32ul]
    name: Annotated[StringOffset, STRING]
    namespace: Annotated[StringOffset, STRING]
    implementation: Annotated[Token, IMPLEMENTATION]


class ManifestResourceRow(Record):
    """ManifestResource (II.22.24)."""

    offset: Annotated[int, Int32ul]
    flags: Annotated[int, Int32ul]
    name: Annotated[StringOffset, STRING]
    implementation: Annotated[Token, IMPLEMENTATION]
