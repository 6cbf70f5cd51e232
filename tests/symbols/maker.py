"""Makes synthetic PDBs row by row."""

from __future__ import annotations

from portablepdb import PortablePdb
from portablepdb.custom_debug_info import GUID_OF_KIND
from portablepdb.tables_pdb import (
    CustomDebugInformationRow,
    DocumentRow,
    LocalConstantRow,
    LocalScopeRow,
    LocalVariableRow,
    MethodDebugInformationRow,
)

from . import encoder
from .encoder import Heaps


class Maker:
    """Collects the tables of a synthetic PDB."""

    def __init__(self) -> None:
        self.heaps = Heaps()
        self.tables: dict[int, list] = {}

    def add(self, number: int, row: object) -> int:
        self.tables.setdefault(number, []).append(row)
        return len(self.tables[number])

    def document(self, path: str, separator: str = "/") -> int:
        return self.add(0x30, DocumentRow(self.heaps.name(path, separator), 0, 0, 0))

    def method(self, points: list | None, column: int = 1, local_signature: int = 0) -> int:
        blob = self.heaps.blob(encoder.points_blob(points, local_signature, column)) if points else 0
        return self.add(0x31, MethodDebugInformationRow(column if points else 0, blob))

    def scope(self, method: int, start: int, length: int, imports: int = 0) -> int:
        variables = len(self.tables.get(0x33, ())) + 1
        constants = len(self.tables.get(0x34, ())) + 1
        return self.add(0x32, LocalScopeRow(method, imports, variables, constants, start, length))

    def variable(self, name: str, slot: int, attributes: int = 0) -> int:
        return self.add(0x33, LocalVariableRow(attributes, slot, self.heaps.string(name)))

    def constant(self, name: str, raw: bytes) -> int:
        return self.add(0x34, LocalConstantRow(self.heaps.string(name), self.heaps.blob(raw)))

    def info(self, parent: int, kind: str, value: bytes) -> int:
        guid = self.heaps.guid(GUID_OF_KIND[kind])
        return self.add(0x37, CustomDebugInformationRow(parent, guid, self.heaps.blob(value)))

    def data(self, **options: object) -> bytes:
        wide = max(len(self.heaps.strings), len(self.heaps.blobs)) >= 0x10000
        return encoder.pdb(self.tables, self.heaps, **{"wide_heaps": wide, **options})

    def open(self, **options: object) -> PortablePdb:
        return PortablePdb.open(self.data(**options))
